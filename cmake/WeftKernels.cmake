# weft_generate_kernels(<target> GENERATOR <executable> REGISTER <function> [SHARDS n] [OPS all|added]):
# a static library <target> with the generated kernels of the ops that the generator links.
#
# `void <function>()` adds them to the table of weft/core/kernel_abi.h. The generator leaves files alone that would not
# change, so that touching one op rebuilds its shard only. With WEFT_KERNELS_FROM=<another build folder> that build's
# library is used as it is: sanitizers have nothing to look for in generated code.
function(weft_generate_kernels target)
  cmake_parse_arguments(ARG "" "GENERATOR;REGISTER;SHARDS;OPS" "" ${ARGN})
  if(WEFT_KERNELS_FROM)
    file(RELATIVE_PATH place ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR})
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${WEFT_KERNELS_FROM}/${place}/lib${target}.a)
    return()
  endif()
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 16)
  endif()
  if(NOT ARG_OPS)
    set(ARG_OPS all)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target})
  file(MAKE_DIRECTORY ${folder})
  set(objects)
  set(sources ${folder}/table.cc)
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(k RANGE ${last})
    list(APPEND objects ${folder}/avx2_${k}.o ${folder}/avx512_${k}.o)
    list(APPEND sources ${folder}/portable_${k}.c)
  endforeach()
  # A stamp is the output and the files are byproducts: ninja then looks whether they really changed.
  add_custom_command(
    OUTPUT ${folder}/stamp BYPRODUCTS ${objects} ${sources}
    COMMAND ${ARG_GENERATOR} ${folder} ${ARG_SHARDS} ${ARG_REGISTER} ${ARG_OPS}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/stamp
    DEPENDS ${ARG_GENERATOR} COMMENT "Generating kernels of ${target}" VERBATIM)
  add_custom_target(${target}_files DEPENDS ${folder}/stamp)
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_source_files_properties(${sources} PROPERTIES GENERATED TRUE)
  foreach(source ${sources})
    if(source MATCHES "\\.c$")
      # No -Wall: it is printed code. fma() without hardware is a call, and right.
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-O2;-w;-ffp-contract=off;-fno-strict-aliasing;-fno-sanitize=all")
    else()
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-Wno-pedantic")
    endif()
  endforeach()
  add_library(${target} STATIC ${sources} ${objects})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  add_dependencies(${target} ${target}_files)
  if(TARGET weft_core)  # not linked: an OBJECT library would put its objects into the archive
    target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:weft_core,INCLUDE_DIRECTORIES>)
    target_link_libraries(${target} PUBLIC m)
  else()  # a library of the user's: the headers of the installed package
    target_link_libraries(${target} PUBLIC Weft::weft m)
  endif()
endfunction()

# Puts the kernels that weft_generate_kernels() made as target `kernels` into `library`. $<TARGET_OBJECTS> leaves out the
# objects that no compiler of CMake's made, so those are named one by one.
function(weft_add_kernels library kernels)
  if(NOT TARGET ${kernels})
    return()
  endif()
  get_target_property(is_imported ${kernels} IMPORTED)
  if(is_imported)  # from another build
    target_link_libraries(${library} PRIVATE ${kernels})
    return()
  endif()
  get_target_property(objects ${kernels} SOURCES)
  list(FILTER objects INCLUDE REGEX "\\.o$")
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${library} PRIVATE ${objects} $<TARGET_OBJECTS:${kernels}>)
  add_dependencies(${library} ${kernels})
endfunction()
