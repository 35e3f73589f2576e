# cmake -DPROGRAM=... -DEXPECTED=... [-DPICTURE=... -DWRITTEN=...] -P compare_output.cmake
#
# Runs PROGRAM and fails unless it succeeds and prints the file EXPECTED, byte for byte. With
# PICTURE it must also write, to the file WRITTEN that it is given, the same as PICTURE.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} ${WRITTEN} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}; it printed\n${printed}")
endif()
file(READ ${EXPECTED} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed\n${printed}\nbut ${EXPECTED} holds\n${expected}")
endif()
if(DEFINED PICTURE)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${PICTURE} ${WRITTEN} RESULT_VARIABLE differ)
  if(NOT differ EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} wrote ${WRITTEN}, which is not ${PICTURE}; look at it, then copy it there")
  endif()
endif()
