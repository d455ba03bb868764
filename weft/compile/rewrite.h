// Rewrite: a function built anew from another one, node by node. What passes are written with.
#pragma once

#include "weft/ir/function.h"

namespace weft::compile {

// How often each value is read.
std::vector<uint32_t> uses_of(const ir::Function& function);

class Rewrite {
 public:
  // Begins with the parameters.
  explicit Rewrite(const ir::Function& from);

  const ir::Function& from() const { return from_; }
  const ir::Graph& graph() const { return to_->graph; }

  // What stands for a value of the old function.
  ir::ValueId at(ir::ValueId old) const { return old == ir::kNone ? ir::kNone : values_[old]; }
  ir::ValueIds inputs_of(const ir::Node& node) const;
  // The node that makes a value of the new function; null: it is a parameter.
  const ir::Node* maker_of(ir::ValueId now) const;

  // The node as it is, on what stands for its inputs.
  void copy(ir::NodeId id);
  // Another op in the place of a node, whose name, line and edges it keeps; it gives the same.
  void put(ir::NodeId id, const OpDef& op, const ir::ValueIds& inputs,
           Shared<const AnyAttrs> attrs);
  // A further node, named after an old one.
  ir::ValueId add(ir::NodeId like, const OpDef& op, const ir::ValueIds& inputs,
                  Shared<const AnyAttrs> attrs, const Type& type);
  // A node of another function, in the place of a call.
  ir::NodeId add(const OpDef& op, const ir::ValueIds& inputs, Shared<const AnyAttrs> attrs,
                 const Types& types, const ir::NodeOptions& options);
  // The node is left out; `now` stands for its outputs. Who waited for it waits for what it waited
  // for.
  void replace(ir::NodeId id, const ir::ValueIds& now);
  void leave_out(ir::NodeId id);

  // Other sizes in the places of symbols, in all that was built so far.
  void substitute(std::span<const DimBinding> sizes);

  Shared<const ir::Function> finish();

 private:
  ir::NodeIds mapped(const ir::NodeIds& old) const;

  const ir::Function& from_;
  Shared<ir::Function> to_;
  std::vector<ir::ValueId> values_;     // old to new
  std::vector<ir::NodeIds> stand_ins_;  // old nodes to new ones
};

}  // namespace weft::compile
