# cmake -DPROGRAM=... -DEXPECTED=... -P compare_output.cmake
#
# Runs PROGRAM and fails unless it succeeds and prints the file EXPECTED, byte for byte.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}; it printed\n${printed}")
endif()
file(READ ${EXPECTED} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed\n${printed}\nbut ${EXPECTED} holds\n${expected}")
endif()
