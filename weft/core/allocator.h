// The caching allocator: all memory of tensors comes from here.
#pragma once

#include <cstdint>

namespace weft {

struct MemoryBlock {
  void* data = nullptr;
  int64_t bytes = 0;  // capacity: what deallocate needs; use only what was asked for
};

// A block of at least `bytes` (>= 0), 64-byte aligned and not initialised; from 2 MB on aligned to
// 2 MB and, past the first 16 MB of a process, on huge pages. Raises Error{kOutOfMemory} beyond
// memory_limit() after giving back what is cached.
MemoryBlock allocate(int64_t bytes);
void deallocate(MemoryBlock block) noexcept;  // on any thread; an empty MemoryBlock is ignored

struct MemoryStats {
  int64_t live = 0;    // bytes of blocks in use
  int64_t peak = 0;    // the greatest `live` since the start or reset_peak_memory(); what other
                       // threads hold is exact to 1 MB each
  int64_t cached = 0;  // held from the system, not in use
};
MemoryStats memory_stats();
void reset_peak_memory();

// Gives free memory back to the system; returns how many bytes. Small blocks that other threads
// have cached stay.
int64_t trim_memory();

// The most bytes in use; at first the lesser of physical memory and the cgroup's limit.
int64_t memory_limit();
void set_memory_limit(int64_t bytes);

// The most bytes of free blocks of 2 MB and more that are kept; at first half the memory limit.
int64_t memory_cache_limit();
void set_memory_cache_limit(int64_t bytes);

}  // namespace weft
