// tensor: values of the language as a Tensor.
//
//   const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}});              // float32[2, 2]
//   const Tensor y = tensor(std::span<const double>(data), {2, 3});  // float64[2, 3]
#pragma once

#include <initializer_list>
#include <vector>

#include "weft/core/tensor.h"

namespace weft {

namespace detail {

// Rows of equal length, joined; raises [tensor.ragged].
template <class T>
struct Nested {
  std::vector<T> values;
  Shape shape;

  void add(T value) { values.push_back(value); }
  template <class List>
  void add(std::initializer_list<List> list, size_t depth = 0) {
    note_size(depth, static_cast<int64_t>(list.size()));
    for (const auto& item : list) {
      if constexpr (std::is_same_v<List, T>) {
        add(item);
      } else {
        add(item, depth + 1);
      }
    }
  }
  void note_size(size_t depth, int64_t size) {
    if (shape.size() <= depth) {
      shape.push_back(size);
    } else if (!(shape[depth] == Dim(size))) {
      fail_ragged(depth, shape[depth].value(), size);
    }
  }
  [[noreturn]] static void fail_ragged(size_t depth, int64_t expected, int64_t got) {
    fail(Code::kInvalid, "tensor", "ragged", "lists at depth ", depth, " have ", expected, " and ",
         got, " elements; they must have equal lengths");
  }
};

// What literals are where nothing else decides: 1.0 is float32, 1 is int64.
template <class T>
constexpr DType default_dtype() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_integral_v<T>) return DType::kI64;
  if constexpr (std::is_floating_point_v<T>) return DType::kF32;
}

Tensor convert_elements(DType from, const void* data, const Shape& shape, DType to);
void check_count(size_t values, const Shape& shape);

template <class T>
Tensor from_nested(const Nested<T>& nested, DType dtype) {
  if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> has no array of bools
    const std::vector<uint8_t> bytes(nested.values.begin(), nested.values.end());
    return convert_elements(DType::kU8, bytes.data(), nested.shape, dtype);
  } else {
    return convert_elements(Tensor::dtype_of<T>(), nested.values.data(), nested.shape, dtype);
  }
}

template <class T>
using Fixed = std::conditional_t<std::is_same_v<T, bool> || std::is_floating_point_v<T>, T,
                                 std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

}  // namespace detail

template <class T>
  requires std::is_arithmetic_v<T>
Tensor tensor(T value, DType dtype = detail::default_dtype<T>()) {
  return Tensor::scalar(dtype, static_cast<double>(value));
}
template <class T>
  requires std::is_arithmetic_v<T>
Tensor tensor(std::initializer_list<T> list, DType dtype = detail::default_dtype<T>()) {
  detail::Nested<T> nested;
  nested.add(list);
  return detail::from_nested(nested, dtype);
}
template <class T>
  requires std::is_arithmetic_v<T>
Tensor tensor(std::initializer_list<std::initializer_list<T>> list,
              DType dtype = detail::default_dtype<T>()) {
  detail::Nested<T> nested;
  nested.add(list);
  return detail::from_nested(nested, dtype);
}
template <class T>
  requires std::is_arithmetic_v<T>
Tensor tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>> list,
              DType dtype = detail::default_dtype<T>()) {
  detail::Nested<T> nested;
  nested.add(list);
  return detail::from_nested(nested, dtype);
}

// A copy of row-major values in their own dtype; raises [tensor.count] if they do not fill `shape`.
template <class T>
Tensor tensor(std::span<const T> values, const Shape& shape) {
  detail::check_count(values.size(), shape);
  return Tensor::from_bytes(Tensor::dtype_of<T>(), shape, std::as_bytes(values));
}
template <class T>
  requires(!std::is_same_v<T, bool>)
Tensor tensor(const std::vector<T>& values, const Shape& shape) {
  return tensor(std::span<const T>(values), shape);
}

}  // namespace weft
