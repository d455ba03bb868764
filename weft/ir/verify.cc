// Checks of a function, node by node.
#include "weft/ir/verify.h"

#include <algorithm>
#include <unordered_set>

#include "weft/base/error.h"
#include "weft/op/decide_shapes.h"
#include "weft/op/registry.h"

namespace weft::ir {
namespace {

// Answers about sizes as the trace did: by its hints, or, of a text, by what it took for granted;
// that of the functions around holds, too. What nobody wrote down stays open.
class Assumed : public DimOracle {
 public:
  void enter(const Function& function) {
    hints_.insert(hints_.end(), function.hints.begin(), function.hints.end());
    all_.insert(all_.end(), function.assumptions.begin(), function.assumptions.end());
  }

  int64_t value_of(Dim dim) override {
    if (const std::optional<int64_t> value = hint(dim)) return *value;
    fail(Code::kInvalid, "shape", "symbolic", "the size ", dim,
         " is known only when the graph runs, and no assumption says what it is");
  }
  std::optional<int64_t> hint(Dim dim) override {
    const Dim hinted = substituted(dim, hints_);
    if (hinted.is_known()) return hinted.value();
    for (const Assumption& one : all_) {
      if (one.relation == Assumption::Relation::kEqual && one.a == dim && one.b.is_known()) {
        return one.b.value();
      }
    }
    return {};
  }
  Tri is_same(Dim a, Dim b) override {
    const Tri hinted = same(substituted(a, hints_), substituted(b, hints_));
    if (hinted != Tri::kUnknown) return hinted;
    for (const Assumption& one : all_) {
      const bool is_it = (one.a == a && one.b == b) || (one.a == b && one.b == a);
      if (is_it && one.relation == Assumption::Relation::kEqual) return Tri::kYes;
      if (is_it && one.relation == Assumption::Relation::kNotEqual) return Tri::kNo;
    }
    return Tri::kUnknown;
  }
  Tri is_less(Dim a, Dim b) override {
    const Dim difference = substituted(a, hints_) - substituted(b, hints_);
    if (difference.is_known()) return difference.value() < 0 ? Tri::kYes : Tri::kNo;
    for (const Assumption& one : all_) {
      if (!(one.a == a) || !(one.b == b)) continue;
      if (one.relation == Assumption::Relation::kLess) return Tri::kYes;
      if (one.relation == Assumption::Relation::kNotLess) return Tri::kNo;
    }
    return Tri::kUnknown;
  }

 private:
  std::vector<DimBinding> hints_;
  std::vector<Assumption> all_;
};

// Could a value be of both types? Sizes with symbols may turn out equal.
bool may_be(const Type& a, const Type& b) {
  return a.dtype == b.dtype && decide_same(a.shape, b.shape) != Tri::kNo;
}

class Verifier {
 public:
  explicit Verifier(const Function& function) : function_(function), graph_(function.graph) {}

  void run() {
    for (const ValueId id : graph_.parameters()) note_symbols(graph_.value(id).type);
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      try {
        check_node(id);
      } catch (Error& error) {
        if (error.op == "graph") throw;
        throw error.note(text("at %", graph_.node(id).name, " in function @", function_.name));
      }
    }
    for (const ValueId id : function_.results) {
      if (id >= graph_.values().size()) fail_node("return", "there is no such value");
    }
  }

 private:
  template <class... Pieces>
  [[noreturn]] void fail_node(std::string_view node, const Pieces&... pieces) const {
    fail(Code::kInvalid, "graph", "verify", "in function @", function_.name, ", %", node, ": ",
         pieces...);
  }

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
      fail_node(node.name, "no parameter gives the size ", symbol, " a value");
    }
  }

  void check_node(NodeId id) {
    const Node& node = graph_.node(id);
    const Types in = checked_inputs(id, node, entry_of(*node.op));
    if (node.op->name == "placeholder") {  // it is where its sizes come from
      for (const ValueId output : node.outputs) note_symbols(graph_.value(output).type);
    }
    for (const FieldInfo& field : node.op->attrs->fields) check_attribute(node, field);
    check_outputs(id, node, node.op->infer(node.attributes(), InferCtx{node.op->name}, in));
    for (const ValueId output : node.outputs) note_symbols(graph_.value(output).type);
    for (const NodeIds* const earlier : {&node.after, &node.follows}) {
      for (const NodeId other : *earlier) {
        if (other >= id) fail_node(node.name, "runs after a node that comes later");
      }
    }
  }

  void check_attribute(const Node& node, const FieldInfo& field) const {
    const void* const at = field.in(node.attributes());
    if (field.type == FieldType::kShape) require_symbols(node, *static_cast<const Shape*>(at));
    const FunctionsAttr one = field.type == FieldType::kFunction
                                  ? FunctionsAttr{*static_cast<const FunctionAttr*>(at)}
                                  : FunctionsAttr();
    const FunctionsAttr& all =
        field.type == FieldType::kFunctions ? *static_cast<const FunctionsAttr*>(at) : one;
    for (const FunctionAttr& function : all) {
      if (function == nullptr) fail_node(node.name, "there is no function for ", field.name);
    }
  }

  Types checked_inputs(NodeId id, const Node& node, const OpEntry& entry) const {
    const auto count = static_cast<int>(node.inputs.size());
    if (count < entry.min_inputs || count > entry.max_inputs) {
      fail_node(node.name, node.op->name, " does not take ", count, " inputs");
    }
    Types in;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      const ArgSpec& spec = entry.inputs[std::min(i, entry.inputs.size() - 1)];
      if (input == kNone) {
        if (!spec.optional) fail_node(node.name, "the input ", spec.name, " is left out");
        in.push_back(Type());
        continue;
      }
      if (input >= graph_.values().size()) fail_node(node.name, "there is no such input");
      const Value& value = graph_.value(input);
      if (value.maker != kNone && value.maker >= id) {
        fail_node(node.name, "reads a value that comes later");
      }
      if (spec.dtypes != 0 && !contains(spec.dtypes, value.type.dtype)) {
        fail_node(node.name, "input ", spec.name, " is ", value.type, ", which ", node.op->name,
                  " does not take");
      }
      in.push_back(value.type);
    }
    check_groups(node, entry, in);
    return in;
  }

  // The door has promoted what goes together: rules and kernels rely on it.
  void check_groups(const Node& node, const OpEntry& entry, const Types& in) const {
    if (node.op->effect != Effect::kNone) return;            // what is printed is printed as it is
    for (const FieldInfo& field : node.op->attrs->fields) {  // what goes into functions does not
      if (field.type == FieldType::kFunction || field.type == FieldType::kFunctions) return;
    }
    const auto group_of = [&](size_t i) {
      return entry.inputs[std::min(i, entry.inputs.size() - 1)].group;
    };
    for (size_t i = 0; i < in.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const bool both = node.inputs[i] != kNone && node.inputs[j] != kNone;
        if (both && group_of(i) >= 0 && group_of(i) == group_of(j) && in[i].dtype != in[j].dtype) {
          fail_node(node.name, "inputs of ", in[j].dtype, " and ", in[i].dtype,
                    " are not of one dtype");
        }
      }
    }
  }

  void check_outputs(NodeId id, const Node& node, const Types& inferred) const {
    if (inferred.size() != node.outputs.size()) {
      fail_node(node.name, "gives ", inferred.size(), " values, but the graph says ",
                node.outputs.size());
    }
    for (size_t k = 0; k < inferred.size(); ++k) {
      const Value& said = graph_.value(node.outputs[k]);
      if (said.maker != id || said.index != k) {
        fail_node(node.name, "output ", k, " is not its own");
      }
      if (!may_be(inferred[k], said.type)) {
        fail_node(node.name, "gives ", inferred[k], ", but the graph says ", said.type);
      }
    }
  }

  const Function& function_;
  const Graph& graph_;
  std::vector<Dim> known_;
};

class Verification {
 public:
  // With what is taken for granted around it.
  void verify(const Function& function, Assumed around) {
    if (!seen_.insert(&function).second) return;
    around.enter(function);
    const DimOracleIs oracle(&around);
    Verifier(function).run();
    for (const Node& node : function.graph.nodes()) {
      for (const FieldInfo& field : node.op->attrs->fields) {
        const void* const at = field.in(node.attributes());
        if (field.type == FieldType::kFunction)
          called(*static_cast<const FunctionAttr*>(at), around);
        if (field.type != FieldType::kFunctions) continue;
        for (const FunctionAttr& one : *static_cast<const FunctionsAttr*>(at)) called(one, around);
      }
    }
  }

 private:
  void called(const FunctionAttr& function, const Assumed& around) {
    if (function != nullptr) verify(*function, around);
  }
  std::unordered_set<const Function*> seen_;
};

}  // namespace

void verify(const Function& function) { Verification().verify(function, {}); }

void verify_all(std::span<const Shared<const Function>> functions) {
  Verification verification;
  for (size_t i = functions.size(); i-- > 0;) verification.verify(*functions[i], {});
}

}  // namespace weft::ir
