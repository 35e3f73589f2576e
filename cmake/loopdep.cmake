# What the analyser of loops needs: isl to compile, clang to run.
set(PAPILIO_CLANG clang CACHE STRING "The clang that loopdep runs: a name that is looked for in PATH, or a path")
if(PAPILIO_LOOPDEP)
  pkg_check_modules(isl QUIET IMPORTED_TARGET isl)
  if(NOT isl_FOUND)
    message(STATUS "isl (libisl-dev) was not found, so loopdep is not in this build")
    set(PAPILIO_LOOPDEP OFF)
  endif()
endif()

# papilio_add_loops(TARGET): the library of the analyser. src/loops adds it, and fuzz/ again, instrumented.
function(papilio_add_loops target)
  set(folder ${PAPILIO_SOURCE_ROOT}/loops)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*/*.cpp)
  add_library(${target} STATIC ${sources})
  set(apart access/recurrences.cpp check/members.cpp clang/process.cpp emit/scan.cpp verdict/summaries.cpp)
  list(TRANSFORM apart PREPEND ${folder}/)
  papilio_compile_in_groups(${target} SOURCES ${sources} APART ${apart})
endfunction()
