// Dropout: one line per op; each op's documentation is in its file.
#pragma once

#include "weft/op/builtin.h"
#include "weft/op/op.h"

namespace weft {

struct DropoutAttrs {
  double p = 0.5;
  bool train = true;
  static constexpr auto fields = fields_of(
      field("p", &DropoutAttrs::p, "the probability that an element or channel is dropped"),
      field("train", &DropoutAttrs::train, "without it, nothing is dropped or scaled"));
};

// True where a draw of `key` keeps an element of `shape`; raises [op.key], [op.dtype].
Tensor kept(const InferCtx& cx, const Tensor& key, double p, const Shape& shape);
// Raises [op.probability] unless p is one.
void require_probability(const InferCtx& cx, double p);

namespace nn {
Tensor dropout(const Tensor& key, const Tensor& x, double p = 0.5, bool train = true,
               Where where = Where::here());
// Whole channels, of x [batch, channels, space..] or [channels, space..].
Tensor dropout1d(const Tensor& key, const Tensor& x, double p = 0.5, bool train = true,
                 Where where = Where::here());
Tensor dropout2d(const Tensor& key, const Tensor& x, double p = 0.5, bool train = true,
                 Where where = Where::here());
Tensor dropout3d(const Tensor& key, const Tensor& x, double p = 0.5, bool train = true,
                 Where where = Where::here());
Tensor alpha_dropout(const Tensor& key, const Tensor& x, double p = 0.5, bool train = true,
                     Where where = Where::here());
}  // namespace nn

extern const CompositeDef kDropout, kDropout1d, kDropout2d, kDropout3d, kAlphaDropout;

}  // namespace weft
