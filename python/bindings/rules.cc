// The rules of an op, called directly: inference, gradients, batching.
#include "bindings/rules.h"

#include <algorithm>
#include <memory>

#include "bindings/arguments.h"
#include "bindings/op_function.h"
#include "bindings/tensor_object.h"
#include "weft/base/error.h"
#include "weft/op/apply.h"
#include "weft/op/promote.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

// A bound call of an op, its inputs promoted as the door does it.
struct BoundCall {
  const OpEntry& entry;
  Signature signature;
  BoundInputs inputs;
  BoundAttrs attrs;
  Tensors prepared;

  BoundCall(const OpEntry& entry, nb::tuple args, nb::dict keywords)
      : entry(entry), signature(entry), attrs(signature) {
    std::vector<PyObject*> values;
    for (nb::handle value : args) values.push_back(value.ptr());
    const size_t count = values.size();
    nb::list names;
    for (auto [key, value] : keywords) {
      names.append(key);
      values.push_back(value.ptr());
    }
    bind_arguments(signature, values.data(), count, nb::tuple(names).ptr(), inputs, attrs);
    prepared = prepare_inputs(op(), inputs.span(), Where{});
  }
  const OpDef& op() const {
    if (entry.op == nullptr) {
      fail(Code::kInvalid, entry.name, "composite",
           "is composed of other ops and has no rules of its own");
    }
    return *entry.op;
  }
};

const OpEntry& entry_from(nb::handle function) {
  const OpEntry* const entry = entry_of_function(function.ptr());
  if (entry == nullptr) fail(Code::kType, "rules", "argument", "the first argument must be an op");
  return *entry;
}

Tensors tensors_from(nb::tuple values, size_t at_least = 0) {
  Tensors out;
  for (nb::handle value : values) {
    out.push_back(value.is_none() ? Tensor() : tensor_from(value.ptr(), {"rules", "tensors"}));
  }
  while (out.size() < at_least) out.push_back(Tensor());
  return out;
}

// One flag for each input: given by the caller (what was left out has none), or whether a gradient
// exists for it.
std::unique_ptr<bool[]> flags_from(nb::handle flags, const BoundCall& call) {
  auto out = std::make_unique<bool[]>(call.prepared.size() + 1);
  for (size_t i = 0; i < call.prepared.size(); ++i) {
    const bool differentiable = kind_of(call.prepared[i].dtype()) >= Kind::kFloating &&
                                no_gradient_reason(call.op(), i).empty();
    out[i] = flags.is_none() ? differentiable : i < nb::len(flags) && nb::cast<bool>(flags[i]);
  }
  return out;
}

nb::object vjp(nb::handle op, nb::tuple args, nb::dict keywords, nb::tuple cotangents,
               nb::handle wanted) {
  const BoundCall call(entry_from(op), args, keywords);
  const Tensors out = apply_all(call.op(), call.prepared, call.attrs.get(), Where{});
  const std::unique_ptr<bool[]> flags = flags_from(wanted, call);
  const GradCtx cx{call.prepared, out, {flags.get(), call.prepared.size()}, {}};
  return nb::steal(wrap_all(call_vjp(call.op(), call.attrs.get(), cx, tensors_from(cotangents))));
}

nb::object jvp(nb::handle op, nb::tuple args, nb::dict keywords, nb::tuple tangents) {
  const BoundCall call(entry_from(op), args, keywords);
  const Tensors out = apply_all(call.op(), call.prepared, call.attrs.get(), Where{});
  const std::unique_ptr<bool[]> flags = flags_from(nb::none(), call);
  const GradCtx cx{call.prepared, out, {flags.get(), call.prepared.size()}, {}};
  const Tensors along = tensors_from(tangents, call.prepared.size());
  return nb::steal(wrap_all(call_jvp(call.op(), call.attrs.get(), cx, along)));
}

nb::object batch(nb::handle op, nb::tuple args, nb::dict keywords, nb::tuple batched,
                 int64_t size) {
  const BoundCall call(entry_from(op), args, keywords);
  const std::unique_ptr<bool[]> flags = flags_from(batched, call);
  const BatchCtx cx{call.prepared, {flags.get(), call.prepared.size()}, size, {}};
  return nb::steal(wrap_all(call_batch(call.op(), call.attrs.get(), cx)));
}

nb::object infer(nb::handle op, nb::tuple args, nb::dict keywords) {
  const BoundCall call(entry_from(op), args, keywords);
  Types types;
  for (const Tensor& t : call.prepared) types.push_back(t.type());
  nb::list out;
  for (const Type& type : infer_types(call.op(), types, call.attrs.get())) {
    nb::list shape;
    for (Dim dim : type.shape) shape.append(dim.value());
    out.append(nb::make_tuple(nb::borrow(dtype_object(type.dtype)), nb::tuple(shape)));
  }
  return nb::tuple(out);
}

}  // namespace

void add_rules(nb::module_& m) {
  m.def("call_vjp", vjp, nb::arg("op"), nb::arg("args"), nb::arg("keywords"), nb::arg("cotangents"),
        nb::arg("wanted").none() = nb::none());
  m.def("call_jvp", jvp, nb::arg("op"), nb::arg("args"), nb::arg("keywords"), nb::arg("tangents"));
  m.def("call_batch", batch, nb::arg("op"), nb::arg("args"), nb::arg("keywords"),
        nb::arg("batched"), nb::arg("size"));
  m.def("infer", infer, nb::arg("op"), nb::arg("args"), nb::arg("keywords"));
  m.def("no_gradient_reason", [](nb::handle op, size_t input) {
    const OpEntry& entry = entry_from(op);
    const std::string_view reason =
        entry.op == nullptr ? "it is a composite" : no_gradient_reason(*entry.op, input);
    return nb::str(reason.data(), reason.size());
  });
}

}  // namespace weft::python
