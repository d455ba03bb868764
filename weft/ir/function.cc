// Calling functions: their symbols get values from the arguments, their ops are applied in order.
#include "weft/ir/function.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/ir/print.h"
#include "weft/op/apply.h"

namespace weft {

Types types_of(TensorSpan tensors) {
  Types out;
  for (const Tensor& t : tensors) out.push_back(t.type());
  return out;
}

std::string_view name_of(const ir::Function& function) { return function.name; }

bool are_equal(const ir::Function& a, const ir::Function& b) {
  return &a == &b || ir::to_text(a) == ir::to_text(b);
}

}  // namespace weft

namespace weft::ir {
namespace {

bool is_symbol(Dim dim) {
  if (dim.is_known()) return false;
  std::vector<Dim> symbols;
  append_symbols(symbols, dim);
  return symbols.size() == 1 && symbols[0] == dim;
}

const DimBinding* find_binding(std::span<const DimBinding> bindings, Dim symbol) {
  for (const DimBinding& binding : bindings) {
    if (binding.symbol == symbol) return &binding;
  }
  return nullptr;
}

[[noreturn]] void fail_shape(const Function& function, size_t i, const Type& given) {
  fail(Code::kInvalid, function.name, "shape", "argument ", function.graph.parameter_name(i),
       " is ", given, ", but the function was traced for ", function.parameter_type(i));
}

// Everything an inlined function needs of its place: argument values and sizes.
class Inlining {
 public:
  Inlining(const Function& function, TensorSpan arguments) : function_(function) {
    bindings_ = bind_symbols(function, types_of(arguments));
    values_.resize(function.graph.values().size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      values_[function.graph.parameters()[i]] = arguments[i];
    }
  }

  void apply_node(const Node& node, Where where) {
    Tensors in;
    for (const ValueId id : node.inputs) in.push_back(id == kNone ? Tensor() : values_[id]);
    const Where line = node.where.known() ? node.where : where;
    const bool is_symbolic = has_symbols(*node.op->attrs, node.attributes());
    Tensors out;
    if (is_symbolic) {
      const AnyAttrs attrs = substituted(*node.op->attrs, node.attributes(), bindings_);
      out = apply_prepared(*node.op, in, attrs.data(), line);
    } else {
      out = apply_prepared(*node.op, in, node.attributes(), line);
    }
    bind_found(function_.graph, node, out, bindings_);
    for (size_t k = 0; k < out.size(); ++k) values_[node.outputs[k]] = std::move(out[k]);
  }

  Tensors results() const {
    Tensors out;
    for (const ValueId id : function_.results) out.push_back(values_[id]);
    return out;
  }

 private:
  const Function& function_;
  std::vector<DimBinding> bindings_;
  std::vector<Tensor> values_;
};

}  // namespace

void bind_found(const Graph& graph, const Node& node, TensorSpan out,
                std::vector<DimBinding>& bindings) {
  for (size_t k = 0; k < out.size(); ++k) {
    const Shape& shape = graph.value(node.outputs[k]).type.shape;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (is_symbol(shape[i]) && find_binding(bindings, shape[i]) == nullptr) {
        bindings.push_back({shape[i], out[k].shape()[i]});
      }
    }
  }
}

bool Assumption::holds(std::span<const DimBinding> bindings) const {
  const Dim x = substituted(a, bindings), y = substituted(b, bindings);
  switch (relation) {
    case Relation::kEqual: return decide_same(x, y) == Tri::kYes;
    case Relation::kNotEqual: return decide_same(x, y) == Tri::kNo;
    case Relation::kLess: return decide_less(x, y) == Tri::kYes;
    case Relation::kNotLess: return decide_less(x, y) == Tri::kNo;
  }
  __builtin_unreachable();
}

std::string to_string(const Assumption& assumption) {
  static constexpr std::string_view kSigns[] = {" == ", " != ", " < ", " >= "};
  return text(assumption.a, kSigns[static_cast<size_t>(assumption.relation)], assumption.b);
}

std::vector<DimBinding> bind_symbols(const Function& function, TypeSpan arguments) {
  if (arguments.size() != function.parameter_count()) {
    fail(Code::kInvalid, function.name, "arguments", "takes ", function.parameter_count(),
         " arguments, but got ", arguments.size());
  }
  std::vector<DimBinding> out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type& wanted = function.parameter_type(i);
    if (arguments[i].dtype != wanted.dtype || arguments[i].rank() != wanted.rank()) {
      fail_shape(function, i, arguments[i]);
    }
    for (size_t axis = 0; axis < wanted.shape.size(); ++axis) {
      const Dim dim = wanted.shape[axis], given = arguments[i].shape[axis];
      if (dim.is_known() || find_binding(out, dim) != nullptr) continue;
      if (is_symbol(dim)) out.push_back({dim, given});
    }
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type& wanted = function.parameter_type(i);
    for (size_t axis = 0; axis < wanted.shape.size(); ++axis) {
      const Dim dim = substituted(wanted.shape[axis], out);
      if (same(dim, arguments[i].shape[axis]) == Tri::kNo) fail_shape(function, i, arguments[i]);
    }
  }
  return out;
}

Tensors inlined(const Function& function, TensorSpan arguments, Where where) {
  Inlining inlining(function, arguments);
  for (const Node& node : function.graph.nodes()) inlining.apply_node(node, where);
  return inlining.results();
}

Types result_types(const Function& function, TypeSpan arguments) {
  const std::vector<DimBinding> bindings = bind_symbols(function, arguments);
  Types out;
  for (size_t k = 0; k < function.results.size(); ++k) {
    Type type = function.result_type(k);
    for (Dim& dim : type.shape) dim = substituted(dim, bindings);
    out.push_back(type);
  }
  return out;
}

}  // namespace weft::ir
