// Where the windows of pooling lie.
#include <algorithm>

#include "weft/ops/pool/pool.h"

namespace weft {
namespace {

int64_t item(const Ints& list, size_t d, int64_t otherwise) {
  return list.empty() ? otherwise : list[d];
}

// One axis of the windows.
struct Axis {
  int64_t taps, stride, dilation, low, high;

  Axis(const WindowAttrs& at, size_t d)
      : taps(item(at.taps, d, 1)),
        stride(item(at.stride, d, taps)),
        dilation(item(at.dilation, d, 1)),
        low(item(at.low, d, 0)),
        high(item(at.high, d, 0)) {}
  int64_t covered() const { return ((Dim(taps) - 1) * dilation + 1).value(); }

  Dim places(Dim size, bool ceil_mode) const {
    const Dim room = size + low + high - covered();
    if (!ceil_mode) return floor_div(room, stride) + 1;
    const Dim out = ceil_div(room, stride) + 1;
    // The last window must begin inside the axis or the padding before it.
    const bool outside =
        out.is_known() && size.is_known() && ((out - 1) * stride).value() >= size.value() + low;
    return outside ? out - 1 : out;
  }
};

void require_lists(const WindowAttrs& at, const InferCtx& cx, size_t axes) {
  const std::pair<const char*, const Ints*> lists[] = {
      {"taps", &at.taps}, {"stride", &at.stride}, {"dilation", &at.dilation},
      {"low", &at.low},   {"high", &at.high},     {"places", &at.places}};
  for (const auto& [name, list] : lists) {
    cx.require(list->empty() || list->size() == axes, "count", name, " has ", list->size(),
               " numbers, but x has ", axes, " axes of space; give one for each of them");
    const bool may_be_zero = list == &at.low || list == &at.high;
    for (const int64_t value : *list) {
      cx.require(value >= (may_be_zero ? 0 : 1), "positive", name, " is ", *list,
                 "; it must be at least ", may_be_zero ? 0 : 1);
    }
  }
}

// More places than that, and than elements, are a slip that would fill the memory.
constexpr int64_t kMostPlaces = 1 << 22;

bool are_too_many(Dim places, Dim size) {
  return places.is_known() && places.value() > kMostPlaces &&
         !(size.is_known() && places.value() <= size.value());
}

// Does every window cover an element? Unknown sizes are asked when they are known.
bool covers(const WindowAttrs& at, size_t d, int64_t size) {
  Ints sizes(at.taps.size(), 1);
  sizes[d] = size;
  const Windows windows = windows_of(at, sizes);
  return std::ranges::all_of(windows[d].count, [](int64_t count) { return count >= 1; });
}

}  // namespace

Ints space_of(ShapeView x) {
  Ints out;
  for (const Dim dim : x.subspan(1, x.size() - 2)) out.push_back(dim.value());
  return out;
}

Shape window_places(const WindowAttrs& at, const InferCtx& cx, ShapeView x) {
  return window_places(at, cx, x, {x, 1});
}

Shape window_places(const WindowAttrs& at, const InferCtx& cx, ShapeView x, const SeenAs& seen) {
  cx.require(3 <= x.size() && x.size() <= 5, "rank", "x has shape ", x,
             "; it must be [batch, space.., channels] with 1 to 3 axes of space");
  const size_t axes = x.size() - 2;
  require_lists(at, cx, axes);
  cx.require(at.taps.empty() != at.places.empty(), "window",
             "windows need taps, or places, but not both");
  Shape out;
  for (size_t d = 0; d < axes; ++d) {
    const Dim size = x[d + 1];
    if (!at.places.empty()) {
      cx.require(!size.is_known() || size.value() > 0, "window", "x has shape ", seen.shape,
                 "; an axis of space needs elements");
      cx.require(!are_too_many(at.places[d], size), "window", "there are to be ", at.places,
                 " places, but x has shape ", seen.shape, "; at most ", kMostPlaces,
                 " places, or as many as elements, lie along an axis");
      out.push_back(at.places[d]);
      continue;
    }
    const Axis axis(at, d);
    const Dim places = axis.places(size, at.ceil_mode);
    const bool fits = !places.is_known() || (places.value() > 0 && !are_too_many(places, size));
    const bool has_elements =
        !size.is_known() || (fits && size.value() > 0 && covers(at, d, size.value()));
    cx.require(fits && has_elements, "window", "the window covers ", axis.covered(),
               " places of axis ", seen.first_axis + static_cast<int64_t>(d), " with padding ",
               axis.low, " and ", axis.high, " (x has shape ", seen.shape,
               "); it must fit in, and always over some element");
    out.push_back(places);
  }
  return out;
}

Windows windows_of(const WindowAttrs& at, std::span<const int64_t> sizes) {
  Windows out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    WindowAxis windows;
    const int64_t size = sizes[d];
    if (!at.places.empty()) {
      const int64_t places = at.places[d];
      for (int64_t i = 0; i < places; ++i) {
        const int64_t begin = i * size / places, end = ((i + 1) * size + places - 1) / places;
        windows.begin.push_back(begin);
        windows.count.push_back(end - begin);
      }
      out.push_back(windows);
      continue;
    }
    const Axis axis(at, d);
    windows.step = axis.dilation;
    const int64_t places = axis.places(size, at.ceil_mode).value();
    for (int64_t i = 0; i < places; ++i) {
      const int64_t start = i * axis.stride - axis.low;
      // Elements before the axis are left out, and those behind it.
      const int64_t skipped = start < 0 ? (-start + axis.dilation - 1) / axis.dilation : 0;
      const int64_t begin = start + skipped * axis.dilation;
      const int64_t inside = begin < size ? (size - 1 - begin) / axis.dilation + 1 : 0;
      windows.begin.push_back(begin);
      windows.count.push_back(std::min(axis.taps - skipped, inside));
    }
    out.push_back(windows);
  }
  return out;
}

Tensor divisors_of(const MeanWindowAttrs& at, std::span<const int64_t> sizes) {
  const Windows windows = windows_of(at, sizes);
  Shape shape;
  for (const WindowAxis& axis : windows) {
    shape.push_back(static_cast<int64_t>(axis.count.size()));
  }
  const Tensor out = Tensor::empty(DType::kF64, shape);
  auto* const to = static_cast<double*>(out.writable_data());
  for (int64_t i = 0; i < out.numel(); ++i) {
    int64_t rest = i;
    double divisor = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
      const auto count = static_cast<int64_t>(windows[d].count.size());
      const int64_t place = rest % count;
      rest /= count;
      int64_t own = windows[d].count[static_cast<size_t>(place)];
      if (at.places.empty() && at.count_include_pad) {
        // Padding counts, but not what a window hangs over it.
        const Axis axis(at, d);
        const int64_t start = place * axis.stride - axis.low;
        own = std::min(start + axis.taps, sizes[d] + axis.high) - start;
      }
      divisor *= static_cast<double>(own);
    }
    to[i] = at.divisor ? static_cast<double>(*at.divisor) : divisor;
  }
  return out;
}

}  // namespace weft
