// GraphDef: a graph as TensorFlow stores it.
//
//   const io::GraphDef def = io::graph_def(*function);
//   def.node[0].name, .op, .input, .attr;  def.bytes();  // what tf.import_graph_def reads
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "weft/ir/function.h"

namespace weft {
class Graph;
}

namespace weft::io {

// TensorFlow's numbers for dtypes; handles of Variables are of dtype resource, lists of dtype
// variant.
enum class DataType : int32_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBFloat16 = 14,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
};
DataType data_type(DType dtype);
std::string_view name_of(DataType type);  // "DT_FLOAT"

// Sizes; -1 is one that is known only when the graph runs.
struct TensorShape {
  std::vector<int64_t> dim;
  friend bool operator==(const TensorShape&, const TensorShape&) = default;
};
TensorShape tensor_shape(const Shape& shape);

// A function of the graph's library, by its name.
struct FunctionName {
  std::string name;
  friend bool operator==(const FunctionName&, const FunctionName&) = default;
};

// A text as a tensor of rank 0.
struct StringScalar {
  std::string value;
};

// A constant list of texts.
struct Texts {
  std::vector<std::string> items;
};

// "T", "axis", "value": what a node says beside its inputs.
using AttrValue =
    std::variant<bool, int64_t, float, std::string, DataType, TensorShape, Tensor, StringScalar,
                 FunctionName, std::vector<int64_t>, std::vector<DataType>,
                 std::vector<TensorShape>, std::vector<FunctionName>, Texts>;
using Attributes = std::map<std::string, AttrValue>;

struct NodeDef {
  std::string name, op;
  std::vector<std::string> input;  // "x", "split:1", "^runs_before"
  std::string device;
  Attributes attr;
};

// What is called, chosen or repeated. In its nodes an argument is named as it is and an output of
// a node with the name it has in its op: "x", "AddV2:z:0".
struct FunctionDef {
  struct Argument {
    std::string name;
    DataType type = DataType::kFloat;
  };
  std::string name;
  std::vector<Argument> input, output;
  std::vector<NodeDef> node;
  std::vector<std::string> ret;  // what each output is
  bool is_stateful = false;      // it raises or prints
};

struct GraphDef {
  std::vector<NodeDef> node;
  std::vector<FunctionDef> function;  // the library; a function comes behind those it names
  int32_t producer = 1286;            // the version of TensorFlow's ops that this is written for

  std::string bytes() const;  // protobuf's wire format
  std::string text() const;   // protobuf's text form: node { name: "Add/x" op: "Const" ...
};

struct GraphDefOptions {
  // Variables become constants with the values they have now; writes to them raise. Otherwise they
  // are resources, which the node `init` gives their present values.
  bool variables_as_constants = false;
};

// Parameters become placeholders of their names. Raises [graph_def.op] for an op that TensorFlow
// cannot express, [graph_def.size] for a size that no value of the graph has.
GraphDef graph_def(const ir::Function& function, const GraphDefOptions& options = {});
GraphDef graph_def(const ir::Graph& graph, const GraphDefOptions& options = {});
GraphDef graph_def(const weft::Graph& graph, const GraphDefOptions& options = {});

}  // namespace weft::io
