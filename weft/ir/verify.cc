// Checks of a function, node by node.
#include "weft/ir/verify.h"

#include <algorithm>

#include "weft/base/error.h"
#include "weft/op/registry.h"

namespace weft::ir {
namespace {

[[noreturn]] void fail_node(const Function& function, std::string_view node,
                            const std::string& what) {
  fail(Code::kInvalid, "graph", "verify", "in function @", function.name, ", %", node, ": ", what);
}

// Could a value be of both types? Sizes with symbols may turn out equal.
bool may_be(const Type& a, const Type& b) {
  if (a.dtype != b.dtype || a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.shape.size(); ++i) {
    // A size that values decide has another name in every node.
    if (!a.shape[i].is_known() || !b.shape[i].is_known()) {
      if (decide_same(a.shape[i], b.shape[i]) == Tri::kNo) return false;
    } else if (!(a.shape[i] == b.shape[i])) {
      return false;
    }
  }
  return true;
}

class Verifier {
 public:
  explicit Verifier(const Function& function) : function_(function), graph_(function.graph) {}

  void run() {
    for (const ValueId id : graph_.parameters()) note_symbols(graph_.value(id).type);
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) check_node(id);
    for (const ValueId id : function_.results) {
      if (id >= graph_.values().size()) fail_node(function_, "return", "there is no such value");
    }
  }

 private:
  void note_symbols(const Type& type) {
    for (const Dim dim : type.shape) {
      if (!dim.is_known()) known_.push_back(dim);
    }
  }

  void require_symbols(const Node& node, const Shape& shape) const {
    std::vector<Dim> symbols;
    for (const Dim dim : shape) append_symbols(symbols, dim);
    for (const Dim symbol : symbols) {
      if (std::find(known_.begin(), known_.end(), symbol) != known_.end()) continue;
      fail_node(function_, node.name, text("no parameter gives the size ", symbol, " a value"));
    }
  }

  void check_node(NodeId id) {
    const Node& node = graph_.node(id);
    const OpEntry& entry = entry_of(*node.op);
    Types in;
    for (const ValueId input : node.inputs) {
      if (input == kNone) fail_node(function_, node.name, "an input is left out");
      if (input >= graph_.values().size()) {
        fail_node(function_, node.name, "there is no such input");
      }
      const Value& value = graph_.value(input);
      if (value.maker != kNone && value.maker >= id) {
        fail_node(function_, node.name, "reads a value that comes later");
      }
      in.push_back(value.type);
    }
    const auto count = static_cast<int>(in.size());
    if (count < entry.min_inputs || count > entry.max_inputs) {
      fail_node(function_, node.name, text(node.op->name, " does not take ", count, " inputs"));
    }
    for (size_t i = 0; i < in.size(); ++i) {
      const ArgSpec& spec = entry.inputs[std::min(i, entry.inputs.size() - 1)];
      if (spec.dtypes != 0 && !contains(spec.dtypes, in[i].dtype)) {
        fail_node(
            function_, node.name,
            text("input ", spec.name, " is ", in[i], ", which ", node.op->name, " does not take"));
      }
    }
    if (node.op->name == "placeholder") {  // it is where its sizes come from
      for (const ValueId output : node.outputs) note_symbols(graph_.value(output).type);
    }
    check_attrs(node);
    check_types(node, node.op->infer(node.attributes(), InferCtx{node.op->name}, in));
    for (const ValueId output : node.outputs) note_symbols(graph_.value(output).type);
    for (const NodeId earlier : node.after) {
      if (earlier >= id) fail_node(function_, node.name, "runs after a node that comes later");
    }
  }

  void check_attrs(const Node& node) const {
    for (const FieldInfo& field : node.op->attrs->fields) {
      if (field.type != FieldType::kShape) continue;
      require_symbols(node, *static_cast<const Shape*>(field.in(node.attributes())));
    }
  }

  void check_types(const Node& node, const Types& inferred) const {
    if (inferred.size() != node.outputs.size()) {
      fail_node(
          function_, node.name,
          text("gives ", inferred.size(), " values, but the graph says ", node.outputs.size()));
    }
    for (size_t k = 0; k < inferred.size(); ++k) {
      const Type& said = graph_.value(node.outputs[k]).type;
      if (!may_be(inferred[k], said)) {
        fail_node(function_, node.name, text("gives ", inferred[k], ", but the graph says ", said));
      }
    }
  }

  const Function& function_;
  const Graph& graph_;
  std::vector<Dim> known_;
};

}  // namespace

void verify(const Function& function) {
  HintOracle oracle(function);
  const DimOracleIs decides(&oracle);
  Verifier(function).run();
}

}  // namespace weft::ir
