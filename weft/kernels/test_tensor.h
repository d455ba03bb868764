// For the tests of this folder: tensors over memory with any strides, and random layouts of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "weft/core/tensor.h"
#include "weft/kernels/operand.h"

namespace weft::kernels::testing {

using Sizes = std::vector<int64_t>;

inline int64_t product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// Calls body(index) for every index of `sizes` in row-major order.
template <class Body>
void for_each_index(const Sizes& sizes, Body&& body) {
  Sizes at(sizes.size(), 0);
  for (int64_t i = 0, count = product(sizes); i < count; ++i) {
    body(std::as_const(at));
    for (size_t d = sizes.size(); d-- > 0 && ++at[d] == sizes[d];) at[d] = 0;
  }
}

// Row r of operand k, as a kernel written by hand is given it.
template <class T>
T* row_of(void* const* p, const int64_t* row_strides, int k, int64_t r) {
  return reinterpret_cast<T*>(static_cast<char*>(p[k]) + r * row_strides[k]);
}

// Memory of its own with a shape and strides; the element of an index is found by arithmetic alone.
template <class T>
class Strided {
 public:
  // Row-major.
  explicit Strided(Sizes sizes) : sizes_(std::move(sizes)), strides_(sizes_.size()) {
    int64_t step = 1;
    for (size_t d = sizes_.size(); d-- > 0; step *= sizes_[d]) strides_[d] = step;
    memory_.resize(static_cast<size_t>(step));
    finish();
  }

  // A random layout: dims in any order, gaps, negative strides, and some dims broadcast if allowed.
  Strided(Sizes sizes, std::mt19937& random, bool may_broadcast)
      : sizes_(std::move(sizes)), strides_(sizes_.size()) {
    std::vector<size_t> order(sizes_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
    const bool plain = random() % 3 == 0;
    int64_t step = plain || random() % 2 ? 1 : 2, offset = 0;
    for (size_t d : order) {
      if (may_broadcast && random() % 4 == 0) continue;  // stride 0
      strides_[d] = step;
      step = step * sizes_[d] + (plain || random() % 3 ? 0 : static_cast<int64_t>(random() % 3));
      if (!plain && random() % 4 == 0 && sizes_[d] > 0) {
        offset += strides_[d] * (sizes_[d] - 1);
        strides_[d] = -strides_[d];
      }
    }
    memory_.resize(static_cast<size_t>(step));
    offset_ = offset;
    finish();
  }

  const Sizes& sizes() const { return sizes_; }
  int64_t numel() const { return product(sizes_); }
  T& at(const Sizes& index) {
    int64_t place = offset_;
    for (size_t d = 0; d < index.size(); ++d) place += index[d] * strides_[d];
    return memory_[static_cast<size_t>(place)];
  }
  std::vector<T>& memory() { return memory_; }
  std::vector<T> values() {
    std::vector<T> all;
    for_each_index(sizes_, [&](const Sizes& index) { all.push_back(at(index)); });
    return all;
  }

  Operand operand() {
    return {.data = reinterpret_cast<char*>(memory_.data() + offset_),
            .dims = dims_.data(),
            .strides = strides_.data(),
            .numel = numel(),
            .rank = static_cast<uint8_t>(sizes_.size()),
            .item = sizeof(T),
            .contiguous = is_contiguous()};
  }

  // A tensor over this memory, which must outlive it.
  Tensor tensor(DType dtype = Tensor::dtype_of<T>()) {
    const Operand all = operand();
    uint8_t size_class = 0;
    auto* const node = new (allocate_node_memory(sizeof(Concrete), &size_class)) Concrete;
    node->size_class = size_class;
    node->dtype = dtype;
    node->rank = all.rank;
    node->dims = all.dims;
    node->strides = strides_.data();
    node->data = all.data;
    node->numel = all.numel;
    node->contiguous = all.contiguous;
    return Tensor::adopt(node);
  }

 private:
  void finish() {
    if (memory_.empty()) memory_.resize(1);
    dims_.assign(sizes_.begin(), sizes_.end());
  }
  bool is_contiguous() const {
    int64_t step = 1;
    for (size_t d = sizes_.size(); d-- > 0; step *= sizes_[d]) {
      if (sizes_[d] != 1 && strides_[d] != step) return false;
    }
    return true;
  }

  Sizes sizes_;
  std::vector<int64_t> strides_;
  std::vector<Dim> dims_;
  std::vector<T> memory_;
  int64_t offset_ = 0;
};

inline Sizes random_sizes(std::mt19937& random, int rank, int64_t most) {
  Sizes sizes;
  for (int d = 0; d < rank; ++d) sizes.push_back(1 + static_cast<int64_t>(random() % most));
  return sizes;
}

template <class T>
void fill_random(std::vector<T>& values, std::mt19937& random) {
  for (T& value : values) {
    const uint64_t bits[2] = {random() | uint64_t{random()} << 32, random()};
    std::memcpy(static_cast<void*>(&value), bits, sizeof(T));
  }
}

}  // namespace weft::kernels::testing
