// Python lines: code objects are kept once each, for as long as the process lives.
#include "bindings/line.h"

#include <unordered_set>

#include "weft/base/text.h"

namespace weft::python {
namespace {

// A record may outlive the function it was made in; its code object must not.
const char* kept(PyCodeObject* code) {
  static PyCodeObject* latest = nullptr;
  if (code == latest) return reinterpret_cast<const char*>(code);
  static auto* const all = new std::unordered_set<PyCodeObject*>;
  if (all->insert(code).second) Py_INCREF(code);
  latest = code;
  return reinterpret_cast<const char*>(code);
}

std::string resolve(Where where) {
  const PyGILState_STATE state = PyGILState_Ensure();
  PyCodeObject* const code = reinterpret_cast<PyCodeObject*>(const_cast<char*>(where.file));
  const int line = PyCode_Addr2Line(code, static_cast<int>(where.line & ~kForeignLine));
  std::string out = "unknown line";
  if (const Ref file =
          Ref(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_filename"))) {
    out = text(text_of(file.get()), ":", line);
  }
  PyErr_Clear();
  PyGILState_Release(state);
  return out;
}

}  // namespace

Where python_line() {
  PyFrameObject* const frame = PyThreadState_GetFrame(PyThreadState_Get());
  if (frame == nullptr) return {};
  PyCodeObject* const code = PyFrame_GetCode(frame);
  const Where where{kept(code), static_cast<uint32_t>(PyFrame_GetLasti(frame)) | kForeignLine};
  Py_DECREF(code);
  Py_DECREF(frame);
  return where;
}

void install_python_lines() { set_foreign_lines(resolve); }

}  // namespace weft::python
