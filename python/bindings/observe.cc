// Looking at what happens: observers, hooks, pictures of the tape, fingerprints.
#include "bindings/observe.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/kept.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "bindings/variable_object.h"
#include "weft/base/error.h"
#include "weft/nn/summary.h"
#include "weft/op/hooks.h"
#include "weft/op/observe.h"
#include "weft/op/variable_state.h"
#include "weft/transform/custom.h"
#include "weft/transform/draw.h"
#include "weft/transform/fingerprint.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

nb::object all(TensorSpan tensors) {
  return nb::steal(wrap_all(Tensors(tensors.begin(), tensors.end())));
}

class PythonObserver final : public Observer {
 public:
  explicit PythonObserver(nb::object function) : function_(kept(std::move(function))) {}
  ~PythonObserver() override = default;

  // For the garbage collector: the function often references the observer.
  PyObject* function() const { return static_cast<PyObject*>(function_.get()); }
  void forget() { function_ = nullptr; }

 private:
  void see(const Observation& seen) override {
    const WithGil gil;
    if (function_ == nullptr) return;
    const std::string name(shown_name(seen.op, seen.attrs));
    const AttrsType& type = *seen.op.attrs;
    const std::string attrs = type.fields.empty() ? "" : print_attrs(type, seen.attrs);
    const nb::object line =
        seen.where.known() ? nb::object(nb::str(to_string(seen.where).c_str())) : nb::none();
    object_in(function_)(name, attrs, all(seen.inputs), all(seen.outputs), line,
                         static_cast<double>(seen.nanoseconds) * 1e-9, seen.bytes);
  }
  Shared<void> function_;
};

int observer_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<PythonObserver>(self)->function());
  return 0;
}
int observer_clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<PythonObserver>(self)->forget();
  return 0;
}
PyType_Slot observer_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(observer_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(observer_clear)},
                                {0, nullptr}};

// What register_hook gives.
struct PythonHookHandle {
  HookHandle handle;
  std::weak_ptr<HookFunction> function;

  void remove() {
    handle.remove();
    if (const auto held = function.lock()) Py_CLEAR(held->function);
  }
};

PythonHookHandle add_hook(nb::handle x, const nb::object& function) {
  if (!PyCallable_Check(function.ptr())) {
    fail(Code::kType, "register_hook", "argument", "the hook must be a function, but got ",
         short_repr(function.ptr()));
  }
  const auto held = std::make_shared<HookFunction>(function.ptr());
  const Hook hook = [held](const Tensor& cotangent) {
    const WithGil gil;
    if (held->function == nullptr) return Tensor();
    const nb::object out = nb::borrow(held->function)(nb::steal(wrap(cotangent)));
    if (out.is_none()) return Tensor();
    return is_tensor(out.ptr())
               ? tensor_of(out.ptr())
               : new_tensor(out.ptr(), cotangent.dtype(), {"register_hook", "result"});
  };
  if (!is_variable(x.ptr())) {
    return {register_hook(tensor_in(x.ptr(), {"register_hook", "x"}), hook), held};
  }
  const HookHandle handle = register_hook(variable_of(x.ptr()), hook);
  show_to_collector(x.ptr(), held);
  return {handle, held};
}

nb::object kept_gradient(nb::handle x) {
  const Tensor& t = tensor_in(x.ptr(), {"grad", "x"});
  if (!retains_grad(t)) {
    throw nb::attribute_error(
        "grad: this tensor is no Variable, and its gradient is not kept; call retain_grad() on it "
        "before backward(), or look at the grad of the Variables");
  }
  Tensor gradient = retained_grad(t);
  return gradient.defined() ? nb::steal(wrap(std::move(gradient))) : nb::none();
}

std::string fingerprint_of(nb::handle leaves) {
  Tensors out;
  for (nb::handle leaf : leaves) {
    out.push_back(is_variable(leaf.ptr())
                      ? weft::stored_value(variable_of(leaf.ptr()))
                      : value_of(tensor_in(leaf.ptr(), {"fingerprint", "x"}), "a fingerprint"));
  }
  const nb::gil_scoped_release release;
  return fingerprint_flat(out);
}

using SummaryRow = std::tuple<std::string, std::string, std::string, int64_t, int64_t, int64_t>;

std::string summary_text(const std::vector<SummaryRow>& rows, int64_t parameters, int64_t frozen) {
  nn::Summary summary;
  for (const auto& [name, type, results, own, operations, bytes] : rows) {
    summary.rows.push_back({name, type, results, own, operations, bytes});
  }
  summary.parameters = parameters;
  summary.frozen = frozen;
  summary.operations = summary.rows.at(0).operations;
  summary.bytes = summary.rows.at(0).bytes;
  return text(summary);
}

Tensors tensors_in(nb::handle all) {
  Tensors out;
  for (const nb::handle one : all) out.push_back(tensor_in(one.ptr(), {"observe", "an argument"}));
  return out;
}

}  // namespace

void add_observe(nb::module_& m) {
  nb::class_<PythonObserver>(m, "_Observer", nb::type_slots(observer_slots))
      .def(nb::init<nb::object>())
      .def("begin", &PythonObserver::begin)
      .def("end", &PythonObserver::end);
  nb::class_<PythonHookHandle>(m, "HookHandle",
                               "What register_hook gives: remove() takes the hook away again.")
      .def("remove", &PythonHookHandle::remove, "The hook is not called any more.");
  m.def("_register_hook", add_hook);
  m.def("_retain_grad", [](nb::handle x) {
    if (!is_variable(x.ptr())) retain_grad(tensor_in(x.ptr(), {"retain_grad", "x"}));
  });
  m.def("_kept_gradient", kept_gradient);
  m.def("_draw_dot", [](nb::handle x, size_t most) {
    return draw_dot(tensor_in(x.ptr(), {"draw", "x"}), most);
  });
  m.def("_draw_svg", [](nb::handle x, size_t most) {
    return draw_svg(tensor_in(x.ptr(), {"draw", "x"}), most);
  });
  m.def("_fingerprint", fingerprint_of);
  m.def("_summary_text", summary_text);
  m.def("_operations", [](const std::string& op, nb::handle inputs, nb::handle outputs) {
    return nn::operations_of(op, tensors_in(inputs), tensors_in(outputs));
  });
}

}  // namespace weft::python
