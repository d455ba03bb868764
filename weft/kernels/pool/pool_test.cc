// The maximum over windows against a plain loop: any number of channels, layouts, NaNs and ties.
#include "weft/kernels/pool/pool.h"

#include <gtest/gtest.h>

#include <limits>

#include "weft/base/thread_pool.h"
#include "weft/kernels/test_tensor.h"

namespace weft::kernels {
namespace {

using testing::Sizes;
using testing::Strided;

// Few different values, so that there are ties.
template <class T>
T drawn(std::mt19937& random) {
  if constexpr (std::is_floating_point_v<T>) {
    if (random() % 9 == 0) return std::numeric_limits<T>::quiet_NaN();
    if (random() % 9 == 0) return -std::numeric_limits<T>::infinity();
  }
  return static_cast<T>(random() % 7);
}

WindowAxis drawn_axis(std::mt19937& random, int64_t size) {
  WindowAxis out;
  out.step = 1 + static_cast<int64_t>(random() % 2);
  const auto places = 1 + random() % 7;
  for (size_t i = 0; i < places; ++i) {
    const auto begin = static_cast<int64_t>(random() % static_cast<uint64_t>(size));
    const int64_t most = (size - 1 - begin) / out.step + 1;
    out.begin.push_back(begin);
    out.count.push_back(1 + static_cast<int64_t>(random() % static_cast<uint64_t>(most)));
  }
  return out;
}

template <class T>
void check(std::mt19937& random, int64_t channels) {
  const int axes = 1 + static_cast<int>(random() % 3);
  Sizes sizes{1 + static_cast<int64_t>(random() % 3)}, out_sizes = sizes, places;
  Windows windows;
  for (int d = 0; d < axes; ++d) {
    sizes.push_back(1 + static_cast<int64_t>(random() % 6));
    windows.push_back(drawn_axis(random, sizes.back()));
    places.push_back(static_cast<int64_t>(windows[static_cast<size_t>(d)].begin.size()));
    out_sizes.push_back(places.back());
  }
  sizes.push_back(channels);
  out_sizes.push_back(channels);
  Strided<T> x = random() % 2 ? Strided<T>(sizes) : Strided<T>(sizes, random, true);
  for (T& value : x.memory()) value = drawn<T>(random);
  Strided<T> out(out_sizes);
  Strided<int64_t> indices(out_sizes);
  window_max(out.tensor(), indices.tensor(), x.tensor(), windows);
  testing::for_each_index(out_sizes, [&](const Sizes& place) {
    T best{};
    int64_t best_at = -1;
    Sizes taps;
    for (size_t d = 0; d < windows.size(); ++d) {
      taps.push_back(windows[d].count[static_cast<size_t>(place[d + 1])]);
    }
    testing::for_each_index(taps, [&](const Sizes& tap) {
      Sizes from = place;
      int64_t position = 0;
      for (size_t d = 0; d < windows.size(); ++d) {
        const WindowAxis& axis = windows[d];
        from[d + 1] = axis.begin[static_cast<size_t>(place[d + 1])] + tap[d] * axis.step;
        position = position * sizes[d + 1] + from[d + 1];
      }
      const T value = x.at(from);
      if (best_at >= 0 && (value <= best || best != best)) return;
      best = value;
      best_at = position;
    });
    ASSERT_EQ(indices.at(place), best_at) << text(sizes, place);
    ASSERT_EQ(out.at(place) == out.at(place), best == best) << text(sizes, place);
    if (best == best) {
      ASSERT_EQ(out.at(place), best) << text(sizes, place);
    }
  });
}

TEST(Pool, MaximaAreTheFirstGreatestOrTheFirstNaN) {
  std::mt19937 random(1);
  const int before = num_threads();
  for (int round = 0; round < 240; ++round) {
    set_num_threads(1 + round % 2);
    for (const int64_t channels : {1, 3, 4, 6, 8, 13, 16, 70}) {
      check<float>(random, channels);
      if (round % 4 == 0) check<double>(random, channels);
      if (round % 4 == 1) check<int64_t>(random, channels);
      if (round % 4 == 2) check<uint64_t>(random, channels);
    }
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace weft::kernels
