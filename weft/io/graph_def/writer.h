// Writer: what the tables write with; one node of ours at a time.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "weft/base/error.h"
#include "weft/base/function_ref.h"
#include "weft/expr/expr.h"
#include "weft/io/graph_def/graph_def.h"

namespace weft::io {

using Names = std::vector<std::string>;

// The types of a function's arguments and results.
struct Signature {
  std::vector<DataType> in, out;
  Names names = {};  // of the arguments, if they have any
};

class Writer {
 public:
  explicit Writer(const GraphDefOptions& options) : options_(options) {}

  // Writes a whole graph, whose first parameters are `arguments` and whose names begin with
  // `prefix`. Gives the names of `results`.
  Names write(const ir::Graph& graph, const Names& arguments, const std::string& prefix,
              std::span<const ir::ValueId> results);
  GraphDef finish();

  // A function of the library. `fill` writes its nodes: it is given the names of the arguments, and
  // gives those of the results.
  FunctionName function(std::string_view wish, const Signature& signature,
                        FunctionRef<Names(const Names&)> fill);
  // One of ours, written where it is first met.
  FunctionName function(const FunctionAttr& function);
  bool is_stateful(const FunctionName& function) const { return stateful_.contains(function.name); }

  // The node that is being written.
  const ir::Node& node() const { return *node_; }
  size_t input_count() const { return node_->inputs.size(); }
  const std::string& input(size_t i) const { return (*values_)[node_->inputs[i]]; }
  const Type& input_type(size_t i) const { return graph_->value(node_->inputs[i]).type; }
  const Type& output_type(size_t k = 0) const { return graph_->value(node_->outputs[k]).type; }
  Names inputs() const;
  size_t output_count() const { return node_->outputs.size(); }
  bool is_used(size_t output) const;  // by another node, or as a result
  bool is_path() const;               // of a file that values are saved to
  template <class T>
  const T& attribute(std::string_view name) const {
    const FieldInfo* const field = node_->op->attrs->find(name);
    WEFT_ASSERT(field != nullptr && field->type == field_type_of<T>(), node_->op->name, name);
    return *static_cast<const T*>(field->in(node_->attributes()));
  }
  bool has_attribute(std::string_view name) const {
    return node_->op->attrs->find(name) != nullptr;
  }

  // A node under the name of the one that is being written, with its device and what it runs after.
  // Its outputs are ours.
  void give(std::string_view op, Names in, Attributes attr = {});
  // A node below it, "Sum/reduction_indices"; gives its name.
  std::string add(std::string_view suffix, std::string_view op, Names in, Attributes attr = {});
  // The same, which runs after what the node runs after.
  std::string add_in_order(std::string_view suffix, std::string_view op, Names in, Attributes attr);
  // Constants below it.
  std::string constant(std::string_view suffix, const Tensor& value);
  std::string ints(std::string_view suffix, std::span<const int64_t> values);
  std::string int_scalar(std::string_view suffix, int64_t value);
  std::string number(std::string_view suffix, DType dtype, double value);
  // A shape as an input: a constant, or what other values have at run time.
  std::string shape(std::string_view suffix, const Shape& shape);
  // Of one size that need not be known -1, as Reshape has it.
  std::string shape_to_reshape(std::string_view suffix, const Shape& shape);

  // Other nodes' outputs in the place of its own.
  void give_values(const Names& values);
  // One size, as an int32: a constant, or what other values have at run time.
  std::string size(std::string_view suffix, Dim dim);
  const std::string& name() const { return name_; }

  // The handle of a Variable, made where it is first used.
  std::string handle(const Variable& variable);
  const GraphDefOptions& options() const { return options_; }

  [[noreturn]] void fail_op(std::string_view why) const;

 private:
  void write_node(ir::NodeId id);
  std::string named(std::string_view wish);
  NodeDef& append(std::string name, std::string_view op, Names in, Attributes attr);
  Names controls() const;
  std::string size_of_value(std::string_view suffix, Dim dim);  // empty if no value has it

  const GraphDefOptions options_;
  GraphDef out_;
  std::set<std::string> taken_;
  std::unordered_map<const void*, std::string> handles_;
  Names initializers_;
  std::unordered_map<const ir::Function*, FunctionName> functions_;
  std::vector<FunctionAttr> kept_functions_;  // as long as their addresses are known
  std::set<std::string> stateful_;
  int function_count_ = 0;
  int function_depth_ = 0;  // how many functions are being written, each inside of the other
  // Of the graph that is being written.
  const ir::Graph* graph_ = nullptr;
  const ir::Node* node_ = nullptr;
  std::span<const ir::ValueId> results_;
  Names* values_ = nullptr;      // by ValueId
  Names* node_names_ = nullptr;  // by NodeId
  std::string name_;
};

// How one op is written.
struct Row {
  std::string_view op;  // ours, with its module: "nn.softmax"
  void (*write)(Writer& w, std::string_view tf);
  std::string_view tf = "";  // TensorFlow's
};
std::span<const Row> math_rows();
std::span<const Row> reduce_rows();
std::span<const Row> shape_rows();
std::span<const Row> nn_rows();
std::span<const Row> state_rows();
std::span<const Row> control_rows();
std::span<const Row> sort_rows();
std::span<const Row> index_rows();
std::span<const Row> linalg_rows();
std::span<const Row> fft_rows();
std::span<const Row> effect_rows();

// The other two ways; false if the op has no such meaning.
bool write_expression(Writer& w);
bool write_composed(Writer& w);

// The name of an op with its module: "nn.softmax".
std::string op_name(const OpDef& op);

// {"T": the dtype of the first input}
Attributes typed(const Writer& w);

// The name that TensorFlow's op has for its output of that number: "z" of AddV2.
std::string output_name(std::string_view op, int64_t number);

}  // namespace weft::io
