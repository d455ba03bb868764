// Samples of conv.
#include "weft/ops/nn/conv_reference.h"

using namespace weft::suite;

namespace {

Arrays reference(const Attrs& at, const Arrays& in) {
  return {conv_of(conv_form(at, in[0].shape.size() - 2), in[0], in[1])};
}

}  // namespace

WEFT_OP_TEST(nn__conv) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere(
      "the gradient of a weight that a batch shares is one sum over the batch");
  t.sample({in({2, 5, 3}), in({3, 3, 2})});
  t.sample({in({2, 4, 5, 2}), in({3, 2, 2, 3})}, "stride=[1, 2], low=[1, 0], high=[1, 1]");
  t.sample({in({1, 6, 5, 4}), in({2, 2, 2, 4})}, "dilation=[2, 3], groups=2");
  t.sample({in({2, 4, 4, 3}), in({3, 3, 1, 3})}, "low=[1, 1], high=[1, 1], groups=3");
  t.sample({in({1, 3, 4, 2}), in({3, 3, 2, 3})}, "low=[2, 1], high=[2, 2], input_dilation=[2, 3]");
  t.sample({in({1, 4, 3, 2}), in({2, 3, 1, 4})},
           "stride=[3, 2], low=[1, 2], high=[2, 1], input_dilation=[2, 3], groups=2");
  t.sample({in({1, 5, 4, 1}), in({2, 1, 1, 2})}, "low=[-1, 2], high=[1, -2]");
  t.sample({in({1, 3, 3, 2, 2}), in({2, 2, 1, 2, 2})}, "stride=[2, 1, 1], low=[1, 0, 0]");
  t.sample({in({0, 4, 2}), in({3, 2, 3})});
  t.sample({in({2, 4, 0}), in({3, 0, 3})});
  t.large({in({1, 20, 18, 24}), in({3, 3, 24, 20})}, "low=[1, 1], high=[1, 1]");
  t.large({in({2, 24, 24, 32}), in({3, 3, 1, 32})},
          "stride=[2, 2], low=[1, 1], high=[1, 1], groups=32");
  t.large({in({1, 8, 8, 70}), in({3, 3, 70, 17})},
          "low=[2, 2], high=[2, 2], input_dilation=[2, 2]");
  t.reference(reference);
  t.tolerance(16, "up to 27 terms of size 4 are summed, in f16 and bf16 rounded once at the end");
  t.error("rank", {in({3, 4}), in({3, 4})}, "",
          "conv: x has shape [3, 4]; it must be [batch, space.., channels] with 1 to 3 axes of "
          "space [conv.rank]");
  t.error("weight", {in({2, 5, 3}), in({3, 3})}, "",
          "conv: weight has shape [3, 3], but x has shape [2, 5, 3]; it must be [taps.., channels "
          "of a group, filters] with an axis of taps for each axis of space [conv.weight]");
  t.error("count", {in({2, 5, 3}), in({3, 3, 2})}, "stride=[1, 2]",
          "conv: stride has 2 numbers, but x has 1 axes of space; give one for each of them "
          "[conv.count]");
  t.error("positive", {in({2, 5, 3}), in({3, 3, 2})}, "dilation=[0]",
          "conv: dilation is [0]; it must be at least 1 [conv.positive]");
  t.error("channels", {in({2, 5, 3}), in({3, 2, 2})}, "",
          "conv: x has 3 channels, but weight has 2 for each of 1 groups; their product must be "
          "equal to it [conv.channels]");
  t.error("filters", {in({2, 5, 4}), in({3, 2, 3})}, "groups=2",
          "conv: weight has 3 filters, which do not divide into 2 groups; their number must be a "
          "multiple [conv.filters]");
  t.error("window", {in({2, 3, 1}), in({3, 1, 1})}, "dilation=[2], low=[1]",
          "conv: the window covers 5 places of axis 1, which has 4 with its padding (x has shape "
          "[2, 3, 1]); it must cover at least 1 and fit in [conv.window]");
}
