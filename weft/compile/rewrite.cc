// Building functions from functions.
#include "weft/compile/rewrite.h"

#include <algorithm>

namespace weft::compile {

std::vector<uint32_t> uses_of(const ir::Function& function) {
  std::vector<uint32_t> out(function.graph.values().size(), 0);
  for (const ir::Node& node : function.graph.nodes()) {
    for (const ir::ValueId input : node.inputs) {
      if (input != ir::kNone) ++out[input];
    }
  }
  for (const ir::ValueId id : function.results) ++out[id];
  return out;
}

Rewrite::Rewrite(const ir::Function& from)
    : from_(from),
      to_(new_shared<ir::Function>()),
      values_(from.graph.values().size(), ir::kNone),
      stand_ins_(from.graph.nodes().size()) {
  to_->name = from.name;
  to_->assumptions = from.assumptions;
  to_->hints = from.hints;
  to_->new_values = from.new_values;
  for (uint32_t i = 0; i < from.parameter_count(); ++i) {
    values_[from.graph.parameters()[i]] = to_->graph.add_parameter(
        from.parameter_type(i), from.graph.parameter_name(i), from.graph.parameter_line(i));
  }
}

ir::ValueIds Rewrite::inputs_of(const ir::Node& node) const {
  ir::ValueIds out;
  for (const ir::ValueId input : node.inputs) out.push_back(at(input));
  return out;
}

const ir::Node* Rewrite::maker_of(ir::ValueId now) const {
  const ir::NodeId maker = to_->graph.value(now).maker;
  return maker == ir::kNone ? nullptr : &to_->graph.node(maker);
}

ir::NodeIds Rewrite::mapped(const ir::NodeIds& old) const {
  ir::NodeIds out;
  for (const ir::NodeId id : old) {
    for (const ir::NodeId now : stand_ins_[id]) {
      if (std::find(out.begin(), out.end(), now) == out.end()) out.push_back(now);
    }
  }
  return out;
}

void Rewrite::copy(ir::NodeId id) {
  const ir::Node& node = from_.graph.node(id);
  put(id, *node.op, inputs_of(node), node.attrs);
}

void Rewrite::put(ir::NodeId id, const OpDef& op, const ir::ValueIds& inputs,
                  Shared<const AnyAttrs> attrs) {
  const ir::Node& node = from_.graph.node(id);
  Types types;
  for (const ir::ValueId output : node.outputs) types.push_back(from_.graph.value(output).type);
  const ir::NodeId now = to_->graph.add(op, inputs, std::move(attrs), types,
                                        {.name = node.name,
                                         .after = mapped(node.after),
                                         .follows = mapped(node.follows),
                                         .where = node.where,
                                         .device = node.device});
  const ir::Node& made = to_->graph.node(now);
  for (size_t k = 0; k < node.outputs.size(); ++k) values_[node.outputs[k]] = made.outputs[k];
  stand_ins_[id] = {now};
}

ir::ValueId Rewrite::add(ir::NodeId like, const OpDef& op, const ir::ValueIds& inputs,
                         Shared<const AnyAttrs> attrs, const Type& type) {
  const ir::Node& node = from_.graph.node(like);
  const ir::NodeId now = to_->graph.add(
      op, inputs, std::move(attrs), {type},
      {.name = node.name, .after = mapped(node.after), .where = node.where, .device = node.device});
  return to_->graph.node(now).outputs[0];
}

ir::NodeId Rewrite::add(const OpDef& op, const ir::ValueIds& inputs, Shared<const AnyAttrs> attrs,
                        const Types& types, const ir::NodeOptions& options) {
  return to_->graph.add(op, inputs, std::move(attrs), types, options);
}

void Rewrite::replace(ir::NodeId id, const ir::ValueIds& now) {
  const ir::Node& node = from_.graph.node(id);
  for (size_t k = 0; k < node.outputs.size(); ++k) values_[node.outputs[k]] = now[k];
  leave_out(id);
  for (const ir::ValueId value : now) {
    const ir::NodeId maker = to_->graph.value(value).maker;
    if (maker != ir::kNone) stand_ins_[id].push_back(maker);
  }
}

void Rewrite::leave_out(ir::NodeId id) { stand_ins_[id] = mapped(from_.graph.node(id).after); }

void Rewrite::substitute(std::span<const DimBinding> sizes) {
  to_->graph.substitute(sizes);
  for (ir::Assumption& assumption : to_->assumptions) {
    assumption.a = substituted(assumption.a, sizes);
    assumption.b = substituted(assumption.b, sizes);
  }
}

Shared<const ir::Function> Rewrite::finish() {
  for (const ir::ValueId id : from_.results) to_->results.push_back(at(id));
  return to_;
}

}  // namespace weft::compile
