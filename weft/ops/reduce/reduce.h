// Reductions and scans: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// `axis`: an axis, several ({0, 2}), or none for all of them.
struct ReduceAttrs {
  std::optional<Ints> axis;
  bool keepdims = false;
  static constexpr auto fields = fields_of(
      field("axis", &ReduceAttrs::axis, "the axis or axes to reduce; all of them if left out"),
      field("keepdims", &ReduceAttrs::keepdims, "keep reduced axes with size 1"));
};

// For sum and prod: as ReduceAttrs, with the dtype to compute and return.
struct SumAttrs {
  std::optional<Ints> axis;
  std::optional<DType> dtype;
  bool keepdims = false;
  static constexpr auto fields = fields_of(
      field("axis", &SumAttrs::axis, "the axis or axes to reduce; all of them if left out"),
      field("dtype", &SumAttrs::dtype,
            "the dtype to compute and return; integers widen to 64 bits if left out"),
      field("keepdims", &SumAttrs::keepdims, "keep reduced axes with size 1"));
};

// For argmax and argmin: one axis, or none for the flattened input.
struct ArgAttrs {
  std::optional<int64_t> axis;
  bool keepdims = false;
  static constexpr auto fields = fields_of(
      field("axis", &ArgAttrs::axis, "the axis to search along; the flattened input if left out"),
      field("keepdims", &ArgAttrs::keepdims, "keep the searched axis with size 1"));
};

// For scans.
struct ScanAttrs {
  int64_t axis = -1;
  static constexpr auto fields =
      fields_of(field("axis", &ScanAttrs::axis, "the axis to run along", kRequired));
};
struct CumulativeAttrs {
  std::optional<int64_t> axis;
  std::optional<DType> dtype;
  bool include_initial = false;
  static constexpr auto fields = fields_of(
      field("axis", &CumulativeAttrs::axis, "the axis to run along; may be left out for rank 1"),
      field("dtype", &CumulativeAttrs::dtype,
            "the dtype to compute and return; integers widen to 64 bits if left out"),
      field("include_initial", &CumulativeAttrs::include_initial,
            "start with the empty sum or product, so that the axis grows by one"));
};

// The shape left when `axis` is reduced.
Shape reduced_shape(const InferCtx& cx, ShapeView shape, const std::optional<Ints>& axis,
                    bool keepdims);
// The axes as numbers from 0, ascending; raises the laws axis and axis_twice.
Ints reduced_axes(const InferCtx& cx, ShapeView shape, const std::optional<Ints>& axis);
// A bool of the shape that is left.
Types truth_infer(const ReduceAttrs& at, const InferCtx& cx, TypeSpan in);
// How many elements go into one result.
Dim reduced_count(ShapeView shape, const Ints& axes);
// The same less `correction` to divide by, NaN if that is not positive: a number, or what the graph
// finds where a size is a symbol.
Tensor divisor(const Tensor& x, const Ints& axes, double correction = 0);
// Raises [op.empty] if an axis to reduce has no elements.
void require_elements(const InferCtx& cx, ShapeView shape, const Ints& axes);
// The sum of each row, an axis of size 1.
Tensor row_total(const Tensor& x, Where where);
// Rows longer than this leave the cache: they are reduced by ops that share out the row itself.
inline constexpr int64_t kLongRow = 1 << 16;
// `g`, of a reduction's shape with or without kept axes, repeated to the shape of its input.
Tensor spread(const Tensor& g, const Tensor& x, const std::optional<Ints>& axis, Where where);

// An input of a composite as an inexact (or floating) tensor: bools and integers become float32.
Tensor as_inexact(const Tensor& x);
Tensor as_floating(std::string_view op, const Tensor& x);

// The least and the greatest value of a dtype: infinite for floats.
Expr lowest(DType dtype);
Expr highest(DType dtype);

// What scans have in common.
Types scan_infer(const ScanAttrs& at, const InferCtx& cx, TypeSpan in);
// The input of a scan as `at` asks for, and its axis; raises [op.axis_needed].
Tensor scan_input(std::string_view op, const CumulativeAttrs& at, const Tensor& x, int64_t* axis);
// x with one slice of `value` in front of it along `axis`, and without its last slice unless
// `keep_last`.
Tensor shifted_in(const Tensor& x, double value, int64_t axis, bool keep_last, Where where);
// For cummax and cummin: the greatest or least element so far.
Tensors running_extremum(const InferCtx& cx, const ScanAttrs& at, const Tensor& x, bool largest);

// sum is in op/builtin.h
Tensor prod(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
            Where where = Where::here());
Tensor mean(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
            Where where = Where::here());
Tensor var(const Tensor& x, std::optional<Ints> axis = {}, double correction = 0,
           bool keepdims = false, Where where = Where::here());
Tensor std(const Tensor& x, std::optional<Ints> axis = {}, double correction = 0,
           bool keepdims = false, Where where = Where::here());
Tensor max(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
           Where where = Where::here());
Tensor min(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
           Where where = Where::here());
Tensor all(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
           Where where = Where::here());
Tensor any(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
           Where where = Where::here());
Tensor logsumexp(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
                 Where where = Where::here());
Tensor norm(const Tensor& x, std::optional<Ints> axis = {}, double ord = 2, bool keepdims = false,
            Where where = Where::here());
Tensor argmax(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false,
              Where where = Where::here());
Tensor argmin(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false,
              Where where = Where::here());
Tensor cumulative_sum(const Tensor& x, std::optional<int64_t> axis = {},
                      Where where = Where::here());
Tensor cumulative_prod(const Tensor& x, std::optional<int64_t> axis = {},
                       Where where = Where::here());
// h[i] = a[i] * h[i - 1] + b[i] along `axis`, with h[-1] = 0.
Tensor linear_recurrence(const Tensor& a, const Tensor& b, int64_t axis,
                         Where where = Where::here());
// Leaving out NaN; nanmax and nanmin are NaN where there is nothing else.
Tensor nansum(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
              Where where = Where::here());
Tensor nanmean(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
               Where where = Where::here());
Tensor nanmax(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
              Where where = Where::here());
Tensor nanmin(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
              Where where = Where::here());
Tensor nanvar(const Tensor& x, std::optional<Ints> axis = {}, double correction = 0,
              bool keepdims = false, Where where = Where::here());
Tensor nanstd(const Tensor& x, std::optional<Ints> axis = {}, double correction = 0,
              bool keepdims = false, Where where = Where::here());
Tensor count_nonzero(const Tensor& x, std::optional<Ints> axis = {}, bool keepdims = false,
                     Where where = Where::here());
Tensor diff(const Tensor& x, int64_t axis = -1, int64_t n = 1, Where where = Where::here());
// The greatest, the least, the log of the sum of the exponentials so far.
Tensor cummax(const Tensor& x, int64_t axis, Where where = Where::here());
Tensor cummin(const Tensor& x, int64_t axis, Where where = Where::here());
Tensor logcumsumexp(const Tensor& x, int64_t axis, Where where = Where::here());
// Rows data[i] combined where segment_ids[i] is the same, in their order.
Tensor segment_sum(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                   Where where = Where::here());
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                    Where where = Where::here());
Tensor segment_max(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                   Where where = Where::here());
Tensor segment_min(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                   Where where = Where::here());
Tensor segment_mean(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                    Where where = Where::here());
// How often each number from 0 occurs, or the sum of its weights.
Tensor bincount(const Tensor& x, const Tensor& weights = {}, int64_t minlength = 0,
                std::optional<int64_t> length = {}, Where where = Where::here());

extern const OpDef kSum, kProd, kMax, kMin, kAll, kAny, kArgmax, kArgmin, kCumulativeSumScan,
    kCumulativeProdScan, kLinearRecurrence, kLogsumexpRows, kLogsumexpVjp, kNormRows,
    kCumulativeExtremum, kLogcumsumexp, kSegmentSum, kSegmentProd, kSegmentMax, kSegmentMin;
extern const CompositeDef kMean, kVar, kStd, kLogsumexp, kNorm, kCumulativeSum, kCumulativeProd,
    kNansum, kNanmean, kNanmax, kNanmin, kNanvar, kNanstd, kCountNonzero, kDiff, kCummax, kCummin,
    kSegmentMean, kBincount;

}  // namespace weft
