# The instruction-set targets of this processor family, slowest first; every machine of the family runs the first.
# papilio_simd_target(NAME [NEEDS FEATURE...] [FLAGS FLAG...]): one target. Its kernels are compiled with -mFEATURE for
# each feature and with the flags, and used on processors that have all the features. A feature is spelled as the
# compiler spells it in -mFEATURE and __builtin_cpu_supports("FEATURE").
function(papilio_simd_target name)
  cmake_parse_arguments(simd "" "" "NEEDS;FLAGS" ${ARGN})
  set(flags "")
  set(runs true)
  foreach(feature IN LISTS simd_NEEDS)
    list(APPEND flags -m${feature})
    string(APPEND runs " && __builtin_cpu_supports(\"${feature}\")")
  endforeach()
  set(all_simd_targets ${all_simd_targets} ${name} PARENT_SCOPE)
  set(PAPILIO_SIMD_FLAGS_${name} ${flags} ${simd_FLAGS} PARENT_SCOPE)
  set(simd_runs_${name} "${runs}" PARENT_SCOPE)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  papilio_simd_target(baseline)
  papilio_simd_target(avx2 NEEDS avx2 fma bmi2)
  papilio_simd_target(avx512 NEEDS avx512f avx512bw avx512dq avx512vl avx2 fma bmi2 FLAGS -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  papilio_simd_target(neon)
else()
  papilio_simd_target(baseline)
endif()

# The build holds all of them; PAPILIO_CPU_TARGETS picks fewer for a build that is made often and need not be fast
# ("baseline").
set(PAPILIO_CPU_TARGETS "${all_simd_targets}" CACHE STRING "Instruction sets to compile kernels for")
list(GET all_simd_targets 0 least_simd_target)
if(NOT least_simd_target IN_LIST PAPILIO_CPU_TARGETS)
  message(FATAL_ERROR "PAPILIO_CPU_TARGETS is \"${PAPILIO_CPU_TARGETS}\"; it must hold ${least_simd_target}, which every machine runs")
endif()
foreach(simd IN LISTS PAPILIO_CPU_TARGETS)
  if(NOT simd IN_LIST all_simd_targets)
    message(FATAL_ERROR "PAPILIO_CPU_TARGETS names ${simd}; the targets of this processor are: ${all_simd_targets}")
  endif()
endforeach()

# PAPILIO_SIMD_TARGETS: those that the build holds, in the order above. The code has them from a generated header.
set(PAPILIO_SIMD_TARGETS "")
set(simd_rows "")
foreach(simd IN LISTS all_simd_targets)
  if(simd IN_LIST PAPILIO_CPU_TARGETS)
    list(APPEND PAPILIO_SIMD_TARGETS ${simd})
    string(APPEND simd_rows " \\\n  row(${simd}, ${simd_runs_${simd}} __VA_OPT__(,) __VA_ARGS__)")
  endif()
endforeach()
set(PAPILIO_GENERATED_ROOT ${PROJECT_BINARY_DIR}/generated)
configure_file(${CMAKE_CURRENT_LIST_DIR}/simd_targets.h.in ${PAPILIO_GENERATED_ROOT}/execution/cpu/simd_targets.h @ONLY)

# papilio_add_simd_sources(TARGET SOURCE...): compiles each source once for every target, into a namespace of its own
# (PAPILIO_TARGET), so that the linker never merges code of two targets.
function(papilio_add_simd_sources target)
  foreach(simd IN LISTS PAPILIO_SIMD_TARGETS)
    set(part ${target}_${simd})
    add_library(${part} OBJECT ${ARGN})
    target_compile_definitions(${part} PRIVATE PAPILIO_TARGET=${simd})
    target_compile_options(${part} PRIVATE ${PAPILIO_SIMD_FLAGS_${simd}} -ffp-contract=off -fno-trapping-math
                                           -fno-math-errno)
    target_link_libraries(${part} PRIVATE ${target}_headers)
    papilio_warnings(${part})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${part} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized) # the intrinsics' own headers (GCC bug 105593)
    endif()
    set_property(TARGET ${target} APPEND PROPERTY PAPILIO_SIMD_PARTS ${part})
  endforeach()
endfunction()
