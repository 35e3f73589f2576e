# Builds for aarch64 on another machine, whose tests qemu runs. The libraries are those that tools/neon_sysroot.sh has
# put into build/neon-sysroot.
set(neon_sysroot ${CMAKE_CURRENT_LIST_DIR}/../build/neon-sysroot)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${neon_sysroot})

set(CMAKE_FIND_ROOT_PATH ${neon_sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${neon_sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${neon_sysroot}/usr/lib/aarch64-linux-gnu/pkgconfig)
