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

// The shape left when `axis` is reduced.
Shape reduced_shape(const InferCtx& cx, ShapeView shape, const std::optional<Ints>& axis,
                    bool keepdims);
// The axes as numbers from 0, ascending.
Ints reduced_axes(ShapeView shape, const std::optional<Ints>& axis);

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

extern const OpDef kSum;

}  // namespace weft
