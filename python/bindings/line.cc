// Python lines: code objects are kept once each, for as long as the process lives.
#include "bindings/line.h"

#include <unordered_map>

#include "bindings/gil.h"
#include "weft/base/text.h"

// Making a frame object for each record costs as much as the record: the line is read from the
// interpreter's own frame where its layout is known.
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000 && \
    __has_include(<internal/pycore_frame.h>)
#define Py_BUILD_CORE
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#define WEFT_KNOWS_FRAMES 1
#else
#define WEFT_KNOWS_FRAMES 0
#endif

namespace weft::python {
namespace {

std::string package;  // the folder of the Python files, with the slash

// A record may outlive the function it was made in; its code object must not. Null for the
// package's own code, whose callers are the users.
const char* kept(PyCodeObject* code) {
  static PyCodeObject* latest = nullptr;
  if (code == latest) return reinterpret_cast<const char*>(code);
  static auto* const all = new std::unordered_map<PyCodeObject*, bool>;  // is it the package's?
  const auto [known, is_new] = all->emplace(code, false);
  if (is_new) {
    Py_INCREF(code);
    known->second = !package.empty() && text_of(code->co_filename).starts_with(package);
  }
  if (known->second) return nullptr;
  latest = code;
  return reinterpret_cast<const char*>(code);
}

std::string resolve(Where where) {
  const WithGil gil;
  PyCodeObject* const code = reinterpret_cast<PyCodeObject*>(const_cast<char*>(where.file));
  const int line = PyCode_Addr2Line(code, static_cast<int>(where.line & ~kForeignLine));
  std::string out = "unknown line";
  if (const Ref file =
          Ref(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_filename"))) {
    out = text(text_of(file.get()), ":", line);
  }
  PyErr_Clear();
  return out;
}

Where line_of_frames() {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const char* const file = kept(code);
    const Where where{file, static_cast<uint32_t>(PyFrame_GetLasti(frame)) | kForeignLine};
    Py_DECREF(code);
    PyFrameObject* const caller = file == nullptr ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    if (file != nullptr) return where;
    frame = caller;
  }
  return {};
}

}  // namespace

Where python_line() {
#if WEFT_KNOWS_FRAMES
  const _PyInterpreterFrame* const top = PyThreadState_Get()->cframe->current_frame;
  if (top != nullptr) [[likely]] {
    const char* const file = kept(top->f_code);
    const auto offset =
        reinterpret_cast<const char*>(top->prev_instr) - top->f_code->co_code_adaptive;
    if (file != nullptr) [[likely]]
      return {file, static_cast<uint32_t>(offset) | kForeignLine};
  }
#endif
  return line_of_frames();
}

void set_package_folder(std::string_view folder) { package = folder; }

void install_python_lines() { set_foreign_lines(resolve); }

}  // namespace weft::python
