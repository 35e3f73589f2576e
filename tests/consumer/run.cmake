# cmake -DBUILD_FOLDER=... -DWORK_FOLDER=... [-DCXX_FLAGS=...] -P tests/consumer/run.cmake
#
# Installs the build into WORK_FOLDER/prefix, moves that elsewhere (a package may not
# remember where it was made), and builds and runs the consumer against it.
cmake_minimum_required(VERSION 3.25)
get_filename_component(build ${BUILD_FOLDER} ABSOLUTE)
get_filename_component(work ${WORK_FOLDER} ABSOLUTE)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed)
file(RENAME ${work}/installed ${work}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -DCMAKE_PREFIX_PATH=${work}/prefix
    -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
