# These cover everything in the build, so that no part is blind.
if(PAPILIO_SANITIZE AND PAPILIO_SANITIZE_THREADS)
  message(FATAL_ERROR "PAPILIO_SANITIZE and PAPILIO_SANITIZE_THREADS exclude each other")
endif()
if(PAPILIO_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  # Programs at fixed addresses: the sanitizers' tables of globals are 40 MB of pointers, which each start of a
  # position-independent program would relocate; the tests of the command start it thousands of times.
  add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>")
elseif(PAPILIO_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
