# Without libraries that it needs, the build says all their names, and the packages to install, at once.
#
# cmake -DSOURCE_FOLDER=... -DWORK_FOLDER=... -P missing_libraries_test.cmake
file(REMOVE_RECURSE ${WORK_FOLDER})
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE_FOLDER} -B ${WORK_FOLDER} -DPAPILIO_TESTS=OFF -DPAPILIO_EXAMPLES=OFF
          -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
  RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_QUIET)
if(status EQUAL 0)
  message(FATAL_ERROR "the build went on without TBB and CLI11")
endif()
foreach(wanted IN ITEMS "libraries that were not found: oneTBB, CLI11" "apt-get install libtbb-dev libcli11-dev")
  string(FIND "${said}" "${wanted}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "expected \"${wanted}\" in what the build said:\n${said}")
  endif()
endforeach()
