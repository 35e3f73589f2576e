# All from the distribution's packages; `./run` installs them. What is missing is said at once, with its package.
find_package(Threads REQUIRED)
find_package(fmt QUIET)
find_package(TBB QUIET)
find_package(ZLIB QUIET)
find_package(nlohmann_json QUIET)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(zstd QUIET IMPORTED_TARGET libzstd)
  pkg_check_modules(xxhash QUIET IMPORTED_TARGET libxxhash)
  pkg_check_modules(utf8proc QUIET IMPORTED_TARGET libutf8proc)
  pkg_check_modules(re2 QUIET IMPORTED_TARGET re2)
  if(PAPILIO_ICU)
    pkg_check_modules(icu QUIET IMPORTED_TARGET icu-uc)
  endif()
endif()
if(PAPILIO_APPS)
  find_package(CLI11 QUIET)
endif()
if(PAPILIO_MPI)
  set(MPI_CXX_SKIP_MPICXX ON) # its C interface is called
  find_package(MPI QUIET COMPONENTS CXX)
endif()

# found variable, what it is, Debian's package, Fedora's
set(papilio_dependencies
    "fmt_FOUND|{fmt}|libfmt-dev|fmt-devel"
    "TBB_FOUND|oneTBB|libtbb-dev|tbb-devel"
    "ZLIB_FOUND|zlib|zlib1g-dev|zlib-devel"
    "nlohmann_json_FOUND|JSON for Modern C++|nlohmann-json3-dev|json-devel"
    "PkgConfig_FOUND|pkg-config|pkgconf|pkgconf-pkg-config"
    "zstd_FOUND|Zstandard|libzstd-dev|libzstd-devel"
    "xxhash_FOUND|xxHash|libxxhash-dev|xxhash-devel"
    "utf8proc_FOUND|utf8proc|libutf8proc-dev|utf8proc-devel"
    "re2_FOUND|RE2|libre2-dev|re2-devel")
if(PAPILIO_ICU)
  list(APPEND papilio_dependencies "icu_FOUND|ICU (or -DPAPILIO_ICU=OFF)|libicu-dev|libicu-devel")
endif()
if(PAPILIO_MPI)
  list(APPEND papilio_dependencies "MPI_CXX_FOUND|MPI (or -DPAPILIO_MPI=OFF)|libopenmpi-dev|openmpi-devel")
endif()
if(PAPILIO_APPS)
  list(APPEND papilio_dependencies "CLI11_FOUND|CLI11|libcli11-dev|cli11-devel")
endif()

set(missing_names "")
set(missing_on_debian "")
set(missing_on_fedora "")
foreach(dependency IN LISTS papilio_dependencies)
  string(REPLACE "|" ";" parts "${dependency}")
  list(GET parts 0 found)
  if(NOT ${found})
    list(GET parts 1 name)
    list(GET parts 2 on_debian)
    list(GET parts 3 on_fedora)
    list(APPEND missing_names "${name}")
    string(APPEND missing_on_debian " ${on_debian}")
    string(APPEND missing_on_fedora " ${on_fedora}")
  endif()
endforeach()
if(missing_names)
  list(JOIN missing_names ", " missing_names)
  message(FATAL_ERROR "papilio needs libraries that were not found: ${missing_names}. Install them, then try again:\n"
                      "  Debian, Ubuntu:  apt-get install${missing_on_debian}\n"
                      "  Fedora:          dnf install${missing_on_fedora}")
endif()
