// What every file of the bindings needs: owned references, and the border that no C++ exception
// crosses.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <string_view>
#include <utility>

namespace weft::python {

// Thrown when a Python exception is pending: the border leaves it as it is.
struct PendingError {};

// An owned reference.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  static Ref borrowed(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  PyObject* get() const { return object_; }
  PyObject* give_up() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// The result of a call into Python, or PendingError.
inline Ref checked(PyObject* owned) {
  if (owned == nullptr) [[unlikely]]
    throw PendingError();
  return Ref(owned);
}
inline void checked(int status) {
  if (status < 0) [[unlikely]]
    throw PendingError();
}

// Turns the C++ exception being handled into a Python one.
void raise_current();

// The border: runs `body`, which gives an owned object; on an exception, null with the error set.
template <class Body>
PyObject* guarded(Body body) {
  try {
    return body();
  } catch (...) {
    raise_current();
    return nullptr;
  }
}
template <class Body>
int guarded_status(Body body) {
  try {
    body();
    return 0;
  } catch (...) {
    raise_current();
    return -1;
  }
}

inline PyObject* to_python(std::string_view text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}
std::string_view text_of(PyObject* unicode);  // valid while the object lives

// "int", "numpy.ndarray": what errors call an object.
std::string_view type_name_of(PyObject* object);

// Not more than `limit` characters of repr(object); never raises.
std::string short_repr(PyObject* object, size_t limit = 60);

// A method of any signature as the C API wants it.
template <class Function>
PyCFunction as_method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

// Lets other Python threads run while it lives, if `release`.
class WithoutGil {
 public:
  explicit WithoutGil(bool release) : state_(release ? PyEval_SaveThread() : nullptr) {}
  ~WithoutGil() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace weft::python
