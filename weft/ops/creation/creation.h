// Making tensors: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

// zeros is in op/builtin.h; tensors from data are in tensor.h
Tensor ones(const Shape& shape, DType dtype = DType::kF32, Where where = Where::here());
Tensor empty(const Shape& shape, DType dtype = DType::kF32, Where where = Where::here());
Tensor full(const Shape& shape, const Tensor& value, std::optional<DType> dtype = {},
            Where where = Where::here());
Tensor zeros_like(const Tensor& x, std::optional<DType> dtype = {}, Where where = Where::here());
Tensor ones_like(const Tensor& x, std::optional<DType> dtype = {}, Where where = Where::here());
Tensor empty_like(const Tensor& x, std::optional<DType> dtype = {}, Where where = Where::here());
Tensor full_like(const Tensor& x, const Tensor& value, std::optional<DType> dtype = {},
                 Where where = Where::here());
// start, start + step, ... before stop; arange(stop) counts from 0.
Tensor arange(const Tensor& stop, Where where = Where::here());
Tensor arange(const Tensor& start, const Tensor& stop, const Tensor& step = 1,
              std::optional<DType> dtype = {}, Where where = Where::here());
// 0, 1, .., n - 1, where n may be a size that only a graph will know.
Tensor positions(Dim n, DType dtype = DType::kI64, Where where = Where::here());
Tensor linspace(const Tensor& start, const Tensor& stop, Dim num, std::optional<DType> dtype = {},
                bool endpoint = true, Where where = Where::here());
Tensor eye(Dim n_rows, std::optional<Dim> n_cols = {}, int64_t k = 0, DType dtype = DType::kF32,
           Where where = Where::here());

struct FillAttrs {
  Shape shape;
  DType dtype = DType::kF32;
  static constexpr auto fields =
      fields_of(field("shape", &FillAttrs::shape, "the shape", kRequired),
                field("dtype", &FillAttrs::dtype, "the dtype of the elements"));
};
// The dtype is that of another input if left out.
struct LikeAttrs {
  std::optional<DType> dtype;
  static constexpr auto fields = fields_of(
      field("dtype", &LikeAttrs::dtype, "the dtype of the elements; that of x if left out"));
};

// The type that `at` asks for; raises [op.negative] and, if its size does not fit, overflow.
Types fill_infer(const FillAttrs& at, const InferCtx& cx, TypeSpan in);
// A fill for each example of a batch, stacked.
Tensors batched_fill(const OpDef& op, const FillAttrs& at, const BatchCtx& cx);
template <const OpDef& op>
Tensors each_filled(const FillAttrs& at, const BatchCtx& cx) {
  return batched_fill(op, at, cx);
}
// The dtype a value has where nothing else decides: float32 for 1.0, int64 for 1.
DType strong_dtype_of(const Tensor& x);
// The value of a scalar that decides a shape: raises [op.concrete] for what is only known later
// and [op.scalar] for other ranks.
double scalar_value(std::string_view op, std::string_view name, const Tensor& x);

extern const OpDef kZeros, kArangeFloat, kArangeInt, kLinspaceFill;
extern const CompositeDef kOnes, kEmpty, kFull, kZerosLike, kOnesLike, kEmptyLike, kFullLike,
    kArange, kLinspace, kEye;

}  // namespace weft
