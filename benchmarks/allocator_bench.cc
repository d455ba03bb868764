// allocator_bench: what allocate and deallocate cost beside malloc, and what cached memory saves.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "weft/core/allocator.h"

namespace {

using Clock = std::chrono::steady_clock;

// The best nanoseconds of one call among several rounds.
template <class Call>
double best_nanoseconds(int calls, Call call) {
  double best = 1e30;
  for (int round = 0; round < 9; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    best = std::min(best, spent.count() / calls);
  }
  return best;
}

void touch(void* data) { asm volatile("" : : "r"(data) : "memory"); }

void measure_pair(int64_t bytes, int calls) {
  const double ours = best_nanoseconds(calls, [&] {
    const weft::MemoryBlock block = weft::allocate(bytes);
    touch(block.data);
    weft::deallocate(block);
  });
  const double theirs = best_nanoseconds(calls, [&] {
    void* data = std::malloc(bytes);
    touch(data);
    std::free(data);
  });
  std::printf("allocate + deallocate %9lld bytes: %7.1f ns, malloc + free %7.1f ns\n",
              static_cast<long long>(bytes), ours, theirs);
}

void measure_first_touch(int64_t bytes) {
  const auto use = [&] {
    const weft::MemoryBlock block = weft::allocate(bytes);
    std::memset(block.data, 1, bytes);
    weft::deallocate(block);
  };
  use();
  const double cached = best_nanoseconds(1, use);
  const double fresh = best_nanoseconds(1, [&] {
    weft::trim_memory();
    use();
  });
  const double theirs = best_nanoseconds(1, [&] {
    void* data = std::malloc(bytes);
    std::memset(data, 1, bytes);
    touch(data);
    std::free(data);
  });
  std::printf("fill %3lld MB: cached %6.2f ms, fresh %6.2f ms, malloc %6.2f ms\n",
              static_cast<long long>(bytes >> 20), cached * 1e-6, fresh * 1e-6, theirs * 1e-6);
}

}  // namespace

int main() {
  for (const int64_t bytes : {64, 256, 4096, 32768}) measure_pair(bytes, 100000);
  for (const int64_t bytes : {65536, 1 << 20, 4 << 20}) measure_pair(bytes, 1000);
  for (const int64_t megabytes : {4, 16, 64}) measure_first_touch(megabytes << 20);
}
