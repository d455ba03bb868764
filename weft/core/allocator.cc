// allocate and deallocate: small blocks from lists of the calling thread, without a lock or an
// atomic operation; all else from the shared heap.
#include "weft/core/allocator.h"

#include <algorithm>
#include <new>

#include "weft/base/error.h"
#include "weft/base/thread_local.h"
#include "weft/core/allocator_heap.h"
#include "weft/core/node.h"

namespace weft {
namespace {

using namespace allocator;

// How far a thread's own count of bytes may be from the shared one.
constexpr int64_t kUncounted = 1 << 20;

// Blocks of one class that a thread keeps: so few that a thread that only frees hands them on.
constexpr int most_kept(int size_class) {
  return static_cast<int>(std::clamp<int64_t>((64 << 10) / class_bytes(size_class), 4, 64));
}

struct ThreadCache {
  FreeList free[kNumThreadClasses];
  int room[kNumThreadClasses];  // how many more blocks each list may hold
  Account account;

  ThreadCache() {
    for (int i = 0; i < kNumThreadClasses; ++i) room[i] = most_kept(i);
  }
};

// One word of static thread storage, which libraries loaded at run time may have, is read without a
// call.
WEFT_THREAD_LOCAL ThreadCache* this_cache = nullptr;
constinit thread_local bool is_leaving = false;  // the thread is at its end: no new cache

// Hands everything back when the thread ends.
struct Farewell {
  ~Farewell() {
    ThreadCache* cache = this_cache;
    this_cache = nullptr;
    is_leaving = true;
    if (cache == nullptr) return;
    for (int i = 0; i < kNumThreadClasses; ++i) Heap::get().give_all(i, cache->free[i]);
    Heap::get().close(cache->account);
    delete cache;
  }
  void arm() {}
};
thread_local Farewell farewell;

// nullptr where the thread may have none.
ThreadCache* make_cache() {
  if (is_leaving) return nullptr;
  this_cache = new (std::nothrow) ThreadCache;
  if (this_cache == nullptr) return nullptr;
  farewell.arm();  // its first use registers the destructor
  Heap::get().open(this_cache->account);
  return this_cache;
}

void add_to(Account& account, int64_t bytes) {
  // Only this thread writes, so load and store need no atomic addition.
  const int64_t change = account.change.load(std::memory_order_relaxed) + bytes;
  account.change.store(change, std::memory_order_relaxed);
  if (change > account.most.load(std::memory_order_relaxed)) {
    account.most.store(change, std::memory_order_relaxed);
    if (change > kUncounted) Heap::get().count(account);
  } else if (change < -kUncounted) {
    Heap::get().count(account);
  }
}

// What this thread holds back must be in the count before a change that is counted at once.
void count_now(int64_t bytes) {
  if (this_cache != nullptr) Heap::get().count(this_cache->account);
  if (bytes != 0) Heap::get().count(bytes);
}

MemoryBlock finish(void* data, int64_t asked, int64_t bytes) {
  unpoison(data, asked);
  return {data, bytes};
}

[[gnu::noinline]] MemoryBlock allocate_small_slowly(int64_t asked, int size_class) {
  const int64_t bytes = class_bytes(size_class);
  ThreadCache* cache = this_cache != nullptr ? this_cache : make_cache();
  FreeList alone;
  if (cache == nullptr) {
    Heap::get().take_small(size_class, 1, alone);
    count_now(bytes);
    return finish(alone.pop(), asked, bytes);
  }
  const int wish = std::max(1, most_kept(size_class) / 2);
  const int taken = Heap::get().take_small(size_class, wish, cache->free[size_class]);
  cache->room[size_class] -= taken - 1;
  add_to(cache->account, bytes);
  return finish(cache->free[size_class].pop(), asked, bytes);
}

[[gnu::noinline]] MemoryBlock allocate_from_heap(int64_t asked) {
  if (asked < 0) {
    fail(Code::kInvalid, "allocate", "size", asked, " bytes asked for; it must be 0 or more");
  }
  if (asked > kMostBytes) {
    fail(Code::kOutOfMemory, "allocate", "limit", asked, " bytes asked for with ",
         memory_stats().live, " bytes in use, but the limit is ", memory_limit(),
         " bytes; free some tensors, ask for less or raise the limit with set_memory_limit");
  }
  const int size_class = allocator::size_class(asked);
  const int64_t bytes = class_bytes(size_class);
  if (size_class >= kFirstLargeClass) {
    count_now(0);
    return finish(Heap::get().take_large(size_class), asked, bytes);
  }
  FreeList list;
  Heap::get().take_small(size_class, 1, list);
  count_now(bytes);
  return finish(list.pop(), asked, bytes);
}

[[gnu::noinline]] void deallocate_to_heap(MemoryBlock block, int size_class) noexcept {
  count_now(-block.bytes);
  Heap::get().give(size_class, block.data);
}

// Half of what a full list holds goes back, so that freeing and allocating in turn stays here.
[[gnu::noinline]] void hand_back_half(ThreadCache& cache, int size_class) noexcept {
  FreeList half;
  int& room = cache.room[size_class];
  for (const int wish = most_kept(size_class) / 2; room < wish; ++room) {
    half.push(cache.free[size_class].pop(), class_bytes(size_class));
  }
  Heap::get().give_all(size_class, half);
}

}  // namespace

MemoryBlock allocate(int64_t bytes) {
  constexpr auto kMostHere = static_cast<uint64_t>(class_bytes(kNumThreadClasses - 1));
  if (static_cast<uint64_t>(bytes) > kMostHere) return allocate_from_heap(bytes);
  const int size_class = allocator::size_class(bytes);
  ThreadCache* cache = this_cache;
  if (cache == nullptr || cache->free[size_class].empty()) {
    return allocate_small_slowly(bytes, size_class);
  }
  ++cache->room[size_class];
  add_to(cache->account, class_bytes(size_class));
  return finish(cache->free[size_class].pop(), bytes, class_bytes(size_class));
}

void deallocate(MemoryBlock block) noexcept {
  if (block.data == nullptr) return;
  const int size_class = allocator::size_class(block.bytes);
  if (size_class >= kNumThreadClasses) return deallocate_to_heap(block, size_class);
  ThreadCache* cache = this_cache;
  if (cache == nullptr) [[unlikely]] {
    cache = make_cache();
    if (cache == nullptr) return deallocate_to_heap(block, size_class);
  }
  cache->free[size_class].push(block.data, block.bytes);
  add_to(cache->account, -block.bytes);
  if (--cache->room[size_class] < 0) hand_back_half(*cache, size_class);
}

MemoryStats memory_stats() {
  hand_back_node_memory();
  count_now(0);
  const HeapStats stats = Heap::get().stats();
  return {stats.live, stats.peak, stats.mapped - stats.live};
}

void reset_peak_memory() {
  count_now(0);
  Heap::get().reset_peak();
}

int64_t trim_memory() {
  hand_back_node_memory();
  if (this_cache != nullptr) {
    for (int i = 0; i < kNumThreadClasses; ++i) {
      Heap::get().give_all(i, this_cache->free[i]);
      this_cache->room[i] = most_kept(i);
    }
  }
  return Heap::get().trim();
}

int64_t memory_limit() { return Heap::get().limit.load(); }
int64_t memory_cache_limit() { return Heap::get().cache_limit.load(); }

void set_memory_limit(int64_t bytes) {
  if (bytes < 0) {
    fail(Code::kInvalid, "set_memory_limit", "bytes", "the limit is ", bytes,
         " bytes; it must be 0 or more");
  }
  Heap::get().limit.store(bytes);
}

void set_memory_cache_limit(int64_t bytes) {
  if (bytes < 0) {
    fail(Code::kInvalid, "set_memory_cache_limit", "bytes", "the limit is ", bytes,
         " bytes; it must be 0 or more");
  }
  Heap::get().cache_limit.store(bytes);
}

}  // namespace weft
