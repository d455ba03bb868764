# The Python that tests run, and programs that are compared with it.

# weft_find_python(<variable>): the project's own environment if it is there, else the system's.
function(weft_find_python variable)
  set(python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  if(NOT EXISTS ${python})
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(python ${Python3_EXECUTABLE})
  endif()
  set(${variable} ${python} PARENT_SCOPE)
endfunction()

# weft_compare_with_python(<test> <program>): compare.py beside it runs the program and does the same in Python.
function(weft_compare_with_python name program)
  if(NOT TARGET weft_python OR WEFT_SANITIZE)
    return()
  endif()
  weft_find_python(python)
  add_test(NAME ${name} COMMAND ${python} ${CMAKE_CURRENT_SOURCE_DIR}/compare.py $<TARGET_FILE:${program}>)
  set_tests_properties(${name} PROPERTIES ENVIRONMENT PYTHONPATH=${PROJECT_BINARY_DIR}/python)
endfunction()
