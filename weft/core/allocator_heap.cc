// The shared heap: slabs are cut from front to back, and freed blocks are used again by size.
#include "weft/core/allocator_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "weft/base/error.h"
#include "weft/base/forks.h"
#include "weft/base/machine.h"

namespace weft::allocator {

// --- mapping ---

namespace {

// What a process maps first is on ordinary pages. A virtual machine whose host takes back what is
// free, huge page by huge page, needs 4 to 10 ms for each one that is touched again, four times as
// long as for the small pages in it: too much for programs that are over before it pays.
constexpr int64_t kOrdinaryBytes = 8 * kSlabBytes;

// Maps `bytes` at a multiple of 2 MB; nullptr if the system refuses.
void* map_aligned(int64_t bytes, bool on_huge_pages) {
  void* region = mmap(nullptr, bytes + kSlabBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(region);
  const uintptr_t aligned = (start + kSlabBytes - 1) & -static_cast<uintptr_t>(kSlabBytes);
  const int64_t before = static_cast<int64_t>(aligned - start);
  if (before > 0) munmap(region, before);
  if (before < kSlabBytes) munmap(reinterpret_cast<void*>(aligned + bytes), kSlabBytes - before);
  void* data = reinterpret_cast<void*>(aligned);
  // Advice: a kernel without huge pages is fine.
  madvise(data, bytes, on_huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return data;
}

}  // namespace

void* Heap::map(int64_t bytes, int64_t asked) {
  if (mapped_.load() + bytes > limit.load()) trim_locked();
  const bool on_huge_pages = mapped_.load() + bytes > kOrdinaryBytes;
  void* data = map_aligned(bytes, on_huge_pages);
  if (data == nullptr && trim_locked() > 0) data = map_aligned(bytes, on_huge_pages);
  if (data == nullptr) {
    fail(Code::kOutOfMemory, "allocate", "system", asked, " bytes asked for with ", live_locked(),
         " bytes in use, and the system refuses; free some tensors or ask for less");
  }
  mapped_ += bytes;
  poison(data, bytes);
  return data;
}

void Heap::unmap(void* block, int64_t bytes) noexcept {
  unpoison(block, bytes);  // or what is mapped there next would seem poisoned
  munmap(block, bytes);
  mapped_ -= bytes;
}

void Heap::require(int64_t bytes) {
  const int64_t live = live_locked();
  if (live + bytes <= limit.load()) return;
  fail(Code::kOutOfMemory, "allocate", "limit", bytes, " bytes asked for with ", live,
       " bytes in use, but the limit is ", limit.load(),
       " bytes; free some tensors, ask for less or raise the limit with set_memory_limit");
}

// --- slabs ---

Heap::Slab& Heap::slab_of(void* block) noexcept {
  const auto base = reinterpret_cast<uintptr_t>(block) & -static_cast<uintptr_t>(kSlabBytes);
  if (base != latest_base_) {
    latest_base_ = base;
    latest_slab_ = &slabs_.find(base)->second;
  }
  return *latest_slab_;
}

// Makes a slab ready to be cut: a spare one, one whose blocks are all free, or a new one.
void Heap::start_slab(int64_t asked) {
  // Gathering walks all free blocks, so it must win enough.
  if (spare_slabs_.empty() && free_slabs_ * 8 > static_cast<int64_t>(slabs_.size())) {
    gather_free_slabs();
  }
  void* slab = spare_slabs_.pop();
  if (slab == nullptr) {
    slab = map(kSlabBytes, asked);
    slabs_.emplace(reinterpret_cast<uintptr_t>(slab), Slab{});
  }
  slab_of(slab).is_spare = false;
  ++free_slabs_;
  slab_next_ = static_cast<char*>(slab);
  slab_end_ = slab_next_ + kSlabBytes;
}

// The rest of a slab that is too short for the block asked for becomes smaller blocks.
void Heap::cut_rest() noexcept {
  while (slab_next_ < slab_end_) {
    const int64_t rest = slab_end_ - slab_next_;
    int size_class = allocator::size_class(rest);
    if (class_bytes(size_class) > rest) --size_class;
    free_[size_class].push(slab_next_, class_bytes(size_class));
    slab_next_ += class_bytes(size_class);
  }
}

void* Heap::take_one(int size_class) {
  void* block = free_[size_class].pop();
  if (block == nullptr) {
    const int64_t bytes = class_bytes(size_class);
    if (slab_end_ - slab_next_ < bytes) {
      cut_rest();
      start_slab(bytes);
    }
    block = slab_next_;
    slab_next_ += bytes;
  }
  if (slab_of(block).used++ == 0) --free_slabs_;
  return block;
}

// Takes the blocks of wholly free slabs out of the free lists; the slabs become spare.
void Heap::gather_free_slabs() noexcept {
  cut_rest();
  for (int size_class = 0; size_class < kFirstLargeClass; ++size_class) {
    FreeList kept;
    while (void* block = free_[size_class].pop()) {
      if (slab_of(block).used > 0) kept.push(block, class_bytes(size_class));
    }
    free_[size_class] = kept;
  }
  for (auto& [base, slab] : slabs_) {
    if (slab.used > 0 || slab.is_spare) continue;
    slab.is_spare = true;
    spare_slabs_.push(reinterpret_cast<void*>(base), kSlabBytes);
    --free_slabs_;
  }
}

// --- large blocks ---

bool LargeList::push(void* block) noexcept {
  try {
    blocks_.push_back(block);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void* LargeList::pop() noexcept {
  if (blocks_.empty()) return nullptr;
  void* const block = blocks_.back();
  blocks_.pop_back();
  return block;
}

// --- what threads call ---

Heap::Heap() : limit(usable_memory()), cache_limit(limit.load() / 2) { guard_fork(); }

Heap& Heap::get() {
  static Heap& heap = *new Heap;
  return heap;
}

// A fork while another thread holds the mutex would leave it locked in the child for ever. What
// threads other than the forking one have cached is lost to the child.
void Heap::guard_fork() {
  lock_for_forks([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); });
}

int Heap::take_small(int size_class, int count, FreeList& out) {
  const std::lock_guard lock(mutex_);
  require(class_bytes(size_class));
  int taken = 0;
  do {
    out.push(take_one(size_class), class_bytes(size_class));
    // Only the first may need memory from the system: the others are for later.
  } while (++taken < count &&
           (!free_[size_class].empty() || slab_end_ - slab_next_ >= class_bytes(size_class)));
  return taken;
}

void* Heap::take_large(int size_class) {
  const int64_t bytes = class_bytes(size_class);
  const std::lock_guard lock(mutex_);
  require(bytes);
  void* block = free_large_[size_class - kFirstLargeClass].pop();
  if (block != nullptr) {
    free_large_bytes_ -= bytes;
  } else {
    block = map(bytes, bytes);
  }
  count(bytes);  // under the lock, so that two threads cannot both have the last of the limit
  return block;
}

void Heap::give_locked(int size_class, void* block) noexcept {
  const int64_t bytes = class_bytes(size_class);
  if (size_class < kFirstLargeClass) {
    if (--slab_of(block).used == 0) ++free_slabs_;
    return free_[size_class].push(block, bytes);
  }
  const bool fits = free_large_bytes_ + bytes <= cache_limit.load();
  if (!fits || !free_large_[size_class - kFirstLargeClass].push(block)) return unmap(block, bytes);
  free_large_bytes_ += bytes;
  poison(block, bytes);
}

void Heap::give(int size_class, void* block) noexcept {
  const std::lock_guard lock(mutex_);
  give_locked(size_class, block);
}

void Heap::give_all(int size_class, FreeList& blocks) noexcept {
  const std::lock_guard lock(mutex_);
  while (void* block = blocks.pop()) give_locked(size_class, block);
}

int64_t Heap::trim_locked() noexcept {
  const int64_t before = mapped_.load();
  for (int size_class = kFirstLargeClass; size_class < kNumClasses; ++size_class) {
    LargeList& blocks = free_large_[size_class - kFirstLargeClass];
    while (void* block = blocks.pop()) unmap(block, class_bytes(size_class));
  }
  free_large_bytes_ = 0;
  gather_free_slabs();
  while (void* slab = spare_slabs_.pop()) {
    slabs_.erase(reinterpret_cast<uintptr_t>(slab));
    latest_base_ = 0;
    unmap(slab, kSlabBytes);
  }
  return before - mapped_.load();
}

int64_t Heap::trim() noexcept {
  const std::lock_guard lock(mutex_);
  return trim_locked();
}

// --- counting ---

void Heap::raise_peak(int64_t live) noexcept {
  int64_t peak = peak_.load();
  while (peak < live && !peak_.compare_exchange_weak(peak, live)) {
  }
}

void Heap::count(int64_t bytes) noexcept { raise_peak(live_.fetch_add(bytes) + bytes); }

void Heap::count(Account& account) noexcept {
  const int64_t change = account.change.exchange(0);
  raise_peak(live_.fetch_add(change) + account.most.exchange(0));
}

int64_t Heap::live_locked() const noexcept {
  int64_t live = live_.load();
  for (const Account* account = accounts_; account != nullptr; account = account->next) {
    live += account->change.load(std::memory_order_relaxed);
  }
  return live;
}

void Heap::open(Account& account) noexcept {
  const std::lock_guard lock(mutex_);
  account.next = accounts_;
  if (accounts_ != nullptr) accounts_->previous = &account;
  accounts_ = &account;
}

void Heap::close(Account& account) noexcept {
  count(account);
  const std::lock_guard lock(mutex_);
  (account.previous == nullptr ? accounts_ : account.previous->next) = account.next;
  if (account.next != nullptr) account.next->previous = account.previous;
}

HeapStats Heap::stats() noexcept {
  const std::lock_guard lock(mutex_);
  const int64_t live = live_locked();
  raise_peak(live);
  return {live, peak_.load(), mapped_.load()};
}

void Heap::reset_peak() noexcept {
  const std::lock_guard lock(mutex_);
  peak_.store(live_locked());
}

}  // namespace weft::allocator
