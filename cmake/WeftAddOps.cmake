# weft_add_ops(<target> FAMILY <namespace::kFamily> SOURCES <file>...): ops of your own, as a shared library.
#
# The code generator is linked with the sources and run, so the ops have kernels for every tier, fused backward kernels,
# batching and documentation like the built-in ones. Loading the library registers them: a C++ program links <target>,
# Python says wf.load_ops("lib<target>.so"). LLVM 19 is needed here, at build time, and by nobody who loads the library.
set(WEFT_ADD_OPS_FOLDER ${CMAKE_CURRENT_LIST_DIR})

function(weft_add_ops target)
  cmake_parse_arguments(ARG "" "FAMILY" "SOURCES" ${ARGN})
  if(NOT CMAKE_C_COMPILER_LOADED)
    message(FATAL_ERROR "weft_add_ops: the portable kernels are printed as C; write project(... LANGUAGES C CXX)")
  endif()
  find_library(WEFT_LLVM_LIBRARY NAMES LLVM-19 HINTS /usr/lib/llvm-19/lib REQUIRED)
  string(REGEX MATCH "^(.*)::([^:]+)$" is_qualified "${ARG_FAMILY}")
  if(NOT is_qualified)
    message(FATAL_ERROR "weft_add_ops: FAMILY '${ARG_FAMILY}' should be a qualified name such as mine::kFamily")
  endif()
  set(FAMILY_NAMESPACE ${CMAKE_MATCH_1})
  set(FAMILY_NAME ${CMAKE_MATCH_2})
  set(REGISTER_KERNELS weft_register_${target}_kernels)
  configure_file(${WEFT_ADD_OPS_FOLDER}/register_ops.cc.in ${CMAKE_CURRENT_BINARY_DIR}/${target}_register.cc @ONLY)

  # The generator: the same sources, which it reads as definitions.
  add_executable(${target}_kernelgen ${ARG_SOURCES} ${CMAKE_CURRENT_BINARY_DIR}/${target}_register.cc)
  target_compile_definitions(${target}_kernelgen PRIVATE WEFT_WITHOUT_KERNELS)
  target_link_libraries(${target}_kernelgen PRIVATE Weft::weft_kernelgen Weft::weft ${WEFT_LLVM_LIBRARY})
  weft_generate_kernels(${target}_kernels GENERATOR ${target}_kernelgen REGISTER ${REGISTER_KERNELS} OPS added SHARDS 1)

  add_library(${target} SHARED ${ARG_SOURCES} ${CMAKE_CURRENT_BINARY_DIR}/${target}_register.cc)
  weft_add_kernels(${target} ${target}_kernels)
  target_link_libraries(${target} PUBLIC Weft::weft)
endfunction()
