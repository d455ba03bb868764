// An op by its meaning: every node of its Expr is an op there.
#include <bit>
#include <unordered_map>

#include "weft/io/graph_def/writer.h"
#include "weft/op/op.h"

namespace weft::io {
namespace {

// Ops of one name with "T"; empty: another way.
std::string_view plain_op(const ExprNode& node) {
  const bool is_whole = is_integer(node.args[0] != nullptr ? node.args[0]->dtype : node.dtype);
  switch (node.op) {
    case ExprOp::kAdd: return "AddV2";
    case ExprOp::kSub: return "Sub";
    case ExprOp::kMul: return "Mul";
    case ExprOp::kDiv: return is_whole ? "TruncateDiv" : "RealDiv";
    case ExprOp::kRem: return "TruncateMod";
    case ExprOp::kNeg: return "Neg";
    case ExprOp::kAbs: return "Abs";
    case ExprOp::kMin: return "Minimum";
    case ExprOp::kMax: return "Maximum";
    case ExprOp::kSqrt: return "Sqrt";
    case ExprOp::kFloor: return "Floor";
    case ExprOp::kCeil: return "Ceil";
    case ExprOp::kRound: return "Round";
    case ExprOp::kEq: return "Equal";
    case ExprOp::kNe: return "NotEqual";
    case ExprOp::kLt: return "Less";
    case ExprOp::kLe: return "LessEqual";
    default: return "";
  }
}

std::string_view logic_op(ExprOp op, bool is_bool) {
  switch (op) {
    case ExprOp::kAnd: return is_bool ? "LogicalAnd" : "BitwiseAnd";
    case ExprOp::kOr: return is_bool ? "LogicalOr" : "BitwiseOr";
    case ExprOp::kXor: return is_bool ? "NotEqual" : "BitwiseXor";
    case ExprOp::kNot: return is_bool ? "LogicalNot" : "Invert";
    default: return "";
  }
}

std::string_view function_op(Fn fn) {
  switch (fn) {
    case Fn::kExp: return "Exp";
    case Fn::kExpm1: return "Expm1";
    case Fn::kLog: return "Log";
    case Fn::kLog1p: return "Log1p";
    case Fn::kSin: return "Sin";
    case Fn::kCos: return "Cos";
    case Fn::kTan: return "Tan";
    case Fn::kAsin: return "Asin";
    case Fn::kAcos: return "Acos";
    case Fn::kAtan: return "Atan";
    case Fn::kSinh: return "Sinh";
    case Fn::kCosh: return "Cosh";
    case Fn::kTanh: return "Tanh";
    case Fn::kSigmoid: return "Sigmoid";
    case Fn::kErf: return "Erf";
    case Fn::kErfc: return "Erfc";
    case Fn::kPow: return "Pow";
    case Fn::kAsinh: return "Asinh";
    case Fn::kAcosh: return "Acosh";
    case Fn::kAtanh: return "Atanh";
    case Fn::kErfinv: return "Erfinv";
    case Fn::kLgamma: return "Lgamma";
    case Fn::kDigamma: return "Digamma";
    default: return "";
  }
}

class ExpressionWriter {
 public:
  ExpressionWriter(Writer& w, Names inputs) : w_(w), inputs_(std::move(inputs)) {}

  std::string write(Expr expr) {
    const auto [found, is_new] = names_.try_emplace(expr.node());
    if (is_new) {
      std::string name = written(*expr.node());
      names_[expr.node()] = std::move(name);
    }
    return names_[expr.node()];
  }

 private:
  static Attributes of_type(DType dtype) { return {{"T", data_type(dtype)}}; }
  std::string call(std::string_view op, Names in, DType dtype) {
    return w_.add(op, op, std::move(in), of_type(dtype));
  }

  std::string written(const ExprNode& node) {
    if (node.op == ExprOp::kInput) return inputs_[node.index];
    if (node.op == ExprOp::kConst) return constant(node);
    if (node.op == ExprOp::kRowLength) return row_length();
    if (node.op == ExprOp::kPosition) return position();
    Names in;
    for (int i = 0; i < node.arity; ++i) in.push_back(write(Expr(node.args[i])));
    if (in.empty()) w_.fail_op("computes what TensorFlow has no op for");
    const DType from = node.args[0]->dtype;
    if (const std::string_view op = plain_op(node); !op.empty()) return call(op, in, from);
    if (const std::string_view op = logic_op(node.op, from == DType::kBool); !op.empty()) {
      const bool has_type = from != DType::kBool || node.op == ExprOp::kXor;
      return w_.add(op, op, in, has_type ? of_type(from) : Attributes());
    }
    return special(node, in, from);
  }

  std::string special(const ExprNode& node, const Names& in, DType from) {
    switch (node.op) {
      case ExprOp::kFma: return call("AddV2", {call("Mul", {in[0], in[1]}, from), in[2]}, from);
      case ExprOp::kTrunc: {
        const std::string zero = w_.number("zero", from, 0);
        return w_.add(
            "SelectV2", "SelectV2",
            {call("Less", {in[0], zero}, from), call("Ceil", in, from), call("Floor", in, from)},
            of_type(from));
      }
      case ExprOp::kSelect: return w_.add("SelectV2", "SelectV2", in, of_type(node.dtype));
      case ExprOp::kCast:
        return w_.add("Cast", "Cast", in,
                      {{"SrcT", data_type(from)}, {"DstT", data_type(node.dtype)}});
      case ExprOp::kBitcast:
        return w_.add("Bitcast", "Bitcast", in,
                      {{"T", data_type(from)}, {"type", data_type(node.dtype)}});
      case ExprOp::kReal:
      case ExprOp::kImag: {
        const std::string_view op = node.op == ExprOp::kReal ? "Real" : "Imag";
        return w_.add(op, op, in,
                      {{"T", data_type(complex_of(node.dtype))}, {"Tout", data_type(node.dtype)}});
      }
      case ExprOp::kComplex:
        return w_.add("Complex", "Complex", in,
                      {{"T", data_type(from)}, {"Tout", data_type(node.dtype)}});
      case ExprOp::kReduce: return reduced(node, in, from);
      case ExprOp::kCall: return called(node, in, from);
      default: w_.fail_op("computes what TensorFlow has no op for");
    }
  }

  std::string called(const ExprNode& node, const Names& in, DType from) {
    if (const std::string_view op = function_op(node.fn); !op.empty()) return call(op, in, from);
    if (node.fn == Fn::kExp2) return call("Pow", {w_.number("two", from, 2), in[0]}, from);
    if (node.fn == Fn::kLog2 || node.fn == Fn::kLog10) {
      const double base = node.fn == Fn::kLog2 ? 0.693147180559945309 : 2.302585092994045684;
      return call("RealDiv", {call("Log", in, from), w_.number("log_base", from, base)}, from);
    }
    w_.fail_op("computes a function that TensorFlow lacks");
  }

  // Along the row, which is the last axis; the rest broadcasts against it.
  std::string reduced(const ExprNode& node, const Names& in, DType from) {
    constexpr std::string_view kOps[] = {"Sum", "Prod", "Max", "Min"};
    const std::string_view op = kOps[static_cast<size_t>(node.reduce)];
    const int64_t last = -1;
    Attributes attr = of_type(from);
    attr["Tidx"] = DataType::kInt32;
    attr["keep_dims"] = true;
    return w_.add(op, op, {in[0], w_.ints(text(op, "/reduction_indices"), {&last, 1})}, attr);
  }

  std::string constant(const ExprNode& node) {
    const auto size = static_cast<size_t>(size_of(node.dtype));
    return w_.constant("constant",
                       Tensor::from_bytes(node.dtype, {},
                                          std::as_bytes(std::span(&node.constant, 1)).first(size)));
  }
  std::string row_length() {
    const Dim length = w_.input_type(0).shape.back();
    if (!length.is_known()) w_.fail_op("divides by a size that only a run knows");
    return w_.number("row_length", DType::kI64, static_cast<double>(length.value()));
  }

  // The number of each element of the output, which is a u64 in an Expr.
  std::string position() {
    Dim count = 1;
    for (const Dim dim : w_.output_type().shape) count *= dim;
    const std::string numbers =
        w_.add("Range", "Range",
               {w_.int_scalar("Range/start", 0), w_.size("Range/limit", count),
                w_.int_scalar("Range/delta", 1)},
               {{"Tidx", DataType::kInt32}});
    const std::string shape = w_.shape("Range/shape", w_.output_type().shape);
    const std::string shaped = w_.add("Reshape", "Reshape", {numbers, shape},
                                      {{"T", DataType::kInt32}, {"Tshape", DataType::kInt32}});
    return w_.add("Cast", "Cast", {shaped},
                  {{"SrcT", DataType::kInt32}, {"DstT", DataType::kUint64}});
  }

  Writer& w_;
  const Names inputs_;
  std::unordered_map<const ExprNode*, std::string> names_;
};

std::string converted(Writer& w, std::string name, DType from, DType to) {
  if (from == to) return name;
  return w.add("Cast", "Cast", {std::move(name)},
               {{"SrcT", data_type(from)}, {"DstT", data_type(to)}});
}

// Row kernels work along the last axis; what is one value per row has size 1 there.
bool is_along_last(const Writer& w) {
  if (!w.has_attribute("axis")) return true;
  const FieldInfo* const field = w.node().op->attrs->find("axis");
  if (field->type != FieldType::kInt) return false;
  return normalized(w.attribute<int64_t>("axis"), w.input_type(0).rank()) ==
         w.input_type(0).rank() - 1;
}

}  // namespace

bool write_expression(Writer& w) {
  const KernelRule& kernel = w.node().op->kernel;
  const bool is_row = kernel.kind == KernelKind::kRow && kernel.row_totals == 0 && is_along_last(w);
  const bool is_fill = kernel.kind == KernelKind::kFill && w.node().op->module != "random";
  if (kernel.kind != KernelKind::kElementwise && !is_row && !is_fill) return false;
  if (static_cast<int>(w.input_count()) != kernel.arity) return false;
  // Half floats are computed in f32, as ours are.
  Names names;
  std::vector<Expr> in;
  for (size_t i = 0; i < w.input_count(); ++i) {
    const DType dtype = w.input_type(i).dtype, computed = compute_of(dtype);
    names.push_back(converted(w, w.input(i), dtype, computed));
    in.push_back(Expr::input(static_cast<uint32_t>(i), computed));
  }
  std::vector<Expr> out(static_cast<size_t>(is_row ? kernel.row_outputs : 1), Expr(0.0));
  if (is_fill) {
    out[0] = kernel.fill(in.data(), w.output_type().dtype);
  } else if (is_row) {
    kernel.row(in.data(), out.data());
  } else {
    out[0] = kernel.arity == 1   ? kernel.unary(in[0])
             : kernel.arity == 2 ? kernel.binary(in[0], in[1])
                                 : kernel.ternary(in[0], in[1], in[2]);
  }
  ExpressionWriter writer(w, names);
  Names values;
  for (size_t k = 0; k < out.size(); ++k) {
    const DType dtype = w.output_type(k).dtype;
    std::string value = converted(w, writer.write(out[k]), out[k].dtype(), dtype);
    values.push_back(std::move(value));
  }
  w.give_values(values);
  return true;
}

}  // namespace weft::io
