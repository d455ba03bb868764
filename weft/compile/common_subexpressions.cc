// common_subexpressions: computes once what is written twice.
//
//   %a = exp(%x)            ->   %a = exp(%x)
//   %b = exp(%x)
//   %c = add(%a, %b)             %c = add(%a, %a)
#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "weft/compile/passes.h"
#include "weft/compile/rewrite.h"
#include "weft/state/state.h"

namespace weft::compile {
namespace {

// Equal as numbers is not enough: 0 and -0 are.
bool same_floats(const AttrsType& type, const void* a, const void* b) {
  for (const FieldInfo& field : type.fields) {
    const bool is_float = field.type == FieldType::kFloat;
    if (is_float && std::memcmp(field.in(a), field.in(b), sizeof(double)) != 0) return false;
    if (field.type == FieldType::kOptionalFloat) {
      const auto& x = *static_cast<const std::optional<double>*>(field.in(a));
      const auto& y = *static_cast<const std::optional<double>*>(field.in(b));
      if (x && y && std::memcmp(&*x, &*y, sizeof(double)) != 0) return false;
    }
  }
  return true;
}

bool same_nodes(const ir::Node& a, const ir::Node& b, const Shared<const AnyAttrs>& attrs,
                const ir::ValueIds& inputs) {
  if (a.op != b.op || a.device != b.device || a.inputs.size() != inputs.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (a.inputs[i] != inputs[i]) return false;
  }
  if (a.attrs == attrs) return true;
  const void* const own = attrs == nullptr ? b.attributes() : attrs->data();
  return equal_attrs(*a.op->attrs, a.attributes(), own) &&
         same_floats(*a.op->attrs, a.attributes(), own);
}

// Sizes that only a run knows have a symbol per node that finds them; where one of two nodes is
// left out, its symbols go with it, and those of the other stand for them.
class FoundSizes {
 public:
  // The attributes of a node in the symbols that stay.
  Shared<const AnyAttrs> attrs_of(const ir::Node& node) const {
    if (left_out_.empty() || !has_symbols(*node.op->attrs, node.attributes())) return node.attrs;
    return new_shared<const AnyAttrs>(substituted(*node.op->attrs, node.attributes(), left_out_));
  }
  // Of results that are the same; they differ in what the nodes found.
  void replace(ShapeView old, ShapeView now) {
    for (size_t i = 0; i < old.size(); ++i) {
      const Dim before = substituted(old[i], left_out_), after = substituted(now[i], left_out_);
      if (before != after) left_out_.push_back({before, after});
    }
  }
  std::span<const DimBinding> left_out() const { return left_out_; }

 private:
  std::vector<DimBinding> left_out_;
};

// Of small numbers only: a graph may have many of them, but few large constants.
size_t hash_of_constant(const Tensor& value) {
  constexpr int64_t kMostBytes = 256;
  if (!value.defined() || !value.is_concrete() || !value.is_contiguous()) return 0;
  const int64_t bytes = std::min(kMostBytes, value.numel() * size_of(value.dtype()));
  return std::hash<std::string_view>()(
      {static_cast<const char*>(value.data()), static_cast<size_t>(bytes)});
}

size_t hash_of(const ir::Node& node, const ir::ValueIds& inputs) {
  size_t out = std::hash<const void*>()(node.op);
  for (const ir::ValueId input : inputs) out = out * 31 + input;
  for (const FieldInfo& field : node.op->attrs->fields) {
    if (field.type != FieldType::kTensor) continue;
    out = out * 31 + hash_of_constant(*static_cast<const Tensor*>(field.in(node.attributes())));
  }
  return out;
}

}  // namespace

FunctionPtr common_subexpressions(const ir::Function& function) {
  const ir::Graph& graph = function.graph;
  Rewrite out(function);
  FoundSizes sizes;
  std::unordered_multimap<size_t, ir::NodeId> known;  // nodes of the new graph
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
    const ir::Node& node = graph.node(id);
    // A node that waits for others is where it is for a reason.
    if (!is_pure(node) || !node.after.empty() || node.outputs.empty()) {
      out.copy(id);
      continue;
    }
    const ir::ValueIds inputs = out.inputs_of(node);
    const Shared<const AnyAttrs> attrs = sizes.attrs_of(node);
    const size_t hash = hash_of(node, inputs);
    const auto [first, last] = known.equal_range(hash);
    auto found = first;
    while (found != last && !same_nodes(out.graph().node(found->second), node, attrs, inputs)) {
      ++found;
    }
    if (found != last) {
      const ir::ValueIds& now = out.graph().node(found->second).outputs;
      for (size_t k = 0; k < now.size(); ++k) {
        sizes.replace(graph.value(node.outputs[k]).type.shape,
                      out.graph().value(now[k]).type.shape);
      }
      out.replace(id, now);
      continue;
    }
    out.copy(id);
    known.emplace(hash, static_cast<ir::NodeId>(out.graph().nodes().size() - 1));
  }
  if (!sizes.left_out().empty()) out.substitute(sizes.left_out());
  return out.finish();
}

}  // namespace weft::compile
