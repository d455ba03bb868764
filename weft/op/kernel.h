// The kernel vocabulary: how an op computes. Meanings in Expr become generated kernels; the rest
// names native ones.
#pragma once

#include <cstdint>

#include "weft/core/tensor.h"
#include "weft/expr/expr.h"
#include "weft/op/rule.h"

namespace weft {

struct OpDef;

// A reduction: each element becomes a state of one or two scalars, states are combined in the
// canonical order.
struct Reduction {
  static constexpr int kMaxStates = 2;
  int states = 1;
  int result = 0;  // the state that is the output
  // Element `x` (in compute_of its dtype) at logical index `index` (i64) -> its state; the map
  // widens where it must.
  void (*map)(Expr x, Expr index, Expr* state) = nullptr;
  void (*combine)(const Expr* a, const Expr* b, Expr* out) = nullptr;
  // The state of nothing, for padding; `x` is compute_of the input's dtype.
  void (*identity)(DType x, Expr* state) = nullptr;
  double empty = 0;  // what no elements reduce to; ops that have no such value raise in inference
};

// What a row kernel reads and writes: `in` are the inputs along the row, `out` receives one Expr
// per output.
using RowMeaning = void (*)(const Expr* in, Expr* out);

enum class KernelKind : uint8_t {
  kElementwise,  // one output, an Expr of the inputs
  kCast,         // elementwise conversion, from and to any dtype
  kReduction,    // attrs: axis, keepdims
  kRow,          // maps and reductions along the last axis, held in cache
  kScan,         // attrs: axis
  kFill,         // elementwise over Expr::position; inputs are scalars; attrs: dtype, shape
  kVjp,          // the fused backward kernel of an op with partials (op/vjp_op.h)
  kView,         // the outputs lie in the memory of the first input where strides can say so
  kNative,       // a function of the op's own file that writes the outputs
  kHost,         // a function of the op's own file that returns the outputs
  kUpdate,       // several outputs, Exprs of scalars and tensors; for lists of tensors at once
};

// An output in the memory of the first input: its strides and the position of its first element, in
// elements of the input.
struct ViewLayout {
  Ints strides;
  int64_t offset = 0;
};
using ViewLayouts = InlineVector<ViewLayout, 1>;

// How the outputs lie in the memory of the first input, whose layout is `x`. None: strides cannot
// describe them; the output is then a copy of the input's elements in row-major order.
using ViewRule = Rule<ViewLayouts, const StridedLayout&, TypeSpan>;

// Computes outputs that the caller has allocated: `out` are contiguous tensors of the inferred
// types, which nothing else reads yet.
using NativeRule = Rule<void, TensorSpan, TensorSpan>;

// Returns the outputs, of the types `out`: for ops whose sizes depend on values, that hand on their
// inputs, or that run functions.
using HostRule = Rule<Tensors, TensorSpan, TypeSpan>;

struct KernelRule {
  KernelKind kind;
  int arity = 0;
  Expr (*unary)(Expr) = nullptr;
  Expr (*binary)(Expr, Expr) = nullptr;
  Expr (*ternary)(Expr, Expr, Expr) = nullptr;
  Reduction reduction{};
  RowMeaning row = nullptr;
  Expr (*fill)(const Expr* in, DType dtype) = nullptr;
  int row_outputs = 1;
  uint32_t row_scalars = 0;  // kRow: bit i: input i is one value per row. kUpdate: how many are
  uint32_t row_totals = 0;   // kRow: bit k: output k is summed over the rows
  Expr (*combine)(Expr, Expr) = nullptr;  // kScan
  double identity = 0;                    // kScan
  ViewRule view{};                        // kView; null: the output is the input
  NativeRule native{};
  HostRule host{};
  const OpDef* vjp_of = nullptr;  // kVjp
  uint32_t vjp_wanted = 0;        // kVjp: bit i asks for the cotangent of input i
};

namespace kernel {

constexpr KernelRule elementwise(Expr (*meaning)(Expr)) {
  return {.kind = KernelKind::kElementwise, .arity = 1, .unary = meaning};
}
constexpr KernelRule elementwise(Expr (*meaning)(Expr, Expr)) {
  return {.kind = KernelKind::kElementwise, .arity = 2, .binary = meaning};
}
constexpr KernelRule elementwise(Expr (*meaning)(Expr, Expr, Expr)) {
  return {.kind = KernelKind::kElementwise, .arity = 3, .ternary = meaning};
}
constexpr KernelRule cast() { return {.kind = KernelKind::kCast, .arity = 1}; }
constexpr KernelRule reduction(Reduction reduction) {
  return {.kind = KernelKind::kReduction, .arity = 1, .reduction = reduction};
}
// A row kernel of `inputs` inputs; inputs of rank 1 below the others are read along the row for
// every row. Outputs in `totals` are summed over the rows, but for those that differ in the first
// axes, as many as the attribute `keep` says: a weight's cotangent, without its terms in memory.
constexpr KernelRule row(int inputs, int outputs, RowMeaning meaning, uint32_t scalars = 0,
                         uint32_t totals = 0) {
  return {.kind = KernelKind::kRow,
          .arity = inputs,
          .row = meaning,
          .row_outputs = outputs,
          .row_scalars = scalars,
          .row_totals = totals};
}
constexpr KernelRule scan(Expr (*combine)(Expr, Expr), double identity) {
  return {.kind = KernelKind::kScan, .arity = 1, .combine = combine, .identity = identity};
}
// Updates of many tensors in one pass. Inputs are `scalars` numbers of rank 0, then `tensors` lists
// of equally many tensors: what is updated, its gradients, and what else is updated. `meaning` has
// one Expr of each, and gives the new ones of all lists but the gradients.
constexpr KernelRule update(int scalars, int tensors, RowMeaning meaning) {
  return {.kind = KernelKind::kUpdate,
          .arity = scalars + tensors,
          .row = meaning,
          .row_outputs = tensors - 1,
          .row_scalars = static_cast<uint32_t>(scalars)};
}
// `meaning` gives the element at Expr::position from scalar inputs (parameters of a distribution, a
// key's words).
constexpr KernelRule fill(int inputs, Expr (*meaning)(const Expr* in, DType dtype)) {
  return {.kind = KernelKind::kFill, .arity = inputs, .fill = meaning};
}
// The outputs are views of the first input.
template <auto F>
constexpr KernelRule view() {
  return {.kind = KernelKind::kView, .view = rule<F>()};
}
// The output is the input.
constexpr KernelRule identity() { return {.kind = KernelKind::kView}; }
template <auto F>
constexpr KernelRule native() {
  return {.kind = KernelKind::kNative, .native = rule<F>()};
}
template <auto F>
constexpr KernelRule host() {
  return {.kind = KernelKind::kHost, .host = rule<F>()};
}

}  // namespace kernel
}  // namespace weft
