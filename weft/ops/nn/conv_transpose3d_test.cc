// Samples of conv_transpose3d.
#include "weft/ops/nn/conv_call_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__conv_transpose3d) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.skip("special",
         "zeros around x are data of the convolution it is, though not of the reference");
  t.skip("symbolic", "the taps decide the padding, which is a number");
  t.sums_batches_elsewhere(
      "the gradient of a weight that a batch shares is one sum over the batch");
  t.sample({in({2, 2, 2, 2, 2}), in({2, 3, 3, 2, 1})});
  t.sample({in({2, 2, 2, 2, 2}), in({2, 3, 3, 2, 1}), in({3})}, "stride=[2], output_padding=[1]");
  t.sample({in({4, 2, 2, 2}), in({4, 2, 2, 2, 2}), in({4})}, "stride=[3], padding=[1], groups=2");
  t.sample({in({1, 2, 2, 2, 3}), in({3, 1, 3, 3, 3})},
           "padding=[1], groups=3, dilation=[2], data_format=\"NDHWC\"");
  t.large({in({2, 16, 6, 6, 6}), in({16, 24, 3, 3, 3})}, "stride=[2], padding=[1]");
  t.reference(conv_transpose_reference);
  t.tolerance(16, "up to 24 terms of size 4 are summed, in f16 and bf16 rounded once at the end");
  t.error("rank", {in({2}), in({4, 2, 3, 3, 3})}, "",
          "conv_transpose3d: x has shape [2]; it must have 3 axes of space, channels, and a batch "
          "axis or none [conv_transpose3d.rank]");
  t.error("weight", {in({2, 4, 5, 5, 5}), in({2})}, "",
          "conv_transpose3d: weight has shape [2]; it must be [channels, filters / groups, taps..] "
          "with 3 axes of taps [conv_transpose3d.weight]");
  t.error("bias", {in({2, 4, 5, 5, 5}), in({4, 2, 3, 3, 3}), in({3})}, "",
          "conv_transpose3d: bias has shape [3], but there are 2 filters; it must have one number "
          "each [conv_transpose3d.bias]");
  t.error("count", {in({2, 4, 5, 5, 5}), in({4, 2, 3, 3, 3})}, "stride=[1, 1, 1, 1]",
          "conv_transpose3d: stride has 4 numbers; give 1, or one for each of the 3 axes of space "
          "[conv_transpose3d.count]");
  t.error(
      "positive", {in({2, 4, 5, 5, 5}), in({4, 2, 3, 3, 3})}, "dilation=[0]",
      "conv_transpose3d: dilation is [0, 0, 0]; it must be at least 1 [conv_transpose3d.positive]");
  t.error("positive", {in({2, 4, 5, 5, 5}), in({4, 2, 3, 3, 3})}, "groups=0",
          "conv_transpose3d: groups is 0; it must be at least 1 [conv_transpose3d.positive]");
  t.error("output_padding", {in({2, 4, 5, 5, 5}), in({4, 2, 3, 3, 3})}, "padding=[-1]",
          "conv_transpose3d: padding is [-1, -1, -1]; it must be at least 0 "
          "[conv_transpose3d.output_padding]");
  t.error("output_padding", {in({2, 4, 5, 5, 5}), in({4, 2, 3, 3, 3})},
          "stride=[2], output_padding=[2]",
          "conv_transpose3d: output_padding is [2, 2, 2] with stride [2, 2, 2] and dilation [1, 1, "
          "1]; it must be at least 0 and below one of the two [conv_transpose3d.output_padding]");
  t.error("channels", {in({2, 4, 5, 5, 5}), in({3, 2, 3, 3, 3})}, "",
          "conv_transpose3d: x has shape [2, 4, 5, 5, 5] with 4 channels, weight has shape [3, 2, "
          "3, 3, 3] with 3 and groups is 1; x and weight must have the same multiple of groups "
          "[conv_transpose3d.channels]");
  t.error("window", {in({2, 4, 5, 5, 5}), in({4, 2, 3, 3, 3})}, "padding=[9]",
          "conv_transpose3d: the result has -11 places along axis 2 (x has shape [2, 4, 5, 5, 5] "
          "and the window covers 3); it must have at least 1 [conv_transpose3d.window]");
  t.error("data_format", {in({2, 4, 5, 5, 5}), in({4, 2, 3, 3, 3})}, "data_format=\"CN\"",
          "conv_transpose3d: data_format is \"CN\"; it must be \"NCDHW\" or \"NDHWC\" "
          "[conv_transpose3d.data_format]");
}
