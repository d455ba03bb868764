// Samples of the pools people call.
#include "weft/ops/pool/pool_reference.h"

using namespace weft::suite;

namespace {

template <size_t Axes, bool WithIndices>
Arrays max_reference(const Attrs& at, const Arrays& in) {
  const Laid layout = pool_laid(at, in[0], Axes);
  Arrays out = max_pooled(call_axes(at, Axes, true), layout.of(in[0]));
  for (Array& each : out) each = layout.restored(each);
  if (!WithIndices) out.pop_back();
  return out;
}

template <size_t Axes>
Arrays avg_reference(const Attrs& at, const Arrays& in) {
  const Laid layout = pool_laid(at, in[0], Axes);
  return {layout.restored(mean_pooled(call_axes(at, Axes, false), layout.of(in[0]),
                                      at.get<bool>("count_include_pad"),
                                      at.get<std::optional<int64_t>>("divisor_override")))};
}

template <size_t Axes, bool OfMax>
Arrays adaptive_reference(const Attrs& at, const Arrays& in) {
  const Laid layout = pool_laid(at, in[0], Axes);
  const Array x = layout.of(in[0]);
  if (!OfMax) {
    return {layout.restored(mean_pooled(adaptive_axes(at, Axes), x, true, std::nullopt))};
  }
  Arrays out = max_pooled(adaptive_axes(at, Axes), x);
  for (Array& each : out) each = layout.restored(each);
  return out;
}

void skips(OpTest& t) {
  t.skip("symbolic", "that every window covers an element is asked when sizes are known");
  t.skip("zero", "sums of a window are divided, not chosen: 0 times infinity is NaN there");
}

// The laws that all calls have, for a rank that is wrong for all.
void errors(OpTest& t, const std::string& name, int axes, const char* sizes,
            const std::string& list) {
  const std::string space = std::to_string(axes);
  t.error("rank", {in({2})}, sizes,
          name + ": x has shape [2]; it must have " + space +
              " axes of space, channels, and a batch axis or none [" + name + ".rank]");
  const std::string formats = axes == 1   ? "\"NCW\" or \"NWC\""
                              : axes == 2 ? "\"NCHW\" or \"NHWC\""
                                          : "\"NCDHW\" or \"NDHWC\"";
  const Arg x = axes == 1 ? in({2, 4}) : axes == 2 ? in({2, 4, 4}) : in({2, 4, 4, 4});
  t.error("data_format", {x}, std::string(sizes) + ", data_format=\"CN\"",
          name + ": data_format is \"CN\"; it must be " + formats + " [" + name + ".data_format]");
  t.error("count", {x}, list + "=[2, 2, 2, 2]",
          name + ": " + list + " has 4 numbers; give 1, or one for each of the " + space +
              " axes of space [" + name + ".count]");
  const auto times = [axes](const std::string& item) {
    return "[" + item + (axes > 1 ? ", " + item : "") + (axes > 2 ? ", " + item : "") + "]";
  };
  t.error(
      "positive", {x}, list + "=[0]",
      name + ": " + list + " is " + times("0") + "; it must be at least 1 [" + name + ".positive]");
  const std::string four = times("4"), shape = "[2, " + four.substr(1);
  if (list == "output_size") {
    t.error("window", {x}, "output_size=[5000000]",
            name + ": there are to be " + times("5000000") + " places, but x has shape " + shape +
                "; at most 4194304 places, or as many as elements, lie along an axis [" + name +
                ".window]");
  } else {
    t.error("window", {x}, list + "=[9]",
            name + ": the window covers 9 places of axis 1 with padding 0 and 0 (x has shape " +
                shape + "); it must fit in, and always over some element [" + name + ".window]");
  }
}

void padding_error(OpTest& t, const std::string& name, const Arg& x, const std::string& padding,
                   const std::string& taps) {
  t.error("padding", {x}, "kernel_size=[2], padding=[2]",
          name + ": padding is " + padding + " and kernel_size is " + taps +
              "; it must be at least 0 and at most half of it [" + name + ".padding]");
}

}  // namespace

WEFT_OP_TEST(nn__max_pool1d) {
  skips(t);
  t.sample({distinct({2, 2, 7})}, "kernel_size=[3], stride=[2], padding=[1]");
  t.sample({distinct({2, 7})}, "kernel_size=[2], dilation=[2]");
  t.large({distinct({4, 40, 70})}, "kernel_size=[3]");
  t.reference(max_reference<1, false>);
  errors(t, "max_pool1d", 1, "kernel_size=[2]", "kernel_size");
  padding_error(t, "max_pool1d", in({2, 4}), "[2]", "[2]");
}
WEFT_OP_TEST(nn__max_pool2d) {
  skips(t);
  t.sample({distinct({2, 2, 4, 5})}, "kernel_size=[2]");
  t.sample({distinct({2, 2, 4, 5})}, "kernel_size=[3, 2], stride=[1, 2], padding=[1, 1]");
  t.sample({distinct({2, 5, 5})}, "kernel_size=[2], ceil_mode=true");
  t.sample({distinct({1, 4, 5, 2})}, "kernel_size=[2], data_format=\"NHWC\"");
  t.large({distinct({2, 20, 24, 24})}, "kernel_size=[3], stride=[2], padding=[1]");
  t.reference(max_reference<2, false>);
  errors(t, "max_pool2d", 2, "kernel_size=[2]", "kernel_size");
  padding_error(t, "max_pool2d", in({2, 4, 4}), "[2, 2]", "[2, 2]");
}
WEFT_OP_TEST(nn__max_pool3d) {
  skips(t);
  t.sample({distinct({1, 2, 2, 4, 3})}, "kernel_size=[2, 2, 1], stride=[1]");
  t.large({distinct({2, 8, 8, 12, 12})}, "kernel_size=[2]");
  t.reference(max_reference<3, false>);
  errors(t, "max_pool3d", 3, "kernel_size=[2]", "kernel_size");
  padding_error(t, "max_pool3d", in({2, 4, 4, 4}), "[2, 2, 2]", "[2, 2, 2]");
}
WEFT_OP_TEST(nn__max_pool1d_with_indices) {
  skips(t);
  t.sample({distinct({2, 2, 7})}, "kernel_size=[3], stride=[2], padding=[1]");
  t.large({distinct({4, 40, 70})}, "kernel_size=[3]");
  t.reference(max_reference<1, true>);
  errors(t, "max_pool1d_with_indices", 1, "kernel_size=[2]", "kernel_size");
  padding_error(t, "max_pool1d_with_indices", in({2, 4}), "[2]", "[2]");
}
WEFT_OP_TEST(nn__max_pool2d_with_indices) {
  skips(t);
  t.sample({distinct({2, 2, 4, 5})}, "kernel_size=[3, 2], stride=[1, 2], padding=[1, 1]");
  t.large({distinct({2, 20, 24, 24})}, "kernel_size=[3], stride=[2], padding=[1]");
  t.reference(max_reference<2, true>);
  errors(t, "max_pool2d_with_indices", 2, "kernel_size=[2]", "kernel_size");
  padding_error(t, "max_pool2d_with_indices", in({2, 4, 4}), "[2, 2]", "[2, 2]");
}
WEFT_OP_TEST(nn__max_pool3d_with_indices) {
  skips(t);
  t.sample({distinct({1, 2, 2, 4, 3})}, "kernel_size=[2, 2, 1], stride=[1]");
  t.large({distinct({2, 8, 8, 12, 12})}, "kernel_size=[2]");
  t.reference(max_reference<3, true>);
  errors(t, "max_pool3d_with_indices", 3, "kernel_size=[2]", "kernel_size");
  padding_error(t, "max_pool3d_with_indices", in({2, 4, 4, 4}), "[2, 2, 2]", "[2, 2, 2]");
}

WEFT_OP_TEST(nn__avg_pool1d) {
  skips(t);
  t.sample({in({2, 2, 7})}, "kernel_size=[3], stride=[2], padding=[1]");
  t.sample({in({2, 7})}, "kernel_size=[2], ceil_mode=true");
  t.large({in({4, 40, 70})}, "kernel_size=[3]");
  t.reference(avg_reference<1>);
  errors(t, "avg_pool1d", 1, "kernel_size=[2]", "kernel_size");
  padding_error(t, "avg_pool1d", in({2, 4}), "[2]", "[2]");
}
WEFT_OP_TEST(nn__avg_pool2d) {
  skips(t);
  t.sample({in({2, 2, 4, 5})}, "kernel_size=[2]");
  t.sample({in({2, 2, 4, 5})}, "kernel_size=[3, 2], padding=[1, 1], count_include_pad=false");
  t.sample({in({2, 5, 5})}, "kernel_size=[2], stride=[1], divisor_override=3");
  t.sample({in({1, 4, 5, 2})}, "kernel_size=[2], data_format=\"NHWC\"");
  t.large({in({2, 20, 24, 24})}, "kernel_size=[3], stride=[2], padding=[1]");
  t.reference(avg_reference<2>);
  errors(t, "avg_pool2d", 2, "kernel_size=[2]", "kernel_size");
  padding_error(t, "avg_pool2d", in({2, 4, 4}), "[2, 2]", "[2, 2]");
}
WEFT_OP_TEST(nn__avg_pool3d) {
  skips(t);
  t.sample({in({1, 2, 2, 4, 3})}, "kernel_size=[2, 2, 1], stride=[1]");
  t.large({in({2, 8, 8, 12, 12})}, "kernel_size=[2]");
  t.reference(avg_reference<3>);
  errors(t, "avg_pool3d", 3, "kernel_size=[2]", "kernel_size");
  padding_error(t, "avg_pool3d", in({2, 4, 4, 4}), "[2, 2, 2]", "[2, 2, 2]");
}

WEFT_OP_TEST(nn__adaptive_avg_pool1d) {
  skips(t);
  t.sample({in({2, 2, 7})}, "output_size=[3]");
  t.large({in({4, 40, 70})}, "output_size=[30]");
  t.reference(adaptive_reference<1, false>);
  errors(t, "adaptive_avg_pool1d", 1, "output_size=[2]", "output_size");
}
WEFT_OP_TEST(nn__adaptive_avg_pool2d) {
  skips(t);
  t.sample({in({2, 2, 4, 5})}, "output_size=[1]");
  t.sample({in({2, 4, 5})}, "output_size=[3, 2]");
  t.sample({in({1, 4, 5, 2})}, "output_size=[2], data_format=\"NHWC\"");
  t.large({in({2, 20, 24, 24})}, "output_size=[7]");
  t.reference(adaptive_reference<2, false>);
  errors(t, "adaptive_avg_pool2d", 2, "output_size=[2]", "output_size");
}
WEFT_OP_TEST(nn__adaptive_avg_pool3d) {
  skips(t);
  t.sample({in({1, 2, 2, 4, 3})}, "output_size=[2, 3, 1]");
  t.large({in({2, 8, 8, 12, 12})}, "output_size=[3]");
  t.reference(adaptive_reference<3, false>);
  errors(t, "adaptive_avg_pool3d", 3, "output_size=[2]", "output_size");
}
WEFT_OP_TEST(nn__adaptive_max_pool1d) {
  skips(t);
  t.sample({distinct({2, 2, 7})}, "output_size=[3]");
  t.large({distinct({4, 40, 70})}, "output_size=[30]");
  t.reference(adaptive_reference<1, true>);
  errors(t, "adaptive_max_pool1d", 1, "output_size=[2]", "output_size");
}
WEFT_OP_TEST(nn__adaptive_max_pool2d) {
  skips(t);
  t.sample({distinct({2, 2, 4, 5})}, "output_size=[3, 2]");
  t.sample({distinct({1, 4, 5, 2})}, "output_size=[2], data_format=\"NHWC\"");
  t.large({distinct({2, 20, 24, 24})}, "output_size=[7]");
  t.reference(adaptive_reference<2, true>);
  errors(t, "adaptive_max_pool2d", 2, "output_size=[2]", "output_size");
}
WEFT_OP_TEST(nn__adaptive_max_pool3d) {
  skips(t);
  t.sample({distinct({1, 2, 2, 4, 3})}, "output_size=[2, 3, 1]");
  t.large({distinct({2, 8, 8, 12, 12})}, "output_size=[3]");
  t.reference(adaptive_reference<3, true>);
  errors(t, "adaptive_max_pool3d", 3, "output_size=[2]", "output_size");
}
