# weft_install(): what `cmake --install` puts in place: headers, both libraries, and the files find_package(Weft) reads.
include(CMakePackageConfigHelpers)

function(weft_install)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Weft)
  foreach(folder base core expr op ir ops transform state trace control compile runtime io data nn optim train)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/weft/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft
            COMPONENT weft FILES_MATCHING PATTERN "*.h" PATTERN "test_*.h" EXCLUDE)
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/weft/weft.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft COMPONENT weft)
  # What weft_add_ops() links: the generator without LLVM itself, which is looked for only there.
  add_library(weft_kernelgen STATIC $<TARGET_OBJECTS:weft_codegen>
              ${PROJECT_SOURCE_DIR}/weft/codegen/kernelgen_main.cc)
  target_include_directories(weft_kernelgen PRIVATE ${PROJECT_SOURCE_DIR})
  install(TARGETS weft weft_static weft_kernelgen EXPORT WeftTargets COMPONENT weft
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT WeftTargets NAMESPACE Weft:: DESTINATION ${package} COMPONENT weft)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/WeftConfig.cmake.in
    ${PROJECT_BINARY_DIR}/WeftConfig.cmake INSTALL_DESTINATION ${package})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/WeftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/WeftConfig.cmake ${PROJECT_BINARY_DIR}/WeftConfigVersion.cmake
          DESTINATION ${package} COMPONENT weft)
  foreach(file WeftKernels.cmake WeftAddOps.cmake register_ops.cc.in)
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/${file} DESTINATION ${package} COMPONENT weft)
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weft COMPONENT weft)
endfunction()
