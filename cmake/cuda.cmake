# papilio_add_cuda_sources(TARGET SOURCE...): compiles kernels for NVIDIA GPUs into
# TARGET. No contraction and no flush to zero: devices draw what CPUs draw.
#
# The default architectures are A100 and H100/H200, and PTX for those to come; one
# that is not named here is compiled from PTX at the first start.
if(PAPILIO_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
  endif()
  enable_language(CUDA)
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 knows C++ 17 of nvcc only
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  find_package(CUDAToolkit 12 REQUIRED)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static) # a machine without a driver must start the program
endif()

function(papilio_cuda_options target)
  target_compile_definitions(${target} PRIVATE PAPILIO_TARGET=cuda)
  target_compile_options(
    ${target} PRIVATE --fmad=false --ftz=false --prec-div=true --prec-sqrt=true --expt-relaxed-constexpr
                      -Xcompiler=-ffp-contract=off,-Wall,-Wextra)
  if(PAPILIO_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE --Werror=all-warnings)
  endif()
endfunction()

function(papilio_add_cuda_sources target)
  set(part ${target}_cuda)
  add_library(${part} OBJECT ${ARGN})
  papilio_cuda_options(${part})
  target_link_libraries(${part} PRIVATE ${target}_headers CUDA::cudart_static)
  set_property(TARGET ${target} APPEND PROPERTY PAPILIO_SIMD_PARTS ${part})
endfunction()
