// Matrix products, softmax, convolution and pooling.
#include <algorithm>
#include <limits>

#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

void matmul(Writer& w, std::string_view) {
  const bool a_vector = w.input_type(0).rank() == 1, b_vector = w.input_type(1).rank() == 1;
  const Attributes type = typed(w);
  Attributes expand = type;
  expand["Tdim"] = DataType::kInt32;
  std::string a = w.input(0), b = w.input(1);
  if (a_vector) a = w.add("a", "ExpandDims", {a, w.int_scalar("a/dim", 0)}, expand);
  if (b_vector) b = w.add("b", "ExpandDims", {b, w.int_scalar("b/dim", 1)}, expand);
  const bool has_batch = w.input_type(0).rank() > 2 || w.input_type(1).rank() > 2;
  const std::string_view op = has_batch ? "BatchMatMulV2" : "MatMul";
  if (!a_vector && !b_vector) return w.give(op, {a, b}, type);
  const std::string product = w.add("MatMul", op, {a, b}, type);
  std::vector<int64_t> axes;
  if (a_vector) axes.push_back(-2);
  if (b_vector) axes.push_back(-1);
  Attributes squeeze = type;
  squeeze["squeeze_dims"] = axes;
  w.give("Squeeze", {product}, squeeze);
}

// Softmax works along the last axis there.
void along_last(Writer& w, std::string_view tf) {
  const int64_t rank = w.input_type(0).rank(), last = rank - 1;
  const int64_t axis = normalized(w.attribute<int64_t>("axis"), rank);
  const Attributes type = typed(w);
  if (axis == last) return w.give(tf, {w.input(0)}, type);
  Ints swapped;
  for (int64_t i = 0; i < rank; ++i) swapped.push_back(i == axis ? last : i == last ? axis : i);
  Attributes permuted = type;
  permuted["Tperm"] = DataType::kInt32;
  const std::string perm = w.ints("perm", swapped);
  const std::string turned = w.add("Transpose", "Transpose", {w.input(0), perm}, permuted);
  w.give("Transpose", {w.add(tf, tf, {turned}, type), perm}, permuted);
}

int64_t item(const Ints& list, size_t i, int64_t otherwise) {
  return list.empty() ? otherwise : list[i];
}

// Padding of [batch, space.., channels], with the given value.
std::string padded(Writer& w, const Ints& low, const Ints& high, double value) {
  const bool is_none = std::all_of(low.begin(), low.end(), [](int64_t n) { return n == 0; }) &&
                       std::all_of(high.begin(), high.end(), [](int64_t n) { return n == 0; });
  if (is_none) return w.input(0);
  std::vector<int32_t> pairs{0, 0};
  for (size_t i = 0; i < low.size(); ++i) {
    if (low[i] < 0 || high[i] < 0) w.fail_op("leaves out elements by negative padding");
    pairs.push_back(static_cast<int32_t>(low[i]));
    pairs.push_back(static_cast<int32_t>(high[i]));
  }
  pairs.insert(pairs.end(), {0, 0});
  const auto rank = static_cast<int64_t>(pairs.size() / 2);
  const std::string paddings = w.constant(
      "paddings", Tensor::from_bytes(DType::kI32, Shape{rank, 2}, std::as_bytes(std::span(pairs))));
  Attributes attr = typed(w);
  attr["Tpaddings"] = DataType::kInt32;
  return w.add("Pad", "PadV2",
               {w.input(0), paddings, w.number("pad_value", w.input_type(0).dtype, value)}, attr);
}

// [1, space.., 1]
std::vector<int64_t> with_ends(const Ints& space) {
  std::vector<int64_t> out{1};
  out.insert(out.end(), space.begin(), space.end());
  out.push_back(1);
  return out;
}

// x is [batch, space.., channels] and the window [taps.., channels, filters], in both.
void conv(Writer& w, std::string_view) {
  const auto axes = static_cast<size_t>(w.input_type(0).rank() - 2);
  const Ints &low = w.attribute<Ints>("low"), &high = w.attribute<Ints>("high");
  Ints stride, dilation, before, behind;
  for (size_t i = 0; i < axes; ++i) {
    stride.push_back(item(w.attribute<Ints>("stride"), i, 1));
    dilation.push_back(item(w.attribute<Ints>("dilation"), i, 1));
    before.push_back(item(low, i, 0));
    behind.push_back(item(high, i, 0));
    if (item(w.attribute<Ints>("input_dilation"), i, 1) != 1) {
      w.fail_op("puts nothing between the elements of its input");
    }
  }
  if (axes < 1 || axes > 3) w.fail_op("has a number of axes that TensorFlow's do not have");
  Attributes attr = typed(w);
  attr["padding"] = std::string("VALID");
  std::string x = padded(w, before, behind, 0), window = w.input(1);
  if (axes == 1) {  // as an image of one row
    Attributes expand = typed(w);
    expand["Tdim"] = DataType::kInt32;
    x = w.add("row", "ExpandDims", {x, w.int_scalar("row/dim", 1)}, expand);
    window = w.add("window", "ExpandDims", {window, w.int_scalar("window/dim", 0)}, expand);
    stride.insert(0, 1);
    dilation.insert(0, 1);
  }
  attr["strides"] = with_ends(stride);
  attr["dilations"] = with_ends(dilation);
  attr["data_format"] = std::string(axes == 3 ? "NDHWC" : "NHWC");
  if (axes != 1) return w.give(axes == 3 ? "Conv3D" : "Conv2D", {x, window}, attr);
  Attributes squeeze = typed(w);
  squeeze["squeeze_dims"] = std::vector<int64_t>{1};
  w.give("Squeeze", {w.add("Conv2D", "Conv2D", {x, window}, attr)}, squeeze);
}

// Padding of ours comes in front; windows that hang over the end need more of it.
void pool(Writer& w, std::string_view tf) {
  const bool is_max = tf == "MaxPool";
  const auto& taps = w.attribute<Ints>("taps");
  if (!w.attribute<Ints>("places").empty()) w.fail_op("has windows of different sizes");
  const size_t axes = taps.size();
  if (axes != 2) w.fail_op("pools along one or three axes");
  Ints stride = w.attribute<Ints>("stride"), low = w.attribute<Ints>("low"),
       high = w.attribute<Ints>("high");
  if (stride.empty()) stride = taps;
  low.resize(axes, 0);
  high.resize(axes, 0);
  bool has_padding = false;
  for (size_t i = 0; i < axes; ++i) {
    if (is_max && item(w.attribute<Ints>("dilation"), i, 1) != 1) w.fail_op("is dilated");
    const Dim size = w.input_type(0).shape[i + 1], places = w.output_type().shape[i + 1];
    if (size.is_known() && places.is_known()) {
      const int64_t covered = (places.value() - 1) * stride[i] + taps[i];
      const int64_t hanging = covered - size.value() - low[i];
      if (!is_max && hanging > high[i]) w.fail_op("divides windows at the end by what they hold");
      high[i] = std::max(high[i], hanging);
    } else if (w.attribute<bool>("ceil_mode")) {
      w.fail_op("has windows that may hang over an axis whose size only a run knows");
    }
    has_padding = has_padding || low[i] > 0 || high[i] > 0;
  }
  if (!is_max) {
    const bool counts = w.attribute<bool>("count_include_pad") || !has_padding;
    if (!counts || w.attribute<std::optional<int64_t>>("divisor")) {
      w.fail_op("divides by another number than the size of the window");
    }
  }
  const double nothing = is_max ? -std::numeric_limits<double>::infinity() : 0;
  Attributes attr = typed(w);
  attr["ksize"] = with_ends(taps);
  attr["strides"] = with_ends(stride);
  attr["padding"] = std::string("VALID");
  attr["data_format"] = std::string("NHWC");
  const std::string x = padded(w, low, high, nothing);
  if (is_max && w.is_used(1)) w.fail_op("gives indices, which TensorFlow counts otherwise");
  w.give(tf, {x}, attr);
}

void same(Writer& w, std::string_view tf) { w.give(tf, w.inputs(), typed(w)); }

constexpr Row kRows[] = {
    {"matmul", matmul},
    {"softmax", along_last, "Softmax"},
    {"log_softmax", along_last, "LogSoftmax"},
    {"relu", same, "Relu"},
    {"nn.relu6", same, "Relu6"},
    {"nn.softsign", same, "Softsign"},
    {"nn.selu", same, "Selu"},
    {"nn.conv", conv},
    {"nn.pool.max", pool, "MaxPool"},
    {"nn.pool.mean", pool, "AvgPool"},
};

}  // namespace

std::span<const Row> nn_rows() { return kRows; }

}  // namespace weft::io
