// operator new of the whole program, the library included, with a count.
#include "tests/fuzz/memory_watch.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> asked{0};

void* counted_or_null(size_t size, size_t align) noexcept {
  asked.fetch_add(size, std::memory_order_relaxed);
  const size_t rounded = (size + align - 1) / align * align;
  return std::aligned_alloc(align, rounded == 0 ? align : rounded);
}

void* counted(size_t size, size_t align) {
  void* const out = counted_or_null(size, align);
  if (out == nullptr) throw std::bad_alloc();
  return out;
}

}  // namespace

void* operator new(size_t size) { return counted(size, 16); }
void* operator new[](size_t size) { return counted(size, 16); }
void* operator new(size_t size, std::align_val_t align) {
  return counted(size, static_cast<size_t>(align));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return counted_or_null(size, 16);
}
void* operator new(size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
  return counted_or_null(size, static_cast<size_t>(align));
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, size_t) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete[](void* at, size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, size_t, std::align_val_t) noexcept { std::free(at); }

namespace weft::fuzz {

size_t asked_bytes() { return asked.load(std::memory_order_relaxed); }
void reset_asked_bytes() { asked.store(0, std::memory_order_relaxed); }

}  // namespace weft::fuzz
