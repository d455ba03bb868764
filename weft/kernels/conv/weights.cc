// Packing the weights of a convolution, and keeping them.
#include "weft/kernels/conv/weights.h"

#include <algorithm>

#include "weft/base/checked.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {
namespace {

constexpr int64_t kMostTaps = 128;  // packed together, if they lie so
constexpr int64_t kChannelsAtOnce = 32;
constexpr int64_t kTapsAtOnce = 9, kMostLanes = 64;  // of depthwise windows
constexpr int64_t kManyRows = 4096;  // of the output: packing is a hundredth of the work or less

Atomic<int64_t> packings{0};

enum class Form : int64_t { kPanels, kTaps };

// All that packed weights depend on: the kernels of a tier and a dtype, and where each weight lies.
template <class T>
class Key {
 public:
  Key(const ConvProblem<T>& p, Form form) {
    int64_t* to = values_;
    *to++ = static_cast<int64_t>(form);
    *to++ = reinterpret_cast<int64_t>(p.tools.product);
    *to++ = reinterpret_cast<int64_t>(p.tools.storage);
    *to++ = p.w_keeper == nullptr ? 0 : p.w - static_cast<const char*>(p.w_keeper->data);
    for (const int64_t size : {p.groups, p.channels, p.filters, p.w_channel, p.w_filter}) {
      *to++ = size;
    }
    for (const ConvAxis& a : p.axis) *to++ = a.taps, *to++ = a.w_stride;
  }
  operator std::span<const int64_t>() const {
    return values_;
  }  // NOLINT(google-explicit-constructor)

 private:
  int64_t values_[9 + 2 * kConvAxes];
};

// Where a tap lies, in elements.
template <class T>
int64_t tap_offset(const ConvProblem<T>& p, int64_t tap) {
  const ConvAxis(&a)[kConvAxes] = p.axis;
  const int64_t outer = tap / a[2].taps;
  return tap % a[2].taps * a[2].w_stride + outer % a[1].taps * a[1].w_stride +
         outer / a[1].taps * a[0].w_stride;
}

// [taps, groups] in accumulators; the taps that lie at equal distances are packed together.
template <class T>
void widen_weights(const ConvProblem<T>& p, T* to) {
  const ConvAxis &a = p.axis[1], &last = p.axis[2];
  const int64_t lanes = p.tools.product->lanes, taps = p.taps();
  const bool joins = a.taps == 1 || last.taps == 1 || a.w_stride == last.taps * last.w_stride;
  const int64_t step = last.taps == 1 ? a.w_stride : last.w_stride;
  int64_t together = last.taps * (joins ? a.taps : 1);
  if (together > kTapsAtOnce) together = 1;
  for (int64_t tap = 0; tap < taps; tap += together) {
    const char* const from = p.w + tap_offset(p, tap) * p.tools.element;
    for (int64_t j = 0; j < p.groups; j += lanes) {
      T panel[kTapsAtOnce * kMostLanes];
      const int64_t cols = lesser(lanes, p.groups - j);
      p.tools.storage->pack_b(Packing{panel, from + j * p.w_filter * p.tools.element, cols,
                                      together, p.w_filter, step});
      for (int64_t k = 0; k < together; ++k)
        std::copy_n(panel + k * lanes, cols, to + (tap + k) * p.groups + j);
    }
  }
}

}  // namespace

int64_t weight_packings() { return packings.load_acquire(); }

template <class T>
PackedWeights<T>::PackedWeights(const ConvProblem<T>& p)
    : p_(p),
      steps_(p.taps() * p.channels),
      cols_(round_up(p.filters, p.tools.product->max_cols)),
      copy_(p.rows() < kManyRows ? p.w_keeper : nullptr, Key<T>(p, Form::kPanels),
            (checked_mul(checked_mul(steps_, cols_), p.groups) + p.tools.product->lanes) *
                int64_t{sizeof(T)}) {
  if (copy_.is_made()) return;
  packings.add_relaxed(1);
  pack_all();
  copy_.keep();
}

template <class T>
void PackedWeights<T>::pack_all() const {
  const int64_t width = p_.tools.product->max_cols, panels = cols_ / width;
  if (has_inner_taps()) {
    const int64_t blocks = ceil_div(p_.channels, kChannelsAtOnce);
    return parallel_for(p_.groups * panels * blocks, [&](int64_t task) {
      pack_taps(task / blocks / panels, task / blocks % panels * width,
                task % blocks * kChannelsAtOnce);
    });
  }
  const int64_t chains = ceil_div(steps_, p_.chain());
  parallel_for(p_.groups * chains * panels, [&](int64_t task) {
    pack(task / panels / chains, task / panels % chains * p_.chain(), task % panels * width);
  });
}

// Are the taps innermost in memory, in order or all of them reversed? So they are where weights
// are [filters, channels, taps..].
template <class T>
bool PackedWeights<T>::has_inner_taps() const {
  const ConvAxis(&a)[kConvAxes] = p_.axis;
  const int64_t strides[] = {a[1].taps * a[2].taps, a[2].taps, 1};
  if (p_.taps() == 1 || p_.taps() > kMostTaps || p_.tools.parts != 1) return false;
  bool in_order = true, reversed = true;
  for (int d = 0; d < kConvAxes; ++d) {
    in_order = in_order && (a[d].taps == 1 || a[d].w_stride == strides[d]);
    reversed = reversed && (a[d].taps == 1 || a[d].w_stride == -strides[d]);
  }
  return (in_order || reversed) && p_.w_filter != 1;
}

// Some channels of one panel: all taps are transposed as they lie, then put where they belong.
template <class T>
void PackedWeights<T>::pack_taps(int64_t group, int64_t j, int64_t first) const {
  const int64_t taps = p_.taps(), channels = lesser(kChannelsAtOnce, p_.channels - first);
  const int64_t cols = lesser(p_.tools.product->max_cols, p_.filters - j);
  const int64_t width = round_up(cols, p_.tools.product->lanes);
  bool reversed = false;
  for (const ConvAxis& a : p_.axis) reversed = reversed || (a.taps > 1 && a.w_stride < 0);
  const int64_t low = reversed ? 1 - taps : 0;
  const Workspace room((channels * taps * width + p_.tools.product->lanes) * int64_t{sizeof(T)});
  const bool merges = p_.w_channel == taps;
  for (int64_t c = 0; c < channels; c += merges ? channels : 1) {
    const int64_t offset = (group * p_.filters + j) * p_.w_filter + (first + c) * p_.w_channel;
    p_.tools.storage->pack_b(Packing{room.as<T>() + c * taps * width,
                                     p_.w + (offset + low) * p_.tools.element, cols,
                                     merges ? channels * taps : taps, p_.w_filter, 1});
  }
  for (int64_t tap = 0; tap < taps; ++tap) {
    const T* from = room.as<T>() + (reversed ? taps - 1 - tap : tap) * width;
    for (int64_t c = 0; c < channels; ++c, from += taps * width) {
      const int64_t k = tap * p_.channels + first + c, chain = k / p_.chain() * p_.chain();
      std::copy_n(from, width, at(group, chain, j) + (k - chain) * width);
    }
  }
}

// One panel, stretch by stretch: the channels of a tap.
template <class T>
void PackedWeights<T>::pack(int64_t group, int64_t k, int64_t j) const {
  const int64_t end = lesser(k + p_.chain(), steps_);
  const int64_t cols = lesser(p_.tools.product->max_cols, p_.filters - j);
  const int64_t width = round_up(cols, p_.tools.product->lanes), parts = p_.tools.parts;
  T* to = at(group, k, j);
  while (k < end) {
    const int64_t tap = k / p_.channels, channel = k % p_.channels;
    const int64_t steps = lesser(p_.channels - channel, end - k);
    const int64_t offset = (group * p_.filters + j) / parts * p_.w_filter +
                           channel / parts * p_.w_channel + tap_offset(p_, tap);
    p_.tools.storage->pack_b(
        Packing{to, p_.w + offset * p_.tools.element, cols, steps, p_.w_filter, p_.w_channel});
    to += steps * width;
    k += steps;
  }
}

template <class T>
DepthwiseWeights<T>::DepthwiseWeights(const ConvProblem<T>& p)
    : copy_(p.w_keeper, Key<T>(p, Form::kTaps), p.taps() * p.groups * int64_t{sizeof(T)}) {
  if (copy_.is_made()) return;
  packings.add_relaxed(1);
  widen_weights(p, static_cast<T*>(copy_.data()));
  copy_.keep();
}

template class PackedWeights<float>;
template class PackedWeights<double>;
template class PackedWeights<uint32_t>;
template class PackedWeights<uint64_t>;
template class DepthwiseWeights<float>;
template class DepthwiseWeights<double>;
template class DepthwiseWeights<uint32_t>;
template class DepthwiseWeights<uint64_t>;

}  // namespace weft::kernels
