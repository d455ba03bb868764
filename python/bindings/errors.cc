// Errors on their way from C++ to Python, and Ctrl-C on its way back.
#include "bindings/errors.h"

#include <nanobind/nanobind.h>

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <utility>

#include "bindings/gil.h"
#include "weft/base/forks.h"
#include "weft/base/thread_pool.h"

namespace weft::python {
namespace {

struct ErrorClass {
  Code code;
  const char* name;
  PyObject** builtin;
  const char* doc;
  PyObject* type = nullptr;
};
ErrorClass classes[] = {
    {Code::kInvalid, "InvalidError", &PyExc_ValueError, "A value that makes no sense here."},
    {Code::kType, "WrongTypeError", &PyExc_TypeError, "A wrong dtype or kind of argument."},
    {Code::kIndex, "OutOfRangeError", &PyExc_IndexError, "An axis or index out of range."},
    {Code::kOverflow, "TooLargeError", &PyExc_OverflowError, "A size or number that does not fit."},
    {Code::kOutOfMemory, "OutOfMemoryError", &PyExc_MemoryError, "No memory for a tensor."},
    {Code::kMissing, "MissingRuleError", &PyExc_NotImplementedError,
     "A rule or kernel that does not exist."},
    {Code::kIo, "IoError", &PyExc_OSError, "A file that cannot be read or written."},
    {Code::kInternal, "InternalError", &PyExc_RuntimeError, "A bug in Weft: please report it."},
};
PyObject* error_type = nullptr;
PyObject* assertion_type = nullptr;
pthread_t main_thread;

PyObject* class_of(Code code) {
  for (const ErrorClass& c : classes) {
    if (c.code == code) return c.type;
  }
  return error_type;
}

// A user's assert that fails when a graph runs is caught as one that Python runs.
PyObject* class_of(const Error& error) {
  return error.op == "assert" && error.law == "holds" ? assertion_type : class_of(error.code);
}

void set(PyObject* object, const char* name, Ref value) {
  if (!value || PyObject_SetAttrString(object, name, value.get()) != 0) PyErr_Clear();
}

// The innermost frame outside the package: "file.py:12", or null.
Ref user_line() {
  Ref frame = Ref::borrowed(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame) {
    auto* const f = reinterpret_cast<PyFrameObject*>(frame.get());
    Ref globals(PyFrame_GetGlobals(f));
    PyObject* const name = PyDict_GetItemString(globals.get(), "__name__");
    const std::string_view module = name && PyUnicode_Check(name) ? text_of(name) : "";
    if (module != "weft" && !module.starts_with("weft.")) {
      Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(f)));
      Ref file(PyObject_GetAttrString(code.get(), "co_filename"));
      if (!file) return {};
      return Ref(PyUnicode_FromFormat("called at %U:%d", file.get(), PyFrame_GetLineNumber(f)));
    }
    frame = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(f)));
  }
  return {};
}

// Replaces C++ names of functions in a message by their Python names.
std::string in_python_words(std::string message) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"set_memory_limit", "wf.memory.set_limit"}, {"an undefined Tensor", "None"}};
  for (const auto& [here, there] : kWords) {
    for (size_t at = message.find(here); at != std::string::npos;
         at = message.find(here, at + there.size())) {
      message.replace(at, here.size(), there);
    }
  }
  return message;
}

// `op: message [op.law]`: the first line of what().
std::string first_line(const Error& error) {
  const std::string message = in_python_words(error.message);
  std::string out = error.op.empty() ? message : text(error.op, ": ", message);
  if (!error.law.empty()) out += text(" [", error.op, ".", error.law, "]");
  return out;
}

// A count that grows by some millions in a millisecond; to read it costs a few nanoseconds, a clock
// ten times as much.
int64_t ticks() {
#if defined(__x86_64__)
  return static_cast<int64_t>(__builtin_ia32_rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
#endif
}

// The exception that a signal handler raised, stored from the poll until C++ returns to Python, so
// that Python code that runs in between neither sees nor clears it. Used by the main thread only.
struct Raised {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
};
Raised raised_by_handler;

bool is_exiting = false;  // read and written with the GIL

bool is_main_thread() { return pthread_equal(pthread_self(), main_thread) != 0; }

// Both with the GIL.
void keep_raised() {
  const Raised before = raised_by_handler;  // of an earlier interrupt that C++ code caught
  Raised& now = raised_by_handler;
  PyErr_Fetch(&now.type, &now.value, &now.traceback);
  Py_XDECREF(before.type);
  Py_XDECREF(before.value);
  Py_XDECREF(before.traceback);
}
bool restore_raised() {
  if (!is_main_thread() || raised_by_handler.type == nullptr) return false;
  const Raised now = std::exchange(raised_by_handler, {});
  PyErr_Restore(now.type, now.value, now.traceback);
  return true;
}

// True when a signal's handler raised; asked between tiles and instructions, on any thread.
bool interrupted() {
  constexpr int64_t kPause = 10'000'000;  // 3 to 10 ms
  static int64_t asked = 0;               // of the main thread alone
  if (!is_main_thread() || !Py_IsInitialized() || is_fork_waiting_for_this_thread()) return false;
  const int64_t now = ticks();
  if (now - asked < kPause) return false;
  asked = now;
  const WithGil gil;
  const bool raised = PyErr_CheckSignals() != 0;
  if (raised) keep_raised();
  return raised;
}

}  // namespace

void add_error_classes(PyObject* module) {
  error_type = PyErr_NewExceptionWithDoc(
      "weft.Error",
      "Every error of Weft: `op: what is wrong; what would be right [op.law]`.\n\n"
      "Attributes: code, op, law, message, notes.",
      PyExc_Exception, nullptr);
  checked(error_type == nullptr ? -1 : 0);
  checked(PyModule_AddObjectRef(module, "Error", error_type));
  for (ErrorClass& c : classes) {
    const Ref bases = checked(PyTuple_Pack(2, error_type, *c.builtin));
    const std::string name = std::string("weft.") + c.name;
    c.type = PyErr_NewExceptionWithDoc(name.c_str(), c.doc, bases.get(), nullptr);
    checked(c.type == nullptr ? -1 : 0);
    checked(PyModule_AddObjectRef(module, c.name, c.type));
  }
  const Ref bases = checked(PyTuple_Pack(2, class_of(Code::kInvalid), PyExc_AssertionError));
  assertion_type = PyErr_NewExceptionWithDoc("weft.FailedAssertion",
                                             "An assert on traced values that does not hold.",
                                             bases.get(), nullptr);
  checked(assertion_type == nullptr ? -1 : 0);
  checked(PyModule_AddObjectRef(module, "FailedAssertion", assertion_type));
}

void begin_exit() { is_exiting = true; }

void raise_error(const Error& error) {
  if (error.code == Code::kInterrupted) {
    if (is_exiting && !is_main_thread()) {
      PyEval_SaveThread();
      while (true) pause();
    }
    if (!PyErr_Occurred() && !restore_raised()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return;
  }
  if (PyErr_Occurred()) PyErr_Clear();
  PyObject* const type = class_of(error);
  Ref text(to_python(first_line(error)));
  if (!text) {  // bytes that are no text: say it with replacements
    PyErr_Clear();
    const std::string line = first_line(error);
    text = Ref(PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), "replace"));
  }
  Ref instance(text ? PyObject_CallOneArg(type, text.get()) : nullptr);
  if (!instance) return;
  set(instance.get(), "code", Ref(to_python(name_of(error.code))));
  set(instance.get(), "op", Ref(to_python(error.op)));
  set(instance.get(), "law", Ref(to_python(error.law.empty() ? "" : error.op + "." + error.law)));
  set(instance.get(), "message", Ref(to_python(in_python_words(error.message))));
  Ref notes(PyList_New(0));
  for (const std::string& note : error.notes) {
    Ref line(to_python(note));
    if (line && notes) PyList_Append(notes.get(), line.get());
  }
  Ref line = user_line();
  if (line && notes && PySequence_Contains(notes.get(), line.get()) == 0) {
    PyList_Append(notes.get(), line.get());
  }
  PyErr_Clear();
  Ref copy(notes ? PyList_GetSlice(notes.get(), 0, PY_SSIZE_T_MAX) : nullptr);
  set(instance.get(), "__notes__", std::move(copy));  // tracebacks print these (Python 3.11)
  set(instance.get(), "notes", std::move(notes));
  PyErr_SetObject(type, instance.get());
}

void raise_current() {
  try {
    throw;
  } catch (const PendingError&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "an error without a message");
  } catch (nanobind::python_error& error) {  // of a user's function that an op has called
    error.restore();
  } catch (const Error& error) {
    raise_error(error);
  } catch (const std::bad_alloc&) {
    raise_error(Error(Code::kOutOfMemory, "weft", "", "the system has no memory left"));
  } catch (const std::exception& error) {
    raise_error(Error(Code::kInternal, "weft", "", error.what()));
  } catch (...) {
    raise_error(Error(Code::kInternal, "weft", "", "an unknown C++ exception"));
  }
}

void install_interrupt_poll() {
  main_thread = pthread_self();
  set_interrupt_poll(interrupted);
}

std::string_view text_of(PyObject* unicode) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(unicode, &size);
  if (data == nullptr) {
    PyErr_Clear();
    return "?";
  }
  return {data, static_cast<size_t>(size)};
}

std::string_view type_name_of(PyObject* object) { return Py_TYPE(object)->tp_name; }

std::string short_repr(PyObject* object, size_t limit) {
  // Numbers and strings only: the repr of anything else may be long, slow or raise.
  if (PyLong_Check(object) || PyFloat_Check(object) || PyUnicode_Check(object) ||
      PyComplex_Check(object) || object == Py_None) {
    if (PyLong_Check(object) && _PyLong_NumBits(object) > 256) return "a huge int";
    if (Ref shown{PyObject_Repr(object)}) {
      std::string out(text_of(shown.get()));
      if (out.size() > limit) out = out.substr(0, limit) + "...";
      return out;
    }
    PyErr_Clear();
  }
  return std::string(type_name_of(object));
}

}  // namespace weft::python
