# papilio_compile_in_groups(TARGET SOURCES source... [APART source...]): compiles sources of the target eight at a time,
# except those that APART lists. For files that include much and compute little, this takes half the time. APART must
# list files whose unnamed namespaces share a name with another file's, and files whose unnamed namespaces hold the type
# of a member of a class that other files see.
function(papilio_compile_in_groups target)
  cmake_parse_arguments(group "" "" "SOURCES;APART" ${ARGN})
  set(grouped 0)
  foreach(source IN LISTS group_SOURCES)
    if(NOT source IN_LIST group_APART)
      math(EXPR part "${grouped} / 8")
      math(EXPR grouped "${grouped} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP part_${part})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
