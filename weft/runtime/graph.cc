// Graphs that people build: placeholders, Variables, operations.
#include "weft/runtime/graph.h"

#include <optional>

#include "weft/base/error.h"
#include "weft/control/ops.h"
#include "weft/ir/draw.h"
#include "weft/ir/print.h"
#include "weft/ir/summary.h"
#include "weft/op/apply.h"
#include "weft/state/state.h"

namespace weft {
namespace {

// The graph is open, as it was or for this call.
class Opened {
 public:
  explicit Opened(Staging& staging) {
    if (innermost_staging() != &staging) scope_.emplace(staging);
  }

 private:
  std::optional<StagingScope> scope_;
};

Tensor last_output(Staging& staging) {
  return staging.tensor_of(staging.graph().nodes().back().outputs[0]);
}

ir::ValueId value_in(const Tensor& value, const Staging& staging) {
  const ir::ValueId id = value.defined() ? staged_value(value, staging) : ir::kNone;
  if (id == ir::kNone) {
    fail(Code::kInvalid, "Graph", "value", "the value belongs to no operation of this graph");
  }
  return id;
}

}  // namespace

Graph::Graph() : Graph(Staging::open(Staging::Kind::kGraph, /*stands_alone=*/true)) {}

Graph::Graph(Shared<Staging> staging)
    : staging_(std::move(staging)), collections_(new_shared<Collections>()) {
  register_control_ops();
}

Graph::After::After(const Graph& graph, std::span<const Operation> operations)
    : staging_(graph.staging_), outer_(graph.staging_->after) {
  std::vector<ir::NodeId> all(outer_.begin(), outer_.end());
  for (const Operation one : operations) all.push_back(one.id);
  staging_->after = staging_->with_writes(all);
}

Tensor Graph::placeholder(DType dtype, const Shape& shape, std::string_view name,
                          Where where) const {
  const PlaceholderAttrs attrs{dtype, shape};
  const std::string full =
      weft::text(staging_->scope, name.empty() ? std::string_view("Placeholder") : name);
  const ir::NodeId node = staging_->append_node(
      kPlaceholder, {}, ir::keep(*kPlaceholder.attrs, &attrs), {Type{dtype, shape}},
      {.name = full, .where = where, .device = staging_->device});
  return staging_->tensor_of(staging_->graph().node(node).outputs[0]);
}

Tensor Graph::identity(const Tensor& x, std::string_view name, Where where) const {
  const Opened scope(*staging_);
  if (name.empty()) return apply_prepared(kIdentity, inputs(x), &kNoAttrs, where)[0];
  const ir::Graph& graph = staging_->graph();
  const ir::ValueId id = staging_->value_of(x);
  const ir::NodeId node = staging_->append_node(
      kIdentity, {id}, ir::keep(*kIdentity.attrs, &kNoAttrs), {graph.value(id).type},
      {.name = weft::text(staging_->scope, name),
       .after = staging_->after,
       .where = where,
       .device = staging_->device});
  return staging_->tensor_of(graph.node(node).outputs[0]);
}

Tensor Graph::assign(const Variable& variable, const Tensor& value, Where where) const {
  const Opened scope(*staging_);
  variable.assign(value, where);
  return last_output(*staging_);
}

Tensor Graph::assign_add(const Variable& variable, const Tensor& term, Where where) const {
  const Opened scope(*staging_);
  variable.assign_add(term, where);
  return last_output(*staging_);
}

Tensor Graph::assign_sub(const Variable& variable, const Tensor& term, Where where) const {
  const Opened scope(*staging_);
  variable.assign_sub(term, where);
  return last_output(*staging_);
}

Operation Graph::operation_of(const Tensor& value) const {
  return {staging_->graph().value(value_in(value, *staging_)).maker};
}

Operation Graph::group(std::span<const Operation> operations, std::string_view name,
                       Where where) const {
  const std::string full =
      weft::text(staging_->scope, name.empty() ? std::string_view("group") : name);
  std::vector<ir::NodeId> all(staging_->after.begin(), staging_->after.end());
  for (const Operation one : operations) all.push_back(one.id);
  const ir::NodeIds after = staging_->with_writes(all);
  return {staging_->append_node(kNoOp, {}, ir::keep(*kNoOp.attrs, &kNoAttrs), {},
                                {.name = full, .after = after, .where = where})};
}

Operation Graph::initializer(Where where) const {
  std::vector<Operation> all;
  const std::vector<GraphVariable> variables = staging_->variables();
  for (const GraphVariable& one : variables) {
    all.push_back(operation_of(assign(one.variable, one.initial, where)));
  }
  return group(all, "init", where);
}

std::vector<Variable> Graph::global_variables() const {
  std::vector<Variable> out;
  for (const GraphVariable& one : staging_->variables()) out.push_back(one.variable);
  return out;
}

std::vector<Variable> Graph::trainable_variables() const {
  std::vector<Variable> out = global_variables();
  std::erase_if(out, [](const Variable& variable) { return !variable.trainable(); });
  return out;
}

void Graph::add_to_collection(const std::string& name, const Tensor& value) const {
  const Opened scope(*staging_);
  (*collections_)[name].push_back({staging_->value_of(value), ir::kNone, {}});
}

void Graph::add_to_collection(const std::string& name, Operation operation) const {
  (*collections_)[name].push_back({ir::kNone, operation.id, {}});
}

void Graph::add_to_collection(const std::string& name, const Variable& variable) const {
  staging_->add_variable(variable);
  (*collections_)[name].push_back({ir::kNone, ir::kNone, variable});
}

std::vector<ir::Listed> Graph::members(const std::string& name) const {
  const auto found = collections_->find(name);
  return found == collections_->end() ? std::vector<ir::Listed>() : found->second;
}

Tensors Graph::collection(const std::string& name) const {
  Tensors out;
  for (const ir::Listed& one : members(name)) {
    if (one.value != ir::kNone) out.push_back(staging_->tensor_of(one.value));
  }
  return out;
}

Shared<const ir::Function> Graph::function() const {
  auto all = new_shared<ir::Function>();
  all->name = "graph";
  all->graph = staging_->graph();
  all->assumptions = staging_->assumptions();
  return all;
}

std::string Graph::name_of(const Tensor& value) const {
  return staging_->graph().name_of(value_in(value, *staging_));
}

std::string Graph::text() const {
  return ir::to_text(*function(), {}, {*collections_, global_variables()});
}
std::string Graph::summary() const { return ir::summary(*function()); }
std::string Graph::draw(const std::string& path, int depth) const {
  return ir::draw(*function(), path, {.depth = depth});
}

}  // namespace weft
