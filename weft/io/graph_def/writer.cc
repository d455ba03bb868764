// Writing a graph node by node: names, constants, shapes.
#include "weft/io/graph_def/writer.h"

#include <algorithm>
#include <tuple>

#include "weft/runtime/graph.h"
#include "weft/state/saving.h"

namespace weft::io {
namespace {

// TensorFlow's names: letters, digits and _.\/>- , and no sign in front but a point.
std::string legal(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool is_letter =
        ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
    const bool is_sign = std::string_view("_./>-\\").find(c) != std::string_view::npos;
    out += is_letter || is_sign ? c : '_';
  }
  const bool may_begin =
      !out.empty() && std::string_view("_/>-\\").find(out[0]) == std::string_view::npos;
  return may_begin ? out : "n" + out;
}

const Row* find_row(std::string_view op) {
  for (const auto rows :
       {math_rows(), reduce_rows(), shape_rows(), index_rows(), sort_rows(), nn_rows(),
        linalg_rows(), fft_rows(), control_rows(), state_rows(), effect_rows()}) {
    for (const Row& row : rows) {
      if (row.op == op) return &row;
    }
  }
  return nullptr;
}

}  // namespace

std::string op_name(const OpDef& op) {
  return op.module.empty() ? std::string(op.name) : text(op.module, '.', op.name);
}

Attributes typed(const Writer& w) { return {{"T", data_type(w.input_type(0).dtype)}}; }

std::string Writer::named(std::string_view wish) {
  std::string name = legal(wish);
  for (int i = 1; !taken_.insert(name).second; ++i) name = text(legal(wish), '_', i);
  return name;
}

NodeDef& Writer::append(std::string name, std::string_view op, Names in, Attributes attr) {
  if (std::find(in.begin(), in.end(), "") != in.end()) fail_op("reads what is not written");
  const std::string device = node_ == nullptr ? "" : node_->device;
  out_.node.push_back({std::move(name), std::string(op), std::move(in), device, std::move(attr)});
  return out_.node.back();
}

Names Writer::write(const ir::Graph& graph, const Names& arguments, const std::string& prefix,
                    std::span<const ir::ValueId> results) {
  Names values(graph.values().size()), node_names(graph.nodes().size());
  const auto outer = std::tuple(graph_, node_, results_, values_, node_names_, name_);
  graph_ = &graph;
  results_ = results;
  values_ = &values;
  node_names_ = &node_names;
  // Names people gave are kept: those of nodes that we add give way.
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) {
    node_names[id] = named(prefix + graph.node(id).name);
  }
  for (uint32_t i = 0; i < graph.parameters().size(); ++i) {
    const ir::ValueId id = graph.parameters()[i];
    if (i < arguments.size()) {
      values[id] = arguments[i];
      continue;
    }
    const Type& type = graph.value(id).type;
    values[id] = named(graph.parameter_name(i));
    append(values[id], "Placeholder", {},
           {{"dtype", data_type(type.dtype)}, {"shape", tensor_shape(type.shape)}});
  }
  for (ir::NodeId id = 0; id < graph.nodes().size(); ++id) write_node(id);
  Names out;
  for (const ir::ValueId id : results) out.push_back(values[id]);
  std::tie(graph_, node_, results_, values_, node_names_, name_) = outer;
  return out;
}

void Writer::write_node(ir::NodeId id) {
  node_ = &graph_->node(id);
  name_ = (*node_names_)[id];
  const Row* const row = find_row(op_name(*node_->op));
  if (row != nullptr) {
    row->write(*this, row->tf);
  } else if (!write_expression(*this) && !write_composed(*this)) {
    fail_op("has no counterpart in TensorFlow");
  }
  node_ = nullptr;
}

GraphDef Writer::finish() {
  if (!initializers_.empty()) {
    Names after;
    for (const std::string& one : initializers_) after.push_back("^" + one);
    append(named("init"), "NoOp", after, {});
  }
  return std::move(out_);
}

Names Writer::inputs() const {
  Names out;
  for (size_t i = 0; i < input_count(); ++i) {
    if (node_->inputs[i] != ir::kNone) out.push_back(input(i));
  }
  return out;
}

bool Writer::is_used(size_t output) const {
  if (output >= node_->outputs.size()) return false;
  if (std::find(results_.begin(), results_.end(), node_->outputs[output]) != results_.end()) {
    return true;
  }
  return std::any_of(graph_->nodes().begin(), graph_->nodes().end(), [&](const ir::Node& other) {
    return std::find(other.inputs.begin(), other.inputs.end(), node_->outputs[output]) !=
           other.inputs.end();
  });
}

bool Writer::is_path() const {
  return std::any_of(graph_->nodes().begin(), graph_->nodes().end(), [&](const ir::Node& other) {
    return (other.op == &kSaveTensors || other.op == &kRestoreTensors) &&
           other.inputs[0] == node_->outputs[0];
  });
}

Names Writer::controls() const {
  Names out;
  for (const ir::NodeId earlier : node_->after) out.push_back("^" + (*node_names_)[earlier]);
  // A write waits for the reads before it. A read does not make a write run: it is asked for.
  for (const ir::NodeId earlier : node_->follows) {
    const bool is_read = graph_->node(earlier).op->effect == Effect::kReads;
    if (is_read && node_->op->effect == Effect::kWrites) {
      out.push_back("^" + (*node_names_)[earlier]);
    }
    // In a function all that people see happens, and in this order.
    const bool is_seen = node_->op->effect == Effect::kOutside;
    if (function_depth_ > 0 && is_seen) out.push_back("^" + (*node_names_)[earlier]);
  }
  return out;
}

void Writer::give(std::string_view op, Names in, Attributes attr) {
  for (std::string& control : controls()) {
    if (std::find(in.begin(), in.end(), control) == in.end()) in.push_back(std::move(control));
  }
  append(name_, op, std::move(in), std::move(attr));
  for (size_t k = 0; k < node_->outputs.size(); ++k) {
    (*values_)[node_->outputs[k]] = k == 0 ? name_ : text(name_, ':', k);
  }
}

void Writer::give_values(const Names& values) {
  if (values.empty()) return give("NoOp", {});
  if (values.size() == 1) return give("Identity", values, {{"T", data_type(output_type().dtype)}});
  std::vector<DataType> types;
  for (size_t k = 0; k < values.size(); ++k) types.push_back(data_type(output_type(k).dtype));
  give("IdentityN", values, {{"T", types}});
}

std::string Writer::add(std::string_view suffix, std::string_view op, Names in, Attributes attr) {
  return append(named(text(name_, '/', suffix)), op, std::move(in), std::move(attr)).name;
}

std::string Writer::add_in_order(std::string_view suffix, std::string_view op, Names in,
                                 Attributes attr) {
  for (std::string& control : controls()) in.push_back(std::move(control));
  return add(suffix, op, std::move(in), std::move(attr));
}

std::string Writer::constant(std::string_view suffix, const Tensor& value) {
  return add(suffix, "Const", {}, {{"dtype", data_type(value.dtype())}, {"value", value}});
}

std::string Writer::ints(std::string_view suffix, std::span<const int64_t> values) {
  const bool fit = std::all_of(values.begin(), values.end(),
                               [](int64_t v) { return INT32_MIN <= v && v <= INT32_MAX; });
  const auto count = static_cast<int64_t>(values.size());
  if (!fit) {
    return constant(suffix, Tensor::from_bytes(DType::kI64, Shape{count}, std::as_bytes(values)));
  }
  const std::vector<int32_t> narrow(values.begin(), values.end());
  return constant(suffix,
                  Tensor::from_bytes(DType::kI32, Shape{count}, std::as_bytes(std::span(narrow))));
}

std::string Writer::int_scalar(std::string_view suffix, int64_t value) {
  return constant(suffix, Tensor::scalar(DType::kI32, static_cast<double>(value)));
}

std::string Writer::number(std::string_view suffix, DType dtype, double value) {
  return constant(suffix, Tensor::scalar(dtype, value));
}

std::string Writer::shape(std::string_view suffix, const Shape& shape) {
  Ints known;
  for (const Dim dim : shape) {
    if (dim.is_known()) known.push_back(dim.value());
  }
  if (known.size() == shape.size()) return ints(suffix, known);
  Names sizes;
  for (size_t i = 0; i < shape.size(); ++i) sizes.push_back(size(text(suffix, '/', i), shape[i]));
  return add(
      suffix, "Pack", sizes,
      {{"N", static_cast<int64_t>(sizes.size())}, {"T", DataType::kInt32}, {"axis", int64_t{0}}});
}

std::string Writer::shape_to_reshape(std::string_view suffix, const Shape& to) {
  Ints sizes;
  size_t unknown = 0;
  bool is_empty = false;
  for (const Dim dim : to) {
    unknown += dim.is_known() ? 0 : 1;
    is_empty = is_empty || dim == Dim(0);
    sizes.push_back(dim.is_known() ? dim.value() : -1);
  }
  return unknown == 1 && !is_empty ? ints(suffix, sizes) : shape(suffix, to);
}

std::string Writer::handle(const Variable& variable) {
  const auto found = handles_.find(variable.id());
  if (found != handles_.end()) return found->second;
  WEFT_ASSERT(function_depth_ == 0, variable.name());  // functions are pure
  const std::string wish = variable.name().empty() ? "Variable" : std::string(variable.name());
  const std::string name = named(wish);
  handles_[variable.id()] = name;
  const Attributes type{{"dtype", data_type(variable.dtype())},
                        {"shape", tensor_shape(variable.shape())}};
  Attributes attr = type;
  attr["shared_name"] = name;
  attr["container"] = std::string();
  append(name, "VarHandleOp", {}, attr);
  const std::string initial = named(name + "/initial_value"), assign = named(name + "/Assign");
  append(initial, "Const", {},
         {{"dtype", data_type(variable.dtype())}, {"value", variable.value()}});
  append(assign, "AssignVariableOp", {name, initial}, {{"dtype", data_type(variable.dtype())}});
  initializers_.push_back(assign);
  return name;
}

void Writer::fail_op(std::string_view why) const {
  fail(Code::kMissing, "graph_def", "op", node_->name, " is ", op_name(*node_->op), ", which ",
       why);
}

GraphDef graph_def(const ir::Graph& graph, const GraphDefOptions& options) {
  Writer writer(options);
  writer.write(graph, {}, "", {});
  return writer.finish();
}

GraphDef graph_def(const ir::Function& function, const GraphDefOptions& options) {
  return graph_def(function.graph, options);
}

GraphDef graph_def(const weft::Graph& graph, const GraphDefOptions& options) {
  return graph_def(graph.staging().graph(), options);
}

}  // namespace weft::io
