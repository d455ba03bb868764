// Arithmetic, comparisons, logic, and elementwise functions that TensorFlow has.
#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

// The same inputs, and "T" for the dtype of the first.
void plain(Writer& w, std::string_view tf) { w.give(tf, w.inputs(), typed(w)); }
void untyped(Writer& w, std::string_view tf) { w.give(tf, w.inputs()); }

// Logic on bools, bits on integers.
void bits(Writer& w, std::string_view tf) {
  if (w.input_type(0).dtype != DType::kBool) return plain(w, tf);
  const bool is_xor = tf == "BitwiseXor";
  const Attributes attr = is_xor ? typed(w) : Attributes();
  w.give(tf == "BitwiseAnd"  ? "LogicalAnd"
         : tf == "BitwiseOr" ? "LogicalOr"
         : is_xor            ? "NotEqual"
                             : "LogicalNot",
         w.inputs(), attr);
}

// Of complex numbers a real one.
void parts(Writer& w, std::string_view tf) {
  const DType dtype = w.input_type(0).dtype;
  if (is_complex(dtype)) {
    w.give(tf == "Abs" ? "ComplexAbs" : tf, w.inputs(),
           {{"T", data_type(dtype)}, {"Tout", data_type(w.output_type().dtype)}});
  } else {
    w.give(tf == "Real" ? "Identity" : tf, w.inputs(), typed(w));
  }
}

void clip(Writer& w, std::string_view) {
  if (w.input_count() < 3) w.fail_op("has no bounds here");
  const std::string above = w.add("Maximum", "Maximum", {w.input(0), w.input(1)}, typed(w));
  w.give("Minimum", {above, w.input(2)}, typed(w));
}

void where(Writer& w, std::string_view) {
  w.give("SelectV2", w.inputs(), {{"T", data_type(w.input_type(1).dtype)}});
}

void cast(Writer& w, std::string_view) {
  w.give("Cast", w.inputs(),
         {{"SrcT", data_type(w.input_type(0).dtype)}, {"DstT", data_type(w.output_type().dtype)}});
}

constexpr Row kRows[] = {
    {"add", plain, "AddV2"},
    {"subtract", plain, "Sub"},
    {"multiply", plain, "Mul"},
    {"multiply_no_nan", plain, "MulNoNan"},
    {"divide", plain, "RealDiv"},
    {"floor_divide", plain, "FloorDiv"},
    {"remainder", plain, "FloorMod"},
    {"pow", plain, "Pow"},
    {"maximum", plain, "Maximum"},
    {"minimum", plain, "Minimum"},
    {"atan2", plain, "Atan2"},
    {"nextafter", plain, "NextAfter"},
    {"xlogy", plain, "Xlogy"},
    {"xlog1py", plain, "Xlog1py"},
    {"equal", plain, "Equal"},
    {"not_equal", plain, "NotEqual"},
    {"less", plain, "Less"},
    {"less_equal", plain, "LessEqual"},
    {"greater", plain, "Greater"},
    {"greater_equal", plain, "GreaterEqual"},
    {"logical_and", untyped, "LogicalAnd"},
    {"logical_or", untyped, "LogicalOr"},
    {"logical_xor", plain, "NotEqual"},
    {"logical_not", untyped, "LogicalNot"},
    {"bitwise_and", bits, "BitwiseAnd"},
    {"bitwise_or", bits, "BitwiseOr"},
    {"bitwise_xor", bits, "BitwiseXor"},
    {"bitwise_invert", bits, "Invert"},
    {"where", where},
    {"clip", clip},
    {"cast", cast},
    {"negative", plain, "Neg"},
    {"abs", parts, "Abs"},
    {"sign", plain, "Sign"},
    {"sqrt", plain, "Sqrt"},
    {"rsqrt", plain, "Rsqrt"},
    {"square", plain, "Square"},
    {"reciprocal", plain, "Reciprocal"},
    {"exp", plain, "Exp"},
    {"expm1", plain, "Expm1"},
    {"log", plain, "Log"},
    {"log1p", plain, "Log1p"},
    {"sin", plain, "Sin"},
    {"cos", plain, "Cos"},
    {"tan", plain, "Tan"},
    {"asin", plain, "Asin"},
    {"acos", plain, "Acos"},
    {"atan", plain, "Atan"},
    {"sinh", plain, "Sinh"},
    {"cosh", plain, "Cosh"},
    {"tanh", plain, "Tanh"},
    {"asinh", plain, "Asinh"},
    {"acosh", plain, "Acosh"},
    {"atanh", plain, "Atanh"},
    {"sigmoid", plain, "Sigmoid"},
    {"special.erf", plain, "Erf"},
    {"special.erfc", plain, "Erfc"},
    {"special.erfinv", plain, "Erfinv"},
    {"special.lgamma", plain, "Lgamma"},
    {"special.digamma", plain, "Digamma"},
    {"erf", plain, "Erf"},
    {"erfc", plain, "Erfc"},
    {"erfinv", plain, "Erfinv"},
    {"lgamma", plain, "Lgamma"},
    {"digamma", plain, "Digamma"},
    {"floor", plain, "Floor"},
    {"ceil", plain, "Ceil"},
    {"round.whole", plain, "Round"},
    {"isnan", plain, "IsNan"},
    {"isinf", plain, "IsInf"},
    {"isfinite", plain, "IsFinite"},
    {"conj", plain, "Conj"},
    {"real", parts, "Real"},
    {"imag", parts, "Imag"},
};

}  // namespace

std::span<const Row> math_rows() { return kRows; }

}  // namespace weft::io
