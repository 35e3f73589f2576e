# papilio_add_floor(NAME SOURCES... BELOW floors... PRIVATE libraries...)
#
# One target a floor. A floor sees the headers of the floors that it lists and
# of those below them, so a wrong include fails to link here and is named by
# tools/check_floors.py. All objects end up in the one library `papilio`.
set(PAPILIO_SOURCE_ROOT ${CMAKE_CURRENT_SOURCE_DIR}/src)
set(PAPILIO_INCLUDE_ROOT ${CMAKE_CURRENT_SOURCE_DIR}/include)
define_property(GLOBAL PROPERTY PAPILIO_FLOORS)
define_property(GLOBAL PROPERTY PAPILIO_LIBRARIES)

function(papilio_add_floor name)
  cmake_parse_arguments(floor "" "" "SOURCES;BELOW;PRIVATE" ${ARGN})
  set(headers papilio_${name}_headers)
  add_library(${headers} INTERFACE)
  target_include_directories(${headers} INTERFACE ${PAPILIO_SOURCE_ROOT} ${PAPILIO_INCLUDE_ROOT} ${PAPILIO_GENERATED_ROOT})
  target_compile_features(${headers} INTERFACE cxx_std_20)
  foreach(below IN LISTS floor_BELOW)
    target_link_libraries(${headers} INTERFACE papilio_${below}_headers)
  endforeach()
  if(floor_SOURCES)
    add_library(papilio_${name} OBJECT ${floor_SOURCES})
    target_link_libraries(papilio_${name} PUBLIC ${headers} PRIVATE ${floor_PRIVATE})
    target_compile_options(papilio_${name} PRIVATE -ffp-contract=off)
    papilio_warnings(papilio_${name})
    set_property(GLOBAL APPEND PROPERTY PAPILIO_FLOORS papilio_${name})
    set_property(GLOBAL APPEND PROPERTY PAPILIO_LIBRARIES ${floor_PRIVATE})
  endif()
endfunction()
