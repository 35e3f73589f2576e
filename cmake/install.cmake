# What `cmake --install` leaves behind: the library, the public headers, the kernel
# headers (floors warp, random, collective; unstable before 1.0), and what
# find_package(papilio) needs.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/papilio)

# Components: `command` (apps/papilio), `development` (library and headers), `python` (python).
install(TARGETS papilio EXPORT papilioTargets COMPONENT development)
install(DIRECTORY include/papilio DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h")
install(EXPORT papilioTargets NAMESPACE papilio:: DESTINATION ${package_folder} COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpapilio-dev COMPONENT development)

configure_package_config_file(cmake/papilioConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/papilioConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/papilioConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/papilioConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/papilioConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)

# In the tree a kernel header includes "warp/warp.h"; installed, it is in
# papilio/warp and includes "papilio/warp/warp.h". base/math.h is all that they use
# of floor base.
set(kernel_headers_code
    [[
  foreach(floor IN ITEMS warp random collective base)
    file(GLOB_RECURSE headers RELATIVE ${source_root} ${source_root}/${floor}/*.h ${source_root}/${floor}/*.cuh)
    if(floor STREQUAL "base")
      set(headers base/math.h)
    endif()
    foreach(header IN LISTS headers)
      file(READ ${source_root}/${header} text)
      string(REGEX REPLACE "(#[ \t]*include \")(base|warp|random|collective)/" "\\1papilio/\\2/" text "${text}")
      file(WRITE ${staging}/${header} "${text}")
      get_filename_component(folder ${header} DIRECTORY)
      file(INSTALL ${staging}/${header} DESTINATION ${destination}/papilio/${folder})
    endforeach()
  endforeach()
]])
install(
  CODE "set(source_root [[${PAPILIO_SOURCE_ROOT}]])
  set(staging [[${CMAKE_CURRENT_BINARY_DIR}/kernel_headers]])
  if(IS_ABSOLUTE [[${CMAKE_INSTALL_INCLUDEDIR}]])
    set(destination [[${CMAKE_INSTALL_INCLUDEDIR}]])
  else()
    set(destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  endif()
  ${kernel_headers_code}" COMPONENT development)

include(debian_packages)
