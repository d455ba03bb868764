// quiet: a copy of a function that prints nothing.
#include "weft/trace/quiet.h"

#include <algorithm>
#include <utility>

#include "weft/state/state.h"
#include "weft/trace/halves.h"

namespace weft {
namespace {

// Does the node run the functions in this attribute? Else they are for its derivatives: rules, or
// what a forward half was made of.
bool is_run(const FieldInfo& field) {
  return field.name != "saves_of" && field.name != "backward" && field.name != "jvp";
}

// Calls `use` with every function that the node runs; the attributes are the node's, or a copy.
template <class Attributes, class Use>
void each_run(const ir::Node& node, Attributes* attributes, const Use& use) {
  constexpr bool kChanges = !std::is_const_v<Attributes>;
  using One = std::conditional_t<kChanges, FunctionAttr, const FunctionAttr>;
  using List = std::conditional_t<kChanges, FunctionsAttr, const FunctionsAttr>;
  for (const FieldInfo& field : node.op->attrs->fields) {
    if (!is_run(field)) continue;
    if (field.type == FieldType::kFunction) {
      use(*static_cast<One*>(field.in(attributes)));
    } else if (field.type == FieldType::kFunctions) {
      for (One& one : *static_cast<List*>(field.in(attributes))) use(one);
    }
  }
}

bool prints(const ir::Function& f) {
  return std::ranges::any_of(f.graph.nodes(), [](const ir::Node& node) {
    bool any = node.op == &kPrintValues;
    each_run(node, node.attributes(),
             [&](const FunctionAttr& one) { any = any || (one != nullptr && prints(*one)); });
    return any;
  });
}

FunctionAttr without_prints(const ir::Function& f) {
  Shared<ir::Function> out = new_shared<ir::Function>();
  std::vector<bool> left_out;
  for (const ir::Node& node : f.graph.nodes()) left_out.push_back(node.op == &kPrintValues);
  out->name = f.name;
  out->graph = f.graph.without(left_out);
  out->results = f.results;
  out->assumptions = f.assumptions;
  out->hints = f.hints;
  out->new_values = f.new_values;
  for (ir::NodeId id = 0; id < out->graph.nodes().size(); ++id) {
    const ir::Node& node = out->graph.node(id);
    Shared<AnyAttrs> attrs = new_shared<AnyAttrs>(node.op->attrs, node.attributes());
    bool is_changed = false;
    each_run(node, attrs->data(), [&](FunctionAttr& one) {
      if (one == nullptr || !prints(*one)) return;
      one = quiet(one);
      is_changed = true;
    });
    if (is_changed) out->graph.extend_node(id, std::move(attrs), {});
  }
  keep_backward_of(f, *out);
  return out;
}

constinit thread_local bool quiet_now = false;

}  // namespace

bool set_quiet(bool is_quiet) { return std::exchange(quiet_now, is_quiet); }
bool is_quiet() { return quiet_now; }

FunctionAttr quiet(const FunctionAttr& f) {
  if (!prints(*f)) return f;
  static const std::string kName = "quiet";
  ir::Function::Kept& kept = f->kept();
  {
    std::lock_guard lock(kept.mutex);
    const auto found = kept.derived.find(kName);
    if (found != kept.derived.end()) return found->second;
  }
  FunctionAttr made = without_prints(*f);
  std::lock_guard lock(kept.mutex);
  const auto found = kept.derived.find(kName);
  if (found != kept.derived.end()) return found->second;
  return kept.derived.emplace(kName, std::move(made))->second;
}

}  // namespace weft
