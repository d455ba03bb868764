# weft_library(): gathers the folders' objects and the generated kernels into `weft` (shared) and `weft_static`.
#
# Every folder of weft/ takes part except those named in WITHOUT: what runs at build time only, or links heavy libraries.
function(weft_library)
  cmake_parse_arguments(ARG "" "" "WITHOUT" ${ARGN})
  get_property(folders GLOBAL PROPERTY WEFT_FOLDERS)
  list(REMOVE_ITEM folders ${ARG_WITHOUT} none)
  list(TRANSFORM folders PREPEND weft_)
  find_package(Threads REQUIRED)

  add_library(weft SHARED)
  add_library(weft_static STATIC)
  foreach(library weft weft_static)
    add_library(Weft::${library} ALIAS ${library})
    foreach(folder ${folders})
      target_sources(${library} PRIVATE $<TARGET_OBJECTS:${folder}>)
    endforeach()
    weft_add_kernels(${library} weft_builtin_kernels)
    target_include_directories(${library} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_features(${library} INTERFACE cxx_std_20)
    target_link_libraries(${library} PRIVATE Threads::Threads hwy_contrib openblas png jpeg z deflate ${CMAKE_DL_LIBS})
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME weft EXPORT_NAME ${library})
  endforeach()

  # Calls between our own functions do not go through the symbol table; data does, because a program that names an
  # OpDef holds the one copy of it.
  set(map ${PROJECT_SOURCE_DIR}/cmake/weft.map)
  if(NOT WEFT_SANITIZE)
    target_link_options(weft PRIVATE -Wl,-z,defs)  # what is declared but nowhere defined is found here
  endif()
  target_link_options(weft PRIVATE -Wl,-Bsymbolic-functions -Wl,--version-script=${map})
  set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${map})
endfunction()
