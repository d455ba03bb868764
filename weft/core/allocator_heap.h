// Heap: the memory all threads share: slabs cut into small blocks, large blocks, what is free.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "weft/core/allocator_sizes.h"

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ADDRESS_SANITIZER
#endif
#endif
#ifdef WEFT_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace weft::allocator {

// Under the address sanitizer free memory is poisoned, so that a use after free is caught.
#ifdef WEFT_ADDRESS_SANITIZER
inline void poison(void* data, int64_t bytes) { __asan_poison_memory_region(data, bytes); }
inline void unpoison(void* data, int64_t bytes) { __asan_unpoison_memory_region(data, bytes); }
#else
inline void poison(void*, int64_t) {}
inline void unpoison(void*, int64_t) {}
#endif

// Free blocks of one size, poisoned, linked through their first word.
class FreeList {
 public:
  bool empty() const { return head_ == nullptr; }
  void push(void* block, int64_t bytes) {
    unpoison(block, sizeof head_);
    *static_cast<void**>(block) = head_;
    poison(block, bytes);
    head_ = block;
  }
  void* pop() {  // nullptr if empty
    void* block = head_;
    if (block == nullptr) return nullptr;
    unpoison(block, sizeof head_);
    head_ = *static_cast<void**>(block);
    poison(block, sizeof head_);
    return block;
  }

 private:
  void* head_ = nullptr;
};

// Free large blocks of one size. They are listed apart: a word written into one that was never
// touched would make a huge page of it.
class LargeList {
 public:
  bool push(void* block) noexcept;  // false if there is no memory for the list itself
  void* pop() noexcept;             // nullptr if empty

 private:
  std::vector<void*> blocks_;
};

// The bytes in use of one thread that are not yet in the heap's count; only that thread writes.
struct Account {
  std::atomic<int64_t> change{0};
  std::atomic<int64_t> most{0};  // the greatest change since it was last counted
  Account* next = nullptr;
  Account* previous = nullptr;
};

struct HeapStats {
  int64_t live, peak, mapped;
};

class Heap {
 public:
  static Heap& get();  // made on first use, never destroyed: static tensors outlive everything

  // Blocks of a class below kFirstLargeClass; returns how many it put into `out`, at least 1.
  int take_small(int size_class, int count, FreeList& out);
  void* take_large(int size_class);  // counted at once
  void give(int size_class, void* block) noexcept;
  void give_all(int size_class, FreeList& blocks) noexcept;
  int64_t trim() noexcept;

  // Counting what is in use: at once, or for a thread that gathers changes.
  void count(int64_t bytes) noexcept;
  void count(Account& account) noexcept;
  void open(Account& account) noexcept;
  void close(Account& account) noexcept;
  HeapStats stats() noexcept;
  void reset_peak() noexcept;

  std::atomic<int64_t> limit;        // of bytes in use
  std::atomic<int64_t> cache_limit;  // of bytes in free large blocks

 private:
  struct Slab {
    int used = 0;  // blocks that are not in the heap's free lists
    bool is_spare = false;
  };

  Heap();
  void require(int64_t bytes);
  void* take_one(int size_class);
  void* map(int64_t bytes, int64_t asked);
  void unmap(void* block, int64_t bytes) noexcept;
  void start_slab(int64_t asked);
  void cut_rest() noexcept;
  void give_locked(int size_class, void* block) noexcept;
  void gather_free_slabs() noexcept;
  int64_t trim_locked() noexcept;
  int64_t live_locked() const noexcept;
  void raise_peak(int64_t live) noexcept;
  Slab& slab_of(void* block) noexcept;
  static void guard_fork();

  std::mutex mutex_;
  FreeList free_[kFirstLargeClass];
  LargeList free_large_[kNumClasses - kFirstLargeClass];
  std::unordered_map<uintptr_t, Slab> slabs_;
  uintptr_t latest_base_ = 0;  // the slab looked up last: most blocks come in runs
  Slab* latest_slab_ = nullptr;
  FreeList spare_slabs_;    // whole, not cut
  int64_t free_slabs_ = 0;  // cut, but with no block in use
  int64_t free_large_bytes_ = 0;
  char* slab_next_ = nullptr;  // the slab being cut: its first byte not cut yet
  char* slab_end_ = nullptr;
  Account* accounts_ = nullptr;

  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> mapped_{0};
};

}  // namespace weft::allocator
