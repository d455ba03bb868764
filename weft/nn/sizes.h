// Sizes: one number for all axes of space, or one for each.
#pragma once

#include <concepts>
#include <initializer_list>

#include "weft/core/shape.h"

namespace weft::nn {

//   nn::Conv2d(3, 8, 3, {.stride = 2, .padding = {1, 0}})
struct Sizes {
  Ints values;

  Sizes() = default;  // left out
  template <std::integral T>
  Sizes(T one) : values{static_cast<int64_t>(one)} {}  // NOLINT(google-explicit-constructor)
  Sizes(std::initializer_list<int64_t> each) : values(each) {}

  friend bool operator==(const Sizes&, const Sizes&) = default;
};

// As many as there are axes; raises [who.kernel_size] for another number of them.
Ints for_each_axis(const Sizes& sizes, int64_t axes, std::string_view who);

}  // namespace weft::nn
