// Graph: ops and the values between them, in an order in which they can run.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/op/op.h"

namespace weft::ir {

using NodeId = uint32_t;
using ValueId = uint32_t;
inline constexpr uint32_t kNone = UINT32_MAX;

// An edge: what an op gives, or what a function is given.
struct Value {
  Type type;
  NodeId maker = kNone;  // kNone: a parameter
  uint32_t index = 0;    // which output of its maker, or which parameter
};

using ValueIds = InlineVector<ValueId, 4>;
using NodeIds = InlineVector<NodeId, 2>;

// One op, applied.
struct Node {
  const OpDef* op = nullptr;
  Shared<const AnyAttrs> attrs;
  std::string name;  // of its own in the graph: "layer1/MatMul"
  ValueIds inputs;   // kNone: left out
  ValueIds outputs;
  NodeIds after;       // needs these to have run, whether or not it reads what they give
  NodeIds follows;     // the effect on the same resource before its own: if both run, in this order
  Where where;         // the user's line
  std::string device;  // what was asked for; kept and printed

  const void* attributes() const { return attrs->data(); }
};

// What is known of a node beside its op.
struct NodeOptions {
  std::string_view name = "";  // a wish; without one the op's
  NodeIds after = {};
  NodeIds follows = {};
  Where where = {};
  std::string_view device = "";
};

class Graph {
 public:
  ValueId add_parameter(const Type& type, std::string_view name, Where where = {});
  // Appends an op; its inputs must be there already. `out` are the types it gives.
  NodeId add(const OpDef& op, ValueIds inputs, Shared<const AnyAttrs> attrs, const Types& out,
             const NodeOptions& options);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<ValueId>& parameters() const { return parameters_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const Value& value(ValueId id) const { return values_[id]; }
  // Gives a node other attributes, by which it has further outputs behind its own.
  void extend_node(NodeId id, Shared<const AnyAttrs> attrs, TypeSpan more);

  // Other sizes for symbols, in the types of values and in attributes.
  void substitute(std::span<const DimBinding> bindings);

  // The same graph whose last parameters come in this order.
  Graph with_last_parameters(std::span<const ValueId> order) const;
  // The same graph without those nodes, which give no values: all values keep their numbers. Who
  // waited for one of them waits for what it waited for.
  Graph without(const std::vector<bool>& left_out) const;

  // "x", or "split:1" of an op with several outputs.
  std::string name_of(ValueId id) const;
  std::string_view parameter_name(uint32_t index) const { return parameter_names_[index]; }
  Where parameter_line(uint32_t index) const { return parameter_lines_[index]; }
  // The node of that name, or kNone; and the value of a name, "loss" or "loss:0".
  NodeId find_node(std::string_view name) const;
  ValueId find_value(std::string_view name) const;
  bool has_name(std::string_view name) const { return names_.contains(std::string(name)); }
  // A name that nothing in the graph has: the wish, or the wish with a number.
  std::string unique_name(std::string_view wish) const;

 private:
  static constexpr uint32_t kIsParameter = 1u << 31;

  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::vector<ValueId> parameters_;
  std::vector<std::string> parameter_names_;
  std::vector<Where> parameter_lines_;
  std::unordered_map<std::string, uint32_t> names_;  // to a node, or a parameter with that bit
  mutable std::unordered_map<std::string, uint32_t> numbers_;  // the last one taken of a wish
};

// Attributes by value.
inline Shared<const AnyAttrs> keep(const AttrsType& type, const void* attrs) {
  return new_shared<const AnyAttrs>(&type, attrs);
}

}  // namespace weft::ir
