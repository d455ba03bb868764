// Stops threads that Python ends at its exit while they are inside Weft: they sleep until the
// process is gone.
//
// Once the interpreter finalises, a thread that wants the GIL back never gets it: up to Python 3.13
// it is ended by pthread_exit, which unwinds its stack. In C++ that runs destructors, which would
// release Python objects without the GIL, and ends the process where it meets `noexcept` or a
// `catch (...)`, nanobind's and ours. So the unwinding stops at the first C++ frame: the linker
// puts this function in the place of the personality routine of all frames of the module
// (--wrap=__gxx_personality_v0 in CMakeLists.txt), which the unwinder asks before it does anything
// to a frame. Every such thread gets here, whichever call into Python released the GIL.
#include <Python.h>
#include <unistd.h>
#include <unwind.h>

namespace {

bool is_python_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class kind,
                                                _Unwind_Exception* thrown,
                                                _Unwind_Context* context);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class kind,
                                                _Unwind_Exception* thrown,
                                                _Unwind_Context* context) {
  if ((actions & _UA_FORCE_UNWIND) != 0 && is_python_finalizing()) {
    while (true) pause();
  }
  return __real___gxx_personality_v0(version, actions, kind, thrown, context);
}
}
