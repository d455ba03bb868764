// Samples of conv3d.
#include "weft/ops/nn/conv_call_reference.h"

using namespace weft::suite;

WEFT_OP_TEST(nn__conv3d) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.skip("symbolic", "`same` counts its padding when the size of its axis is known");
  t.sums_batches_elsewhere(
      "the gradient of a weight that a batch shares is one sum over the batch");
  t.sample({in({2, 2, 3, 4, 2}), in({3, 2, 3, 2, 1})});
  t.sample({in({2, 2, 3, 4, 2}), in({3, 2, 3, 2, 1}), in({3})}, "stride=[2], padding=[1]");
  t.sample({in({4, 3, 4, 2}), in({4, 2, 2, 2, 2}), in({4})}, "groups=2, auto_padding=\"valid\"");
  t.sample({in({1, 2, 3, 4, 2}), in({3, 2, 3, 2, 1})}, "dilation=[2], auto_padding=\"same\"");
  t.sample({in({1, 2, 3, 4, 2}), in({3, 2, 3, 2, 1})}, "stride=[2], auto_padding=\"same\"");
  t.sample({in({1, 3, 4, 2, 3}), in({3, 1, 3, 2, 1})},
           "padding=[1, 2, 3, 4, 5, 6], groups=3, data_format=\"NDHWC\"");
  t.large({in({2, 16, 8, 8, 8}), in({24, 16, 3, 3, 3})}, "padding=[1]");
  t.reference(conv_call_reference);
  t.tolerance(16, "up to 24 terms of size 4 are summed, in f16 and bf16 rounded once at the end");
  t.error("rank", {in({2}), in({2, 4, 3, 3, 3})}, "",
          "conv3d: x has shape [2]; it must have 3 axes of space, channels, and a batch axis or "
          "none [conv3d.rank]");
  t.error("weight", {in({2, 4, 5, 5, 5}), in({2})}, "",
          "conv3d: weight has shape [2]; it must be [filters, channels / groups, taps..] with 3 "
          "axes of taps [conv3d.weight]");
  t.error("bias", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3}), in({3})}, "",
          "conv3d: bias has shape [3], but there are 2 filters; it must have one number each "
          "[conv3d.bias]");
  t.error("count", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3})}, "padding=[1, 1, 1, 1, 1, 1, 1]",
          "conv3d: padding has 7 numbers; give 1, or one or two for each of the 3 axes of space "
          "[conv3d.count]");
  t.error("count", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3})}, "stride=[1, 1, 1, 1]",
          "conv3d: stride has 4 numbers; give 1, or one for each of the 3 axes of space "
          "[conv3d.count]");
  t.error("positive", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3})}, "dilation=[0]",
          "conv3d: dilation is [0, 0, 0]; it must be at least 1 [conv3d.positive]");
  t.error("positive", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3})}, "groups=0",
          "conv3d: groups is 0; it must be at least 1 [conv3d.positive]");
  t.error("padding", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3})},
          "padding=[7], auto_padding=\"valid\"",
          "conv3d: padding is [7] and auto_padding is \"valid\"; give one of them "
          "[conv3d.padding]");
  t.error("padding", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3})}, "padding=[-1]",
          "conv3d: padding is [-1]; it must be at least 0 [conv3d.padding]");
  t.error("padding", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3})}, "auto_padding=\"all\"",
          "conv3d: padding is \"all\"; it must be \"same\", \"valid\" or numbers [conv3d.padding]");
  t.error("channels", {in({2, 5, 5, 5, 4}), in({2, 5, 3, 3, 3})}, "data_format=\"NDHWC\"",
          "conv3d: x has shape [2, 5, 5, 5, 4] with 4 channels, but weight has shape [2, 5, 3, 3, "
          "3] with 5 for each of 1 groups; their product must be equal to it [conv3d.channels]");
  t.error("channels", {in({2, 4, 5, 5, 5}), in({3, 2, 3, 3, 3})}, "groups=2",
          "conv3d: weight has shape [3, 2, 3, 3, 3] with 3 filters, which do not divide into 2 "
          "groups; their number must be a multiple [conv3d.channels]");
  t.error("window", {in({2, 4, 2, 2, 2}), in({2, 4, 3, 3, 3})}, "",
          "conv3d: the window covers 3 places of axis 2, which has 2 with its padding (x has shape "
          "[2, 4, 2, 2, 2]); it must cover at least 1 and fit in [conv3d.window]");
  t.error("window", {in({2, 2, 2, 2, 4}), in({2, 4, 3, 3, 3})}, "data_format=\"NDHWC\"",
          "conv3d: the window covers 3 places of axis 1, which has 2 with its padding (x has shape "
          "[2, 2, 2, 2, 4]); it must cover at least 1 and fit in [conv3d.window]");
  t.error("data_format", {in({2, 4, 5, 5, 5}), in({2, 4, 3, 3, 3})}, "data_format=\"CN\"",
          "conv3d: data_format is \"CN\"; it must be \"NCDHW\" or \"NDHWC\" [conv3d.data_format]");
}
