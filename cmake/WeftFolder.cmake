# weft_folder(<name> LINKS <folder>...): one folder of weft/ as an OBJECT library that sees only itself and what it links.
#
# The include directory of a folder holds a link to that folder alone, so an include against the direction does not build.
# Files ending in _test.cc become one test program of the folder, those ending in _main.cc are left to the caller.
function(weft_folder name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  set(target weft_${name})

  set(view ${PROJECT_BINARY_DIR}/folders/${name})
  file(MAKE_DIRECTORY ${view}/weft)
  file(CREATE_LINK ${folder} ${view}/weft/${name} SYMBOLIC)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PUBLIC ${view})
  list(TRANSFORM ARG_LINKS PREPEND weft_)
  target_link_libraries(${target} PUBLIC ${ARG_LINKS})
  set_property(GLOBAL APPEND PROPERTY WEFT_FOLDERS ${name})
  set(WEFT_${name}_TESTS ${tests} PARENT_SCOPE)
endfunction()

# Half of what is compiled are tests: they need not be fast, and this takes a third of their time.
# g++ 12 then sees overflows in std::fill_n that are not there.
set(WEFT_TEST_OPTIONS $<$<CONFIG:Release>:-O1> "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>")

# What tests check beside their own assertions: graphs after every pass, the memory of every plan.
set(WEFT_TEST_CHECKS WEFT_VERIFY=1 WEFT_CHECK_PLANS=1)

# weft_test(<folder> [LINKS <library>...]): the folder's _test.cc files as the program <folder>_test, run by ctest.
# Without LINKS it links the whole library: a unit test may use what the folder itself may not.
function(weft_test name)
  cmake_parse_arguments(ARG "" "" "LINKS;SOURCES" ${ARGN})
  if(NOT WEFT_TESTS)
    return()
  endif()
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${WEFT_${name}_TESTS})
  endif()
  if(NOT ARG_SOURCES)
    return()
  endif()
  if(NOT ARG_LINKS)
    set(ARG_LINKS weft)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_compile_options(${name}_test PRIVATE ${WEFT_TEST_OPTIONS})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINKS} GTest::gtest_main)
  add_test(NAME ${name}_test COMMAND ${name}_test)
  set_tests_properties(${name}_test PROPERTIES ENVIRONMENT "${WEFT_TEST_CHECKS}")
  # The folders whose tests the thread sanitizer watches.
  if(name MATCHES "^(base|kernels|eager|transform|runtime|data)$")
    set_tests_properties(${name}_test PROPERTIES LABELS threads)
    if(NOT TARGET weft_thread_tests)
      add_custom_target(weft_thread_tests)
    endif()
    add_dependencies(weft_thread_tests ${name}_test)
  endif()
endfunction()
