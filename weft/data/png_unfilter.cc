// The filters of PNG (section 9 of its specification), a pixel at a time.
//
// A pixel needs the one before it, so that the wide registers hold its channels and no more; what
// counts is how many operations follow on each other from pixel to pixel.
#include "weft/data/png_unfilter.h"

#include <bit>

namespace weft::data {
namespace {

using Lanes [[gnu::vector_size(8)]] = int16_t;
using Wide [[gnu::vector_size(16)]] = uint8_t;

// The channels of a pixel, 16 bits for each; a single one is an ordinary number.
template <int kStep>
struct Pixel {
  static Lanes load(const uint8_t* from) {
    uint32_t packed = 0;
    std::memcpy(&packed, from, kStep == 3 ? 4 : kStep);  // kBehindRow
    uint64_t out = packed;
    out = (out | out << 16) & 0x0000ffff0000ffff;
    out = (out | out << 8) & 0x00ff00ff00ff00ff;
    return std::bit_cast<Lanes>(out);
  }
  static void store(uint8_t* to, Lanes lanes) {
    auto out = std::bit_cast<uint64_t>(lanes);
    out = (out | out >> 8) & 0x0000ffff0000ffff;
    out = out | out >> 16;
    const auto packed = static_cast<uint32_t>(out);
    std::memcpy(to, &packed, kStep);
  }
};
template <>
struct Pixel<1> {
  static int load(const uint8_t* from) { return *from; }
  static void store(uint8_t* to, int value) { *to = static_cast<uint8_t>(value); }
};

// left, above and above-left: which of them is nearest to left + above - above_left? In order
// lo <= hi of the first two, what decides is where t = 3 * above_left - left - above lies: between
// them it is above_left, beyond one the other. Shorter from left to result than by distances.
template <class T>
T paeth(T left, T above, T above_left) {
  const T t = (above_left + above_left + above_left - above) - left;
  const T lo = left < above ? left : above;
  const T hi = left < above ? above : left;
  const T inner = t < hi ? above_left : lo;
  return t > lo ? inner : hi;
}

// predicted(left, above, above_left)
template <int kStep>
void unfilter_by(uint8_t* to, const uint8_t* from, const uint8_t* above, int64_t bytes,
                 auto predicted) {
  using P = Pixel<kStep>;
  using T = decltype(P::load(from));
  T left{}, above_left{};
  for (int64_t i = 0; i < bytes; i += kStep) {
    const T up = P::load(above + i);
    left = (P::load(from + i) + predicted(left, up, above_left)) & 0xff;
    above_left = up;
    P::store(to + i, left);
  }
}

void add_above(uint8_t* to, const uint8_t* from, const uint8_t* above, int64_t bytes) {
  constexpr int64_t kWide = sizeof(Wide);
  int64_t i = 0;
  for (; i + kWide <= bytes; i += kWide) {
    Wide a, b;
    std::memcpy(&a, from + i, kWide);
    std::memcpy(&b, above + i, kWide);
    a += b;
    std::memcpy(to + i, &a, kWide);
  }
  for (; i < bytes; ++i) to[i] = static_cast<uint8_t>(from[i] + above[i]);
}

template <int kStep>
bool unfilter(uint8_t* to, const uint8_t* from, const uint8_t* above, int64_t bytes, int filter) {
  const auto by = [&](auto predicted) {
    unfilter_by<kStep>(to, from, above, bytes, predicted);
    return true;
  };
  switch (filter) {
    case 0: std::memmove(to, from, static_cast<size_t>(bytes)); return true;
    case 1: return by([](auto left, auto, auto) { return left; });
    case 2: add_above(to, from, above, bytes); return true;
    case 3: return by([](auto left, auto up, auto) { return (left + up) >> 1; });
    case 4: return by([](auto left, auto up, auto up_left) { return paeth(left, up, up_left); });
    default: return false;
  }
}

}  // namespace

bool unfilter_row(uint8_t* to, const uint8_t* from, const uint8_t* above, int64_t bytes, int step) {
  const int filter = *from++;
  switch (step) {
    case 1: return unfilter<1>(to, from, above, bytes, filter);
    case 2: return unfilter<2>(to, from, above, bytes, filter);
    case 3: return unfilter<3>(to, from, above, bytes, filter);
    default: return unfilter<4>(to, from, above, bytes, filter);
  }
}

}  // namespace weft::data
