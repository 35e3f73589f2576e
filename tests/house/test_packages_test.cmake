# A tree configures where what only tests need is missing, and says what it goes without.
foreach(package IN ITEMS GTest rapidcheck)
  file(REMOVE_RECURSE ${WORK_FOLDER}/${package})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${SOURCE_FOLDER} -B ${WORK_FOLDER}/${package} -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
            -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "configuring without ${package} failed:\n${output}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(package STREQUAL GTest)
    set(expected "so there are no tests in this build")
  else()
    set(expected "so its property tests are not in this build")
  endif()
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "configuring without ${package} does not say \"${expected}\":\n${output}")
  endif()
endforeach()

# The property tests are listed, as disabled.
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${WORK_FOLDER}/rapidcheck -N -R "^scan_test$"
                OUTPUT_VARIABLE listed)
if(NOT listed MATCHES "scan_test \\(Disabled\\)")
  message(FATAL_ERROR "scan_test is not listed as disabled without rapidcheck:\n${listed}")
endif()
