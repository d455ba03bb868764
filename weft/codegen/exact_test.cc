// The exact meaning of Exprs and reductions, one element at a time: what kernels are compared with.
#include <bit>
#include <unordered_map>

#include "weft/base/error.h"
#include "weft/codegen/row_plan.h"
#include "weft/codegen/testing.h"
#include "weft/expr/evaluate_block.h"

namespace weft::codegen {
namespace {

using Row = std::vector<uint64_t>;  // bits, in the low bytes

uint64_t element_bits(const Bytes& bytes, int64_t size, int64_t at) {
  uint64_t out = 0;
  std::memcpy(&out, bytes.data() + at * size, static_cast<size_t>(size));
  return out;
}

uint64_t canonical(DType dtype, uint64_t bits) {
  if (dtype == DType::kF32 && (bits & 0x7fffffff) > 0x7f800000) return 0x7fc00000;
  if (dtype == DType::kF64 && (bits & 0x7fffffffffffffff) > 0x7ff0000000000000)
    return 0x7ff8000000000000;
  return bits;
}

class Exact {
 public:
  Exact(const std::vector<Operand>& operands, const std::vector<Bytes>& in, int64_t n,
        uint64_t position)
      : operands_(operands), in_(in), n_(n), position_(position) {}

  const Row& row(const ExprNode* node) {
    for (const ExprNode* inner : topological({Expr(node)})) {
      if (!rows_.contains(inner) && !is_complex(inner->dtype)) rows_[inner] = compute(inner);
    }
    return rows_[node];
  }

  Bytes bytes(Expr e) {
    Bytes out;
    for (int64_t j = 0; j < n_; ++j) {
      for (const Expr part :
           is_complex(e.dtype()) ? std::vector{e.arg(0), e.arg(1)} : std::vector{e}) {
        const uint64_t bits = canonical(part.dtype(), row(part.node())[static_cast<size_t>(j)]);
        for (int64_t b = 0; b < size_of(part.dtype()); ++b) {
          out.push_back(static_cast<unsigned char>(bits >> 8 * b));
        }
      }
    }
    return out;
  }

 private:
  Row compute(const ExprNode* node) {
    if (node->op == ExprOp::kReduce) return reduced(node);
    Row out;
    for (int64_t j = 0; j < n_; ++j) out.push_back(element(node, j));
    return out;
  }

  uint64_t element(const ExprNode* node, int64_t j) {
    const bool part = node->op == ExprOp::kReal || node->op == ExprOp::kImag;
    if (node->op == ExprOp::kInput || part) {
      const uint32_t k = part ? node->args[0]->index : node->index;
      const int64_t at = operands_[k].scalar ? 0 : j;
      return element_bits(in_[k], size_of(node->dtype),
                          part ? 2 * at + (node->op == ExprOp::kImag) : at);
    }
    if (node->op == ExprOp::kPosition) return position_ + static_cast<uint64_t>(j);
    if (node->op == ExprOp::kRowLength) return static_cast<uint64_t>(n_);
    const void* args[3] = {};
    for (int i = 0; i < node->arity; ++i) args[i] = &rows_[node->args[i]][static_cast<size_t>(j)];
    uint64_t out = 0;
    expr_internal::evaluate_block(*node, args, &out, 1);
    return out;
  }

  Row reduced(const ExprNode* node) {
    const ReduceSpec spec = reduce_spec_of(node);
    const Row& elements = rows_[node->args[0]];
    Bytes packed;
    for (const uint64_t bits : elements) {
      for (int64_t b = 0; b < size_of(node->dtype); ++b)
        packed.push_back(static_cast<unsigned char>(bits >> 8 * b));
    }
    const Bytes result = exact_reduce(spec, node->dtype, packed, n_)[0];
    return Row(static_cast<size_t>(n_), element_bits(result, size_of(node->dtype), 0));
  }

  const std::vector<Operand>& operands_;
  const std::vector<Bytes>& in_;
  int64_t n_;
  uint64_t position_;
  std::unordered_map<const ExprNode*, Row> rows_;
};

std::vector<Bytes> evaluate(const std::vector<Expr>& exprs, const std::vector<Operand>& operands,
                            const std::vector<Bytes>& in, uint64_t position) {
  std::vector<Bytes> out;
  for (const Expr e : exprs) out.push_back(exact_row(e, operands, in, 1, position));
  return out;
}

}  // namespace

Bytes exact_row(Expr e, const std::vector<Operand>& operands, const std::vector<Bytes>& in,
                int64_t n, uint64_t position) {
  return Exact(operands, in, n, position).bytes(e);
}

std::vector<Bytes> exact_reduce(const ReduceSpec& spec, DType dtype, const Bytes& in, int64_t n,
                                uint64_t index) {
  std::vector<Operand> pair;
  for (int side = 0; side < 2; ++side) {
    for (const Expr e : spec.identity) pair.push_back({e.dtype()});
  }
  const auto combine = [&](const std::vector<Bytes>& a, const std::vector<Bytes>& b) {
    std::vector<Bytes> both = a;
    both.insert(both.end(), b.begin(), b.end());
    return evaluate(spec.combine, pair, both, 0);
  };
  std::vector<std::vector<Bytes>> lanes(64, evaluate(spec.identity, {}, {}, 0));
  const auto size = static_cast<size_t>(size_of(dtype));
  for (int64_t j = 0; j < n; ++j) {
    const auto* first = in.data() + static_cast<size_t>(j) * size;
    const Bytes one(first, first + size);
    auto& lane = lanes[static_cast<size_t>(j % 64)];
    lane = combine(lane, evaluate(spec.map, {{dtype}}, {one}, index + static_cast<uint64_t>(j)));
  }
  for (size_t l = 0; l < 16; ++l) {
    lanes[l] = combine(combine(lanes[l], lanes[l + 16]), combine(lanes[l + 32], lanes[l + 48]));
  }
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t l = 0; l < half; ++l) lanes[l] = combine(lanes[l], lanes[l + half]);
  }
  return lanes[0];
}

}  // namespace weft::codegen
