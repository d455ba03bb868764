// Places for native kernels: an op's file calls native::copy(out, in) without linking kernels/.
//
// kernels::bind_native() puts the functions there; a call before that raises.
#pragma once

#include <cstdint>

#include "weft/core/tensor.h"

namespace weft {

[[noreturn]] void fail_unbound(const char* name);

template <class Signature>
class Native;

template <class Result, class... Params>
class Native<Result(Params...)> {
 public:
  constexpr explicit Native(const char* name) : name_(name) {}

  void bind(Result (*function)(Params...)) { function_ = function; }
  Result operator()(Params... params) const {
    if (function_ == nullptr) [[unlikely]]
      fail_unbound(name_);
    return function_(static_cast<Params>(params)...);
  }

 private:
  const char* name_;
  Result (*function_)(Params...) = nullptr;
};

// Whom an error found while running names: the op and the label of its law.
struct Blame {
  const char* op;
  const char* law;
};

// How a kernel of a convolution moves over its input, axis by axis of space (1 to 3 of them).
struct ConvWindow {
  Ints stride;
  Ints dilation;        // between taps
  Ints low;             // padding before the first element; negative ones take elements away
  Ints input_dilation;  // between elements of the input
  int64_t groups = 1;
};

// Scores of attention are products times `scale`; causal: query i sees keys up to i only.
struct AttentionRule {
  double scale = 1;
  bool causal = false;
};

// How the rows of a segment are combined.
enum class SegmentBy : uint8_t { kSum, kProd, kMax, kMin };

// Which triangle a system has, and whether its adjoint is meant.
struct TriangularSolve {
  bool upper = false;
  bool adjoint = false;
  bool unit_diagonal = false;
};

// What the windows of pooling cover of one axis of space: the window of place i is `count[i]`
// elements from `begin[i]` on, `step` apart, all of them inside.
struct WindowAxis {
  Ints begin, count;
  int64_t step = 1;
};
using Windows = InlineVector<WindowAxis, 3>;

struct Recurrence;  // of recurrence.h

// All tensors are concrete, strides are free, `out` is memory that nobody else sees yet. Shapes and
// dtypes have been checked by the op's infer rule; indices are i32 or i64, negative ones count from
// the end, and one out of range raises with its position.
//
// How updates join the elements they meet, in the order of their position; set: the last one stays.
enum class Join : uint8_t { kSet, kAdd, kMultiply, kMin, kMax };

namespace native {

// out = in, which has the shape of out or broadcasts to it.
extern Native<void(const Tensor& out, const Tensor& in)> copy;
// Every element of out becomes the one at `value` (size_of(out.dtype()) bytes).
extern Native<void(const Tensor& out, const void* value)> fill;
// out = in[.., indices, ..]: the axis is replaced by the shape of indices.
extern Native<void(const Tensor& out, const Tensor& in, const Tensor& indices, int64_t axis,
                   Blame blame)>
    take;
// out[p] = in[p with p[axis] replaced by indices[p]]; out has the shape of indices.
extern Native<void(const Tensor& out, const Tensor& in, const Tensor& indices, int64_t axis,
                   Blame blame)>
    gather;
// out[p with p[axis] replaced by indices[p]] += updates[p], in row-major order of p: the transpose
// of gather. Half floats are summed in f32 and rounded once.
extern Native<void(const Tensor& out, const Tensor& indices, const Tensor& updates, int64_t axis,
                   Blame blame)>
    scatter_add;
// out[.., indices[q], ..] += updates[.., q, ..], in row-major order of q: the transpose of take.
extern Native<void(const Tensor& out, const Tensor& indices, const Tensor& updates, int64_t axis,
                   Blame blame)>
    take_add;
// out[.., m, n] = sum over k of a[.., m, k] * b[.., k, n]; batch dims broadcast to those of out,
// whose last axis is contiguous.
extern Native<void(const Tensor& out, const Tensor& a, const Tensor& b)> matmul;
// y[n, o.., f] = sum over taps k.. and channels c of x[n, o * stride + k * dilation - low.., c] *
// w[k.., c, f], group by group; x is 0 outside. y is contiguous.
extern Native<void(const Tensor& y, const Tensor& x, const Tensor& w, const ConvWindow& window)>
    conv;
// w[k.., c, f] = sum over n and o.. of the same products of x and y.
extern Native<void(const Tensor& w, const Tensor& x, const Tensor& y, const ConvWindow& window)>
    conv_dw;
// softmax(q k^T * scale + mask) v for q [batch, heads, groups, queries, features], k and v [batch,
// heads, keys, ..], all contiguous; f32 or f64. The greatest score of a query and the sum of its
// weights, counted from that score, come besides. An undefined mask is none; its five axes
// broadcast to the scores. There are keys.
extern Native<void(const Tensor& out, const Tensor& greatest, const Tensor& total, const Tensor& q,
                   const Tensor& k, const Tensor& v, const Tensor& mask, AttentionRule rule)>
    attention;
// Its cotangents, from that of out and, for each query, the logsumexp of its scores and the sum of
// g * out.
extern Native<void(const Tensor& dq, const Tensor& dk, const Tensor& dv, const Tensor& q,
                   const Tensor& k, const Tensor& v, const Tensor& mask, const Tensor& g,
                   const Tensor& stats, AttentionRule rule)>
    attention_vjp;
// Runs the steps of a recurrent network (recurrence.h); rows go on independently of each other.
extern Native<void(const Recurrence& recurrence)> recurrence;
// Along the last axis of contiguous tensors: the elements in order; the indices that sort them; as
// many of those as out's last axis holds.
extern Native<void(const Tensor& out, const Tensor& in, bool descending)> sort_rows;
extern Native<void(const Tensor& out, const Tensor& in, bool descending)> argsort_rows;
extern Native<void(const Tensor& out, const Tensor& in, bool descending)> top_rows;
// For each place of a row where its greatest (or least) element so far is.
extern Native<void(const Tensor& out, const Tensor& in, bool largest)> running_extremum;
// How many elements of the values' row of `sorted` are before each value, or before and equal.
extern Native<void(const Tensor& out, const Tensor& sorted, const Tensor& values, bool right)>
    search_rows;
// out[b, s, r] = data[b, i, r] combined over the i with ids[b, i] == s, in ascending order of i.
// Contiguous; returns the position of the first id that is out of range, with nothing done, or -1.
extern Native<int64_t(const Tensor& out, const Tensor& data, const Tensor& ids, SegmentBy by)>
    segment;
// Sums over the differences of points, of contiguous batches: kernels/distance.h says which.
extern Native<void(const Tensor& out, const Tensor& u, const Tensor& a, const Tensor& b)>
    sum_differences;
extern Native<void(const Tensor& out, const Tensor& w, const Tensor& a, const Tensor& b)>
    weigh_differences;

// Linear algebra, on the last two axes; leading axes broadcast to those of the first output. f32,
// f64, c64, c128. Outputs are contiguous. A matrix with a NaN or an infinity gives NaN.
extern Native<void(const Tensor& out, const Tensor& a, bool upper, Blame blame)> cholesky;
extern Native<void(const Tensor& out, const Tensor& a, const Tensor& b, TriangularSolve how,
                   Blame blame)>
    solve_triangular;
// a[permutation] = l u, both packed into `lu`; row i was exchanged with row pivots[i] (i64, from
// 0).
extern Native<void(const Tensor& lu, const Tensor& pivots, const Tensor& permutation,
                   const Tensor& a, Blame blame)>
    lu;
extern Native<void(const Tensor& out, const Tensor& a, const Tensor& b, Blame blame)> solve;
// Without a law to blame, a singular matrix gives 0.
extern Native<void(const Tensor& out, const Tensor& a, Blame blame)> inv;
// a = q r, the diagonal of r at least 0; the shape of q says how many columns it has.
extern Native<void(const Tensor& q, const Tensor& r, const Tensor& a, Blame blame)> qr;
// Eigenvalues, ascending, and eigenvectors (columns; undefined: not wanted) of the Hermitian part.
extern Native<void(const Tensor& values, const Tensor& vectors, const Tensor& a, Blame blame)> eigh;
// a = u diag(s) vh; undefined u and vh: not wanted. Their shapes say how many vectors there are.
extern Native<void(const Tensor& s, const Tensor& u, const Tensor& vh, const Tensor& a,
                   Blame blame)>
    svd;
// Several axes indexed at once. The axes [first, first + k) of `in` have an index tensor each,
// which all broadcast to one shape; that shape takes their place in out, which is contiguous.
// `axes` are the numbers that errors give the indexed axes.
extern Native<void(const Tensor& out, const Tensor& in, TensorSpan indices, int64_t first,
                   const Ints& axes, Blame blame)>
    index_at;
// Joins `updates`, of the shape index_at would give, to the contiguous `out`, in row-major order of
// the position in the indices. Half floats are joined in f32 and rounded once.
extern Native<void(const Tensor& out, const Tensor& updates, TensorSpan indices, int64_t first,
                   const Ints& axes, Join join, Blame blame)>
    update_at;
// In the same order, for each update: before = out, then out = a * out + b, where 0
// times anything is 0. a, b and the contiguous
// `before` have the shape of the places; half floats are kept in f32 in between.
extern Native<void(const Tensor& out, const Tensor& before, const Tensor& a, const Tensor& b,
                   TensorSpan indices, int64_t first, const Ints& axes, Blame blame)>
    chain_at;
// Where a contiguous bool tensor is true: its coordinates as int64 [rank, count], in row-major
// order of the positions.
extern Native<Tensor(const Tensor& in)> nonzero;

// Fourier transforms along `axis`, which differs in size where one side is real: complex to
// complex, real to the first half of the complex result, or back from such a half. Times `scale`;
// `inverse` has the positive exponent (a half is always transformed back with it, reals without).
extern Native<void(const Tensor& out, const Tensor& in, int64_t axis, bool inverse, double scale)>
    fft;

// out[n, o.., c] is the greatest element of x[n, window.., c], and indices (i64) where it lies in
// x's axes of space taken as one; the first one of equals, or the first NaN. out and indices are
// contiguous; f32, f64, i64 or u64.
extern Native<void(const Tensor& out, const Tensor& indices, const Tensor& x,
                   const Windows& windows)>
    window_max;
// out[n, o.., c] is the sum of x[n, window.., c] in ascending order, divided by `divisors` [o..]
// (f64). out is contiguous; f32 or f64.
extern Native<void(const Tensor& out, const Tensor& x, const Windows& windows,
                   const Tensor& divisors)>
    window_mean;
// Its transpose: out[n, window.., c] += g[n, o.., c] / divisors[o..], in ascending order of o.
extern Native<void(const Tensor& out, const Tensor& g, const Windows& windows,
                   const Tensor& divisors)>
    window_spread;

}  // namespace native
}  // namespace weft
