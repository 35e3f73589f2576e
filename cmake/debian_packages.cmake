# What `cpack -G DEB` makes (`./run deb`): the package papilio with the command, its manual page and its
# completions, and libpapilio-dev with the library and the headers.
if(NOT PROJECT_IS_TOP_LEVEL OR NOT PAPILIO_APPS)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the papilio authors <maintainers@papilio.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME papilio)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "This package has the command papilio, which trains topic models (latent
Dirichlet allocation) on text, infers the topics of new documents and evaluates
models. The same seed gives the same model, byte for byte, with any number of
threads.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpapilio-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# The library is static: whoever links it links these too.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libfmt-dev, libtbb-dev, zlib1g-dev, nlohmann-json3-dev, pkgconf | pkg-config, libzstd-dev, libxxhash-dev, libutf8proc-dev, libre2-dev, libicu-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "This package has the C++20 library: one draw from each of millions of rows of
relative weights, and topic models. It holds the static library, the headers and
the files that find_package(papilio) reads.")

if(TARGET loopdep)
  list(APPEND CPACK_COMPONENTS_ALL loopdep)
  set(CPACK_DEBIAN_LOOPDEP_PACKAGE_NAME loopdep)
  set(CPACK_DEBIAN_LOOPDEP_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_LOOPDEP_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_LOOPDEP_PACKAGE_DEPENDS clang)
  set(CPACK_DEBIAN_LOOPDEP_PACKAGE_RECOMMENDS gcc)
  set(CPACK_COMPONENT_LOOPDEP_DESCRIPTION "This package has the command loopdep, which says which loops of a C file may
run in parallel, and why, writes the program that does, and compares the two.")
endif()
include(CPack)
