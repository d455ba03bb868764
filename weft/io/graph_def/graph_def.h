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

namespace weft::io {

// TensorFlow's numbers for dtypes; VARIABLE handles are of dtype resource.
enum class DataType : int32_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBFloat16 = 14,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
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

// "T", "axis", "value": what a node says beside its inputs.
using AttrValue = std::variant<bool, int64_t, float, std::string, DataType, TensorShape, Tensor,
                               std::vector<int64_t>>;
using Attributes = std::map<std::string, AttrValue>;

struct NodeDef {
  std::string name, op;
  std::vector<std::string> input;  // "x", "split:1", "^runs_before"
  std::string device;
  Attributes attr;
};

struct GraphDef {
  std::vector<NodeDef> node;
  int32_t producer = 1286;  // the version of TensorFlow's ops that this is written for

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

}  // namespace weft::io
