// InlineVector: a vector that keeps its first N elements in place, so that short lists need no
// allocation.
//
// Half the library includes this, so it does without <algorithm> and <memory>, which take half a
// second to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <span>
#include <utility>

namespace weft {

// Debug builds check every index: an element that is not
// there raises an internal Error. A sanitizer alone sees nothing of reads inside the vector's own
// storage.
[[noreturn]] void fail_bounds(size_t index, size_t size);
#ifdef WEFT_CHECK_BOUNDS
inline constexpr bool kChecksBounds = true;
#else
inline constexpr bool kChecksBounds = false;
#endif

template <class T, size_t N>
class InlineVector {
  static_assert(N > 0);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() = default;
  explicit InlineVector(size_t count, const T& value = T()) { resize(count, value); }
  InlineVector(std::initializer_list<T> list) { assign(list.begin(), list.end()); }
  template <class Iterator>
    requires requires(Iterator it) {
      *it;
      ++it;
    }
  InlineVector(Iterator first, Iterator last) {
    assign(first, last);
  }
  explicit InlineVector(std::span<const T> list) { assign(list.begin(), list.end()); }
  InlineVector(const InlineVector& other) { assign(other.begin(), other.end()); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { release(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[checked(i)]; }
  const T& operator[](size_t i) const { return data_[checked(i)]; }
  T& front() { return data_[checked(0)]; }
  const T& front() const { return data_[checked(0)]; }
  T& back() { return data_[checked(size_ - size_t{1})]; }
  const T& back() const { return data_[checked(size_ - size_t{1})]; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::span<const T>() const { return {data_, size_}; }

  void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    new (data_ + size_) T(std::move(value));
    ++size_;
  }
  void pop_back() {
    data_[checked(size_ - size_t{1})].~T();
    --size_;
  }
  void clear() {
    while (size_ > 0) pop_back();
  }
  void resize(size_t count, T value = T()) {  // by value: it may be an element of this vector
    while (size_ > count) pop_back();
    reserve(count);
    while (size_ < count) push_back(value);
  }
  void insert(size_t at, T value) {
    if constexpr (kChecksBounds) {
      if (at > size_) fail_bounds(at, size_);
    }
    push_back(std::move(value));
    for (size_t i = size_ - 1; i > at; --i) std::swap(data_[i - 1], data_[i]);
  }
  void erase(size_t at) {
    checked(at);
    for (size_t i = at + 1; i < size_; ++i) data_[i - 1] = std::move(data_[i]);
    pop_back();
  }
  void reserve(size_t count) {
    if (count <= capacity_) return;
    T* grown = static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(alignof(T))));
    move_elements(data_, size_, grown);
    if (!is_inline()) ::operator delete(data_, std::align_val_t(alignof(T)));
    data_ = grown;
    capacity_ = static_cast<uint32_t>(count);
  }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    for (; first != last; ++first) push_back(*first);
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  size_t checked(size_t i) const {
    if constexpr (kChecksBounds) {
      if (i >= size_) fail_bounds(i, size_);
    }
    return i;
  }
  T* inline_data() { return reinterpret_cast<T*>(storage_); }
  bool is_inline() const {
    return static_cast<const void*>(data_) == static_cast<const void*>(storage_);
  }
  // To memory without elements; none are left where they were.
  static void move_elements(T* from, size_t count, T* to) {
    for (size_t i = 0; i < count; ++i) {
      new (to + i) T(std::move(from[i]));
      from[i].~T();
    }
  }
  void release() {
    clear();
    if (!is_inline()) ::operator delete(data_, std::align_val_t(alignof(T)));
    data_ = inline_data();
    capacity_ = N;
  }
  void take(InlineVector& other) {
    if (other.is_inline()) {
      move_elements(other.data_, other.size_, data_);
      size_ = std::exchange(other.size_, 0u);
    } else {
      data_ = std::exchange(other.data_, other.inline_data());
      capacity_ = std::exchange(other.capacity_, static_cast<uint32_t>(N));
      size_ = std::exchange(other.size_, 0u);
    }
  }

  T* data_ = inline_data();
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  alignas(T) unsigned char storage_[N * sizeof(T)];
};

}  // namespace weft
