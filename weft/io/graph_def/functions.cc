// The library: functions, each with names of its own, and the names that outputs have in them.
#include <algorithm>
#include <utility>

#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

// Ops whose output is not called "output", which most are; a list of outputs has one name.
struct OutputNames {
  std::string_view names;  // one for each output
  std::string_view ops;    // between blanks
};
constexpr OutputNames kOutputNames[] = {
    {"z",
     " AddV2 Atan2 BitwiseAnd BitwiseOr BitwiseXor Equal FloorDiv FloorMod Greater GreaterEqual "
     "LeftShift Less LessEqual LogicalAnd LogicalOr Maximum Minimum Mul MulNoNan NotEqual "
     "Polygamma Pow RealDiv RightShift Sub TruncateDiv TruncateMod Xlog1py Xlogy "},
    {"y",
     " Abs Acos Acosh Asin Asinh Atan Atanh Cast Ceil ComplexAbs Cos Cosh Digamma Erf Erfc Erfinv "
     "Exp Expm1 Floor Invert IsFinite IsInf IsNan Lgamma Log Log1p LogicalNot Neg Reciprocal Rint "
     "Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh Transpose "},
    {"out", " Complex Cumprod Cumsum CumulativeLogsumexp "},
    {"index", " Where "},
    {"r0", " BroadcastArgs "},
    {"product", " Cross MatMul "},
    {"softmax", " Softmax "},
    {"logsoftmax", " LogSoftmax "},
    {"activations", " Relu Relu6 Selu Softsign "},
    {"diagonal", " MatrixDiagPartV3 "},
    {"band", " MatrixBandPart "},
    {"handle", " EmptyTensorList TensorListReserve "},
    {"output_handle", " TensorListFromTensor TensorListPushBack TensorListSetItem "},
    {"item", " TensorListGetItem "},
    {"tensor", " TensorListStack "},
    {"length", " TensorListLength "},
    {"resource", " VarHandleOp "},
    {"value", " ReadVariableOp "},
    {"values indices", " TopKV2 "},
    {"sign log_abs_determinant", " LogMatrixDeterminant "},
    {"e v", " SelfAdjointEigV2 "},
    {"lu p", " Lu "},
    {"q r", " Qr "},
    {"s u v", " Svd "},
    {"output_handle tensor", " TensorListPopBack "},
};

// Ops that do more than compute.
constexpr std::string_view kStatefulOps =
    " Assert AssignVariableOp Case If PrintV2 ReadVariableOp StatefulPartitionedCall VarHandleOp "
    "While ";

bool contains_word(std::string_view words, std::string_view word) {
  return words.find(text(' ', word, ' ')) != std::string_view::npos;
}

// The names of arguments are of small letters, digits and underscores.
std::string argument_name(std::string_view wish) {
  std::string out;
  for (const char c : wish) {
    const bool is_capital = 'A' <= c && c <= 'Z';
    const bool stays = ('a' <= c && c <= 'z') || ('0' <= c && c <= '9');
    out += is_capital ? static_cast<char>(c - 'A' + 'a') : stays ? c : '_';
  }
  return out.empty() || out[0] < 'a' ? "x" + out : out;
}

// "Split:1" as it is called in a function: "Split:output:1".
class Resolver {
 public:
  explicit Resolver(const FunctionDef& function) {
    for (const NodeDef& node : function.node) ops_[node.name] = node.op;
  }

  std::string operator()(const std::string& name) const {
    const size_t colon = name.find(':');
    const auto found = ops_.find(name.substr(0, colon));
    if (found == ops_.end()) return name;  // an argument, or "^runs_before"
    const int64_t number = colon == std::string::npos ? 0 : std::stoll(name.substr(colon + 1));
    return text(found->first, ':', output_name(found->second, number));
  }

 private:
  std::unordered_map<std::string, std::string> ops_;
};

}  // namespace

// "z:0": which of several of that name, too.
std::string output_name(std::string_view op, int64_t number) {
  for (const OutputNames& row : kOutputNames) {
    if (!contains_word(row.ops, op)) continue;
    std::string_view rest = row.names;
    for (int64_t i = 0; i < number; ++i) rest.remove_prefix(rest.find(' ') + 1);
    return text(rest.substr(0, rest.find(' ')), ":0");
  }
  return text("output:", number);
}

FunctionName Writer::function(std::string_view wish, const Signature& signature,
                              FunctionRef<Names(const Names&)> fill) {
  FunctionDef out;
  out.name = text(wish, '_', function_count_++);
  std::vector<NodeDef> outer = std::exchange(out_.node, {});
  std::set<std::string> taken = std::exchange(taken_, {});
  ++function_depth_;
  Names arguments;
  for (size_t i = 0; i < signature.in.size(); ++i) {
    const bool has_name = i < signature.names.size();
    arguments.push_back(named(argument_name(has_name ? signature.names[i] : text('x', i))));
    out.input.push_back({arguments[i], signature.in[i]});
  }
  out.ret = fill(arguments);
  --function_depth_;
  out.node = std::exchange(out_.node, std::move(outer));
  taken_ = std::move(taken);
  WEFT_ASSERT(out.ret.size() == signature.out.size(), out.name, out.ret.size());
  for (size_t k = 0; k < signature.out.size(); ++k) {
    out.output.push_back({text("result", k), signature.out[k]});
  }
  const Resolver resolved(out);
  for (NodeDef& node : out.node) {
    for (std::string& input : node.input) input = resolved(input);
    out.is_stateful = out.is_stateful || contains_word(kStatefulOps, node.op);
  }
  for (std::string& value : out.ret) value = resolved(value);
  if (out.is_stateful) stateful_.insert(out.name);
  out_.function.push_back(std::move(out));
  return {out_.function.back().name};
}

FunctionName Writer::function(const FunctionAttr& attr) {
  const ir::Function& function = *attr;
  const auto found = functions_.find(&function);
  if (found != functions_.end()) return found->second;
  Signature signature;
  for (size_t i = 0; i < function.parameter_count(); ++i) {
    signature.in.push_back(data_type(function.parameter_type(i).dtype));
    signature.names.emplace_back(function.graph.parameter_name(static_cast<uint32_t>(i)));
  }
  for (size_t k = 0; k < function.results.size(); ++k) {
    signature.out.push_back(data_type(function.result_type(k).dtype));
  }
  const FunctionName name =
      this->function(argument_name(function.name), signature, [&](const Names& arguments) {
        return write(function.graph, arguments, "", function.results);
      });
  kept_functions_.push_back(attr);
  return functions_[&function] = name;
}

}  // namespace weft::io
