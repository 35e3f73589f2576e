# PAPILIO_SANITIZE covers everything in the build, so that no part is blind.
if(PAPILIO_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
