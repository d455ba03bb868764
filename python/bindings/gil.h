// The GIL, taken on any thread.
#pragma once

#include <Python.h>

#include "weft/base/forks.h"

namespace weft::python {

// Holds the GIL while it lives: calls into Python need it, and a long op has released it.
//
// Like PyGILState_Ensure, apart from forks. A thread that Python does not know makes its state
// under a lock of the interpreter, without the GIL, and CPython up to 3.11 waits for that lock in
// forked children: so forks wait until the state is made.
class WithGil {
 public:
  WithGil() {
    if (PyGILState_GetThisThreadState() != nullptr) {
      state_ = PyGILState_Ensure();
      return;
    }
    ForkDelay::begin();
    PyThreadState* const state = PyThreadState_New(PyInterpreterState_Main());
    ForkDelay::end();
    if (state == nullptr) Py_FatalError("no memory for the state of a thread");
    PyEval_RestoreThread(state);
  }
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

}  // namespace weft::python
