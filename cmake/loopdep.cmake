# What the analyser of loops needs: isl to compile, clang to run.
set(PAPILIO_CLANG clang CACHE STRING "The clang that loopdep runs: a name that is looked for in PATH, or a path")
if(PAPILIO_LOOPDEP)
  pkg_check_modules(isl QUIET IMPORTED_TARGET isl)
  if(NOT isl_FOUND)
    message(STATUS "isl (libisl-dev) was not found, so loopdep is not in this build")
    set(PAPILIO_LOOPDEP OFF)
  endif()
endif()
