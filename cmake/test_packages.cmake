# The packages that only the tests need. Where one is missing the build goes on without what needs it and says so:
# without GoogleTest or Python there are no tests (PAPILIO_TESTS is off from here on); without RapidCheck the tests that
# ask for it are listed as disabled.
find_package(GTest QUIET)
find_package(Python3 QUIET COMPONENTS Interpreter)
find_package(rapidcheck QUIET)
if(NOT GTest_FOUND OR NOT Python3_FOUND)
  message(WARNING "GoogleTest (libgtest-dev) or Python 3 was not found, so there are no tests in this build")
  set(PAPILIO_TESTS OFF)
elseif(NOT rapidcheck_FOUND)
  message(WARNING "RapidCheck (librapidcheck-dev) was not found, so its property tests are not in this build")
endif()
if(Python3_FOUND)
  # A version manager's `python3` is a script that starts twenty programs; tests start the interpreter itself.
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
                  OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(EXISTS "${python}")
    set(Python3_EXECUTABLE ${python})
    set_target_properties(Python3::Interpreter PROPERTIES IMPORTED_LOCATION ${python})
  endif()
endif()
