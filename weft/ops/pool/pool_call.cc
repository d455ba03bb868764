// Layouts and lists of the pools people call.
#include "weft/ops/pool/pool_call.h"

#include "weft/ops/shape/shape_ops.h"

namespace weft {
namespace {

constexpr std::string_view kFirst[] = {"NCW", "NCHW", "NCDHW"};
constexpr std::string_view kLast[] = {"NWC", "NHWC", "NDHWC"};

}  // namespace

PoolLayout::PoolLayout(const InferCtx& cx, const Tensor& x, int64_t axes, std::string_view format)
    : given_(x), axes_(axes) {
  const auto i = static_cast<size_t>(axes - 1);
  cx.require(format.empty() || format == kFirst[i] || format == kLast[i], "data_format",
             "data_format is \"", format, "\"; it must be \"", kFirst[i], "\" or \"", kLast[i],
             "\"");
  cx.require(x.rank() == axes + 1 || x.rank() == axes + 2, "rank", "x has shape ", x.shape(),
             "; it must have ", axes, " axes of space, channels, and a batch axis or none");
  channels_last_ = format == kLast[i];
  has_batch_ = x.rank() == axes + 2;
}

Tensor PoolLayout::x() const {
  const Tensor batch = has_batch_ ? given_ : expand_dims(given_, 0);
  if (channels_last_) return batch;
  Ints order{0};
  for (int64_t d = 0; d < axes_; ++d) order.push_back(d + 2);
  order.push_back(1);
  return permute_dims(batch, order);
}

Tensor PoolLayout::restored(const Tensor& y) const {
  Tensor out = y;
  if (!channels_last_) {
    Ints order{0, y.rank() - 1};
    for (int64_t d = 1; d + 1 < y.rank(); ++d) order.push_back(d);
    out = permute_dims(y, order);
  }
  return has_batch_ ? out : squeeze(out, Ints{0});
}

void PoolLayout::check(const InferCtx& cx, const WindowAttrs& windows) const {
  const std::pair<const char*, const Ints*> lists[] = {{"kernel_size", &windows.taps},
                                                       {"stride", &windows.stride},
                                                       {"dilation", &windows.dilation},
                                                       {"output_size", &windows.places}};
  for (const auto& [name, list] : lists) {
    for (const int64_t value : *list) {
      cx.require(value >= 1, "positive", name, " is ", *list, "; it must be at least 1");
    }
  }
  const int64_t first_axis = (has_batch_ ? 1 : 0) + (channels_last_ ? 0 : 1);
  window_places(windows, cx, x().shape(), {given_.shape(), first_axis});
}

Ints for_each_axis(const InferCtx& cx, const Ints& list, int64_t axes, std::string_view name) {
  const auto count = static_cast<size_t>(axes);
  cx.require(list.size() == 1 || list.size() == count, "count", name, " has ", list.size(),
             " numbers; give 1, or one for each of the ", axes, " axes of space");
  return list.size() == count ? list : Ints(count, list[0]);
}

void require_padding(const InferCtx& cx, const Ints& padding, const Ints& taps) {
  for (size_t d = 0; d < padding.size(); ++d) {
    cx.require(0 <= padding[d] && padding[d] <= taps[d] / 2, "padding", "padding is ", padding,
               " and kernel_size is ", taps, "; it must be at least 0 and at most half of it");
  }
}

}  // namespace weft
