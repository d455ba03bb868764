// Building graphs: nodes, values and their names.
#include "weft/ir/graph.h"

#include <algorithm>
#include <charconv>

#include "weft/base/error.h"

namespace weft::ir {

ValueId Graph::add_parameter(const Type& type, std::string_view wish, Where where) {
  const auto id = static_cast<ValueId>(values_.size());
  const auto index = static_cast<uint32_t>(parameters_.size());
  std::string name = unique_name(wish.empty() ? "x" : wish);
  names_.emplace(name, index | kIsParameter);
  values_.push_back({type, kNone, index});
  parameters_.push_back(id);
  parameter_names_.push_back(std::move(name));
  parameter_lines_.push_back(where);
  return id;
}

NodeId Graph::add(const OpDef& op, ValueIds inputs, Shared<const AnyAttrs> attrs, const Types& out,
                  const NodeOptions& options) {
  for (const ValueId input : inputs) {
    WEFT_ASSERT(input == kNone || input < values_.size(), op.name, input, values_.size());
  }
  const auto id = static_cast<NodeId>(nodes_.size());
  Node node{.op = &op,
            .attrs = std::move(attrs),
            .name = unique_name(options.name.empty() ? op.name : options.name),
            .inputs = std::move(inputs),
            .outputs = {},
            .after = options.after,
            .follows = options.follows,
            .where = options.where,
            .device = std::string(options.device)};
  for (uint32_t k = 0; k < out.size(); ++k) {
    node.outputs.push_back(static_cast<ValueId>(values_.size()));
    values_.push_back({out[k], id, k});
  }
  names_.emplace(node.name, id);
  nodes_.push_back(std::move(node));
  return id;
}

void Graph::extend_node(NodeId id, Shared<const AnyAttrs> attrs, TypeSpan more) {
  Node& node = nodes_[id];
  node.attrs = std::move(attrs);
  for (const Type& type : more) {
    const auto index = static_cast<uint32_t>(node.outputs.size());
    node.outputs.push_back(static_cast<ValueId>(values_.size()));
    values_.push_back({type, id, index});
  }
}

void Graph::substitute(std::span<const DimBinding> bindings) {
  for (Value& value : values_) {
    for (Dim& dim : value.type.shape) dim = substituted(dim, bindings);
  }
  for (Node& node : nodes_) {
    if (!has_symbols(*node.op->attrs, node.attributes())) continue;
    node.attrs =
        new_shared<const AnyAttrs>(substituted(*node.op->attrs, node.attributes(), bindings));
  }
}

Graph Graph::with_last_parameters(std::span<const ValueId> order) const {
  Graph out = *this;
  const size_t first = parameters_.size() - order.size();
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t from = values_[order[i]].index;
    const auto to = static_cast<uint32_t>(first + i);
    out.parameters_[to] = order[i];
    out.values_[order[i]].index = to;
    out.parameter_names_[to] = parameter_names_[from];
    out.parameter_lines_[to] = parameter_lines_[from];
    out.names_[parameter_names_[from]] = to | kIsParameter;
  }
  return out;
}

Graph Graph::without(const std::vector<bool>& left_out) const {
  Graph out = *this;
  out.nodes_.clear();
  // Old nodes to those that stand for them: per list, as it is one of the two that leads on.
  std::vector<NodeIds> after(nodes_.size()), follows(nodes_.size());
  const auto mapped = [](const NodeIds& old, const std::vector<NodeIds>& stand_ins) {
    NodeIds now;
    for (const NodeId id : old) {
      for (const NodeId one : stand_ins[id]) {
        if (std::find(now.begin(), now.end(), one) == now.end()) now.push_back(one);
      }
    }
    return now;
  };
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    Node node = nodes_[id];
    node.after = mapped(node.after, after);
    node.follows = mapped(node.follows, follows);
    if (left_out[id]) {
      WEFT_ASSERT(node.outputs.empty(), "a node that is left out gives values");
      after[id] = node.after;
      follows[id] = node.follows;
      out.names_.erase(node.name);
      continue;
    }
    const auto now = static_cast<NodeId>(out.nodes_.size());
    after[id] = follows[id] = {now};
    out.names_[node.name] = now;
    for (const ValueId output : node.outputs) out.values_[output].maker = now;
    out.nodes_.push_back(std::move(node));
  }
  return out;
}

std::string Graph::name_of(ValueId id) const {
  const Value& value = values_[id];
  if (value.maker == kNone) return parameter_names_[value.index];
  const Node& maker = nodes_[value.maker];
  return maker.outputs.size() == 1 ? maker.name : text(maker.name, ':', value.index);
}

NodeId Graph::find_node(std::string_view name) const {
  const auto found = names_.find(std::string(name));
  return found == names_.end() || (found->second & kIsParameter) != 0 ? kNone : found->second;
}

ValueId Graph::find_value(std::string_view name) const {
  auto found = names_.find(std::string(name));
  uint32_t output = 0;
  if (found == names_.end()) {
    const size_t colon = name.rfind(':');
    if (colon == std::string_view::npos) return kNone;
    const std::string_view digits = name.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), output);
    if (error != std::errc() || end != digits.data() + digits.size()) return kNone;
    found = names_.find(std::string(name.substr(0, colon)));
    if (found == names_.end()) return kNone;
  }
  if ((found->second & kIsParameter) != 0) {
    return output == 0 ? parameters_[found->second & ~kIsParameter] : kNone;
  }
  const Node& maker = nodes_[found->second];
  return output < maker.outputs.size() ? maker.outputs[output] : kNone;
}

std::string Graph::unique_name(std::string_view wish) const {
  std::string name(wish);
  if (!names_.contains(name)) return name;
  // Up to this one all are taken. Asking takes none: a constant's name, Add_1/y, is asked for
  // before that of its op.
  uint32_t& number = numbers_[name];
  for (;; ++number) {
    name = text(wish, '_', number + 1);
    if (!names_.contains(name)) return name;
  }
}

}  // namespace weft::ir
