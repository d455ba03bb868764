// Name: a text as a template argument, for families of modules that differ in one function.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace weft::nn {

template <size_t kSize>
struct Name {
  char text[kSize];

  consteval Name(const char (&literal)[kSize]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(literal, kSize, text);
  }
  constexpr operator std::string_view() const {  // NOLINT(google-explicit-constructor)
    return {text, kSize - 1};
  }
};

}  // namespace weft::nn
