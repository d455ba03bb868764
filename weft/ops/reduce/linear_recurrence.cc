// linear_recurrence: h[i] = a[i] * h[i - 1] + b[i] along an axis.
#include <algorithm>

#include "weft/base/thread_pool.h"
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

Types recurrence_infer(const ScanAttrs& at, const InferCtx& cx, TypeSpan in) {
  cx.axis(at.axis, in[0].shape);
  cx.require(same(in[0].shape, in[1].shape) != Tri::kNo, "shape", "a has shape ", in[0].shape,
             " but b has shape ", in[1].shape, "; they must be equal");
  return {in[0]};
}

// Arithmetic of the recurrence: `T` is the element in memory, `State` the carried value. It is
// wider than T for float and complex64, so that long rows lose no accuracy.
template <class T, class State>
struct Arithmetic {
  static State load(T x) { return x; }
  static T store(State x) { return static_cast<T>(x); }
  static State step(State a, State h, State b) { return a * h + b; }
};
template <class T>
struct HalfArithmetic {
  static float load(T x) { return x.to_float(); }
  static T store(float x) { return T::from_float(x); }
  static float step(float a, float h, float b) { return a * h + b; }
};
template <class T>
struct ComplexArithmetic {
  using Part = decltype(T().re);
  static Complex128 load(T x) { return {x.re, x.im}; }
  static T store(Complex128 x) { return {static_cast<Part>(x.re), static_cast<Part>(x.im)}; }
  static Complex128 step(Complex128 a, Complex128 h, Complex128 b) {
    return {(a.re * h.re - a.im * h.im) + b.re, (a.re * h.im + a.im * h.re) + b.im};
  }
};

constexpr int64_t kColumns = 64;  // columns of a slice that one task advances together

// [outer, n, inner] contiguous: one tile of columns of each slice is a task.
template <class T, class Ops>
void recur(const Tensor& out, const Tensor& a, const Tensor& b, int64_t n, int64_t inner) {
  if (out.numel() == 0) return;
  const int64_t outer = out.numel() / (n * inner), tiles = (inner + kColumns - 1) / kColumns;
  using State = decltype(Ops::load(T()));
  const T* const pa = static_cast<const T*>(a.data());
  const T* const pb = static_cast<const T*>(b.data());
  T* const po = static_cast<T*>(out.writable_data());
  const auto columns = [&](int64_t task) {
    State carry[kColumns] = {};
    const int64_t first = task % tiles * kColumns, count = std::min(kColumns, inner - first);
    int64_t at = task / tiles * n * inner + first;
    for (int64_t i = 0; i < n; ++i, at += inner) {
      if (i % 16384 == 16383) poll_interrupt();
      for (int64_t j = 0; j < count; ++j) {
        State& h = carry[j];
        const State next = Ops::load(pb[at + j]);
        h = i == 0 ? next : Ops::step(Ops::load(pa[at + j]), h, next);
        po[at + j] = Ops::store(h);
      }
    }
  };
  if (out.numel() < 4096) {  // starting tasks would cost more
    for (int64_t task = 0; task < outer * tiles; ++task) columns(task);
    return;
  }
  parallel_for(outer * tiles, columns);
}

void run(const ScanAttrs& at, TensorSpan in, TensorSpan out) {
  const Tensor a = packed(in[0]), b = packed(in[1]);
  const Tensor& result = out[0];
  const auto axis = static_cast<size_t>(normalized(at.axis, a.rank()));
  const int64_t n = a.shape()[axis].value();
  const int64_t inner = num_elements(a.shape().subspan(axis + 1)).value();
  switch (a.dtype()) {
    case DType::kF16: recur<Half, HalfArithmetic<Half>>(result, a, b, n, inner); break;
    case DType::kBF16: recur<BFloat16, HalfArithmetic<BFloat16>>(result, a, b, n, inner); break;
    case DType::kF32: recur<float, Arithmetic<float, double>>(result, a, b, n, inner); break;
    case DType::kF64: recur<double, Arithmetic<double, double>>(result, a, b, n, inner); break;
    case DType::kC64: recur<Complex64, ComplexArithmetic<Complex64>>(result, a, b, n, inner); break;
    default: recur<Complex128, ComplexArithmetic<Complex128>>(result, a, b, n, inner); break;
  }
}

Tensor before(const Tensor& h, int64_t axis, Where where) {
  return shifted_in(h, 0, axis, /*keep_last=*/false, where);
}

// The cotangent of b is the recurrence from the end with the factors one step on; that of a is it
// times the state before.
Tensors vjp(const ScanAttrs& at, const GradCtx& cx, TensorSpan g) {
  const Tensor& a = cx.inputs[0];
  const int64_t axis = normalized(at.axis, a.rank());
  if (a.shape()[static_cast<size_t>(axis)] == Dim(0)) return {g[0], g[0]};
  const Tensor back = flip(conj(a, cx.where), Ints{axis}, cx.where);
  const Tensor factors = before(back, axis, cx.where);
  const Tensor from_end =
      linear_recurrence(factors, flip(g[0], Ints{axis}, cx.where), axis, cx.where);
  const Tensor gb = flip(from_end, Ints{axis}, cx.where);
  Tensor ga;
  if (cx.wanted[0]) {
    ga = multiply_no_nan(conj(before(cx.outputs[0], axis, cx.where), cx.where), gb, cx.where);
  }
  return {ga, gb};
}

Tensors jvp(const ScanAttrs& at, const GradCtx& cx, TensorSpan t) {
  const Tensor& a = cx.inputs[0];
  const int64_t axis = normalized(at.axis, a.rank());
  if (a.shape()[static_cast<size_t>(axis)] == Dim(0)) return {cx.outputs[0]};
  Tensor drive = t[1];
  if (t[0].defined()) {
    const Tensor term = multiply_no_nan(before(cx.outputs[0], axis, cx.where), t[0], cx.where);
    drive = drive.defined() ? add(drive, term, cx.where) : term;
  }
  if (!drive.defined()) return {Tensor()};
  return {linear_recurrence(a, drive, axis, cx.where)};
}

}  // namespace

constinit const OpDef kLinearRecurrence{
    .name = "linear_recurrence",
    .doc =
        "`h[i] = a[i] * h[i - 1] + b[i]` along `axis`, with `h[-1] = 0`; from left to right, a "
        "product and a sum rounded each. float32 carries `h` in float64, complex64 in complex128, "
        "half floats in float32. In the gradient, a recurrence itself, 0 times an infinite factor "
        "is NaN.",
    .inputs = {"a: inexact", "b: like a"},
    .outputs = {"out: like a"},
    .attrs = attrs_type<ScanAttrs>(),
    .laws = {Law{"shape", "both inputs have one shape"}},
    .infer = rule<recurrence_infer>(),
    .grad = derive::rules<vjp, jvp>(),
    .batch = batch::shift_axis("axis"),
    .kernel = kernel::native<run>(),
    .known_as = {Alias{"scipy", "signal.lfilter"}, Alias{"jax", "lax.associative_scan"}},
};

Tensor linear_recurrence(const Tensor& a, const Tensor& b, int64_t axis, Where where) {
  return apply(kLinearRecurrence, inputs(a, b), ScanAttrs{axis}, where);
}

}  // namespace weft
