// The interpreter: every node along the row, in order; exact arithmetic, libm for Calls.
#include "weft/expr/interpret.h"

#include <bit>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "weft/base/error.h"
#include "weft/core/half.h"
#include "weft/expr/calls.h"
#include "weft/expr/evaluate_block.h"
#include "weft/expr/walk.h"

namespace weft {
namespace {

// The bits of a scalar in its dtype, in the low bytes.
uint64_t to_bits(DType dtype, const ScalarValue& value) {
  switch (dtype) {
    case DType::kF16: return Half::from_float(static_cast<float>(value.re)).bits;
    case DType::kBF16: return BFloat16::from_float(static_cast<float>(value.re)).bits;
    case DType::kF32: return std::bit_cast<uint32_t>(static_cast<float>(value.re));
    case DType::kF64: return std::bit_cast<uint64_t>(static_cast<double>(value.re));
    case DType::kBool: return value.i != 0;
    default: return static_cast<uint64_t>(value.i);
  }
}

long double float_of(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::kF16: return Half{static_cast<uint16_t>(bits)}.to_float();
    case DType::kBF16: return BFloat16{static_cast<uint16_t>(bits)}.to_float();
    case DType::kF32: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    default: return std::bit_cast<double>(bits);
  }
}

int64_t integer_of(DType dtype, uint64_t bits) {
  const int unused = 64 - static_cast<int>(8 * size_of(dtype));
  if (is_signed_integer(dtype)) return static_cast<int64_t>(bits << unused) >> unused;
  return static_cast<int64_t>(bits);
}

ScalarValue from_bits(DType dtype, uint64_t bits) {
  ScalarValue value;
  if (is_floating(dtype))
    value.re = float_of(dtype, bits);
  else
    value.i = integer_of(dtype, bits);
  return value;
}

class Interpreter {
 public:
  Interpreter(const InterpretInputs& inputs, size_t length) : inputs_(inputs), length_(length) {}

  void run(Expr root, std::span<ScalarValue> out) {
    for (const ExprNode* node : nodes_of(root)) {
      if (!is_complex(node->dtype)) values_[node] = compute(*node);
    }
    for (size_t j = 0; j < length_; ++j) {
      if (root->op == ExprOp::kComplex) {
        out[j].re = float_of(real_of(root.dtype()), values_[root->args[0]][j]);
        out[j].im = float_of(real_of(root.dtype()), values_[root->args[1]][j]);
      } else {
        out[j] = from_bits(root.dtype(), values_[root.node()][j]);
      }
    }
  }

 private:
  const ScalarValue& input(uint32_t index, size_t j) const {
    if (!inputs_.rows.empty()) {
      WEFT_ASSERT(index < inputs_.rows.size(), "input ", index, " of ", inputs_.rows.size());
      const auto& row = inputs_.rows[index];
      WEFT_ASSERT(j < row.size() || row.size() == 1, "element ", j, " of ", row.size());
      return row[row.size() == 1 ? 0 : j];
    }
    WEFT_ASSERT(index < inputs_.values.size(), "input ", index, " of ", inputs_.values.size());
    return inputs_.values[index];
  }

  std::vector<uint64_t> compute(const ExprNode& node) {
    if (node.op == ExprOp::kReduce) return reduce(node);
    std::vector<uint64_t> out(length_);
    for (size_t j = 0; j < length_; ++j) out[j] = element(node, j);
    return out;
  }

  uint64_t element(const ExprNode& node, size_t j) {
    switch (node.op) {
      case ExprOp::kInput: return to_bits(node.dtype, input(node.index, j));
      case ExprOp::kReal: return to_bits(node.dtype, input(node.args[0]->index, j));
      case ExprOp::kImag:
        return to_bits(node.dtype, ScalarValue{input(node.args[0]->index, j).im, 0, 0});
      case ExprOp::kPosition: return inputs_.position + j;
      case ExprOp::kRowLength: return length_;
      case ExprOp::kCall: return call(node, j);
      default: break;
    }
    const void* args[3] = {};
    for (int i = 0; i < node.arity; ++i) args[i] = &values_[node.args[i]][j];
    uint64_t out = 0;
    expr_internal::evaluate_block(node, args, &out, 1);
    return out;
  }

  uint64_t call(const ExprNode& node, size_t j) {
    long double args[2] = {};
    for (int i = 0; i < node.arity; ++i) args[i] = float_of(node.dtype, values_[node.args[i]][j]);
    return to_bits(node.dtype, {expr_internal::call_libm(node.fn, args[0], args[1]), 0, 0});
  }

  // Floats are summed in long double and rounded once: any order of summation is near this.
  std::vector<uint64_t> reduce(const ExprNode& node) {
    const std::vector<uint64_t>& row = values_[node.args[0]];
    const bool extreme = node.reduce == Reduce::kMax || node.reduce == Reduce::kMin;
    if (is_floating(node.dtype) && !extreme) {
      long double total = node.reduce == Reduce::kSum ? 0.0L : 1.0L;
      for (const uint64_t bits : row) {
        const long double x = float_of(node.dtype, bits);
        total = node.reduce == Reduce::kSum ? total + x : total * x;
      }
      return std::vector<uint64_t>(length_, to_bits(node.dtype, {total, 0, 0}));
    }
    constexpr ExprOp ops[] = {ExprOp::kAdd, ExprOp::kMul, ExprOp::kMax, ExprOp::kMin};
    ExprNode combine = node;
    combine.op = ops[static_cast<size_t>(node.reduce)];
    combine.arity = 2;
    uint64_t total = row.empty() ? 0 : row[0];
    for (size_t j = 1; j < row.size(); ++j) {
      const void* args[3] = {&total, &row[j], nullptr};
      uint64_t next = 0;
      expr_internal::evaluate_block(combine, args, &next, 1);
      total = next;
    }
    return std::vector<uint64_t>(length_, total);
  }

  const InterpretInputs& inputs_;
  size_t length_;
  std::unordered_map<const ExprNode*, std::vector<uint64_t>> values_;
};

}  // namespace

ScalarValue interpret(Expr root, const InterpretInputs& inputs) {
  ScalarValue out;
  Interpreter(inputs, 1).run(root, {&out, 1});
  return out;
}

void interpret_row(Expr root, const InterpretInputs& inputs, std::span<ScalarValue> out) {
  Interpreter(inputs, out.size()).run(root, out);
}

}  // namespace weft
