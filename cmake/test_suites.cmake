# papilio_discover_suites(TARGET [PREFIX text] [SUFFIX text] [FILTER patterns] [PROPERTIES ...]): one CTest entry for
# each suite of a GoogleTest executable, PREFIXsuiteSUFFIX.*, which runs all cases of the suite in one process: starting
# one for each of thousands of cases takes longer than most of them, and cases of one process share what they are given.
# What each case did is in suites/PREFIXsuiteSUFFIX.xml of the build folder ('/' as '.'), from where tools/test_summary.py
# counts cases and names those that failed. FILTER is that of --gtest_filter. The suites are asked for when CTest starts,
# as an executable of another processor cannot be asked before.
function(papilio_discover_suites target)
  cmake_parse_arguments(suites "" "PREFIX;SUFFIX;FILTER" "PROPERTIES" ${ARGN})
  if(NOT suites_FILTER)
    set(suites_FILTER *)
  endif()
  get_property(counter DIRECTORY PROPERTY PAPILIO_SUITES)
  math(EXPR counter "${counter} + 1")
  set_property(DIRECTORY PROPERTY PAPILIO_SUITES ${counter})
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.${counter}.suites.cmake)
  set(emulator "")
  if(CMAKE_CROSSCOMPILING)
    set(emulator "${CMAKE_CROSSCOMPILING_EMULATOR}")
  endif()
  file(
    GENERATE
    OUTPUT ${script}
    CONTENT
      "set(target ${target})
set(executable [==[$<TARGET_FILE:${target}>]==])
set(emulator [==[${emulator}]==])
set(prefix [==[${suites_PREFIX}]==])
set(suffix [==[${suites_SUFFIX}]==])
set(filter [==[${suites_FILTER}]==])
set(properties [==[${suites_PROPERTIES}]==])
set(working_folder [==[${CMAKE_CURRENT_BINARY_DIR}]==])
set(reports [==[${CMAKE_BINARY_DIR}/suites]==])
set(entries [==[${script}.entries]==])
include([==[${CMAKE_SOURCE_DIR}/cmake/list_suites.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
