// The allocator: sizes, alignment, reuse, counting, limits, threads and forks.
#include "weft/core/allocator.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "weft/base/error.h"
#include "weft/base/test_memory.h"
#include "weft/core/allocator_heap.h"

namespace weft {
namespace {

constexpr int64_t kKB = 1 << 10, kMB = 1 << 20;

#if defined(WEFT_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizer = true;
#elif defined(__has_feature)
constexpr bool kSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kSanitizer = false;
#endif

class Allocator : public testing::Test {
 protected:
  Allocator() {
    trim_memory();
    reset_peak_memory();
    start_ = memory_stats();
  }
  ~Allocator() override {
    set_memory_limit(limit_);
    set_memory_cache_limit(cache_limit_);
    EXPECT_EQ(memory_stats().live, start_.live) << "the test leaks";
    trim_memory();
  }
  int64_t live() const { return memory_stats().live - start_.live; }
  int64_t peak() const { return memory_stats().peak - start_.live; }

 private:
  int64_t limit_ = memory_limit(), cache_limit_ = memory_cache_limit();
  MemoryStats start_;
};

uintptr_t address(const MemoryBlock& block) { return reinterpret_cast<uintptr_t>(block.data); }

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return text(name_of(error.code), "; ", error.what());
  }
  return "no error";
}

TEST(AllocatorSizes, classes_are_ordered_aligned_and_close) {
  for (int i = 0; i < allocator::kNumClasses; ++i) {
    const int64_t bytes = allocator::class_bytes(i);
    EXPECT_EQ(bytes % allocator::kAlignment, 0);
    EXPECT_EQ(allocator::size_class(bytes), i);
    EXPECT_EQ(allocator::size_class(bytes + 1), i + 1);
    if (i >= 4) {
      EXPECT_LE(bytes * 4, 5 * (allocator::class_bytes(i - 1) + 1)) << bytes;
    }
  }
  EXPECT_EQ(allocator::size_class(0), 0);
  EXPECT_EQ(allocator::class_bytes(allocator::kNumClasses - 1), allocator::kMostBytes);
}

TEST_F(Allocator, every_size_is_aligned_and_its_own) {
  std::vector<MemoryBlock> blocks;
  int64_t total = 0;
  for (int64_t bytes = 0; bytes < 12 * kMB; bytes = bytes * 5 / 4 + 1) {
    for (int i = 0; i < 3; ++i) {
      const MemoryBlock block = allocate(bytes);
      EXPECT_EQ(address(block) % 64, 0u);
      if (block.bytes >= 2 * kMB) {
        EXPECT_EQ(address(block) % (2 * kMB), 0u);
      }
      EXPECT_GE(block.bytes, bytes);
      EXPECT_LE(block.bytes, std::max<int64_t>(bytes + bytes / 4, bytes + 63 + (bytes == 0)));
      std::memset(block.data, static_cast<int>(blocks.size()), bytes);
      blocks.push_back(block);
      total += block.bytes;
    }
  }
  EXPECT_EQ(live(), total);
  std::sort(blocks.begin(), blocks.end(),
            [](const MemoryBlock& a, const MemoryBlock& b) { return a.data < b.data; });
  for (size_t i = 1; i < blocks.size(); ++i) {
    EXPECT_LE(address(blocks[i - 1]) + blocks[i - 1].bytes, address(blocks[i]));
  }
  for (const MemoryBlock& block : blocks) deallocate(block);
  EXPECT_EQ(live(), 0);
  EXPECT_EQ(peak(), total);
}

TEST_F(Allocator, a_freed_block_is_used_again) {
  for (const int64_t bytes : {int64_t{100}, 40 * kKB, 300 * kKB, 2 * kMB, 9 * kMB}) {
    const MemoryBlock first = allocate(bytes);
    deallocate(first);
    const MemoryBlock second = allocate(bytes);
    EXPECT_EQ(first.data, second.data) << bytes;
    deallocate(second);
  }
}

TEST_F(Allocator, powers_of_two_fill_slabs) {
  std::vector<MemoryBlock> blocks;
  const int64_t held = memory_stats().live + memory_stats().cached;
  for (int i = 0; i < 16; ++i) blocks.push_back(allocate(kMB));
  const MemoryStats stats = memory_stats();
  EXPECT_LE(stats.live + stats.cached - held, 16 * kMB);
  for (const MemoryBlock& block : blocks) deallocate(block);
}

TEST_F(Allocator, counts_live_peak_and_cached) {
  const MemoryBlock small = allocate(1000);
  EXPECT_EQ(live(), 1024);
  const MemoryBlock large = allocate(3 * kMB);
  EXPECT_EQ(live(), 1024 + 3 * kMB);
  const int64_t cached = memory_stats().cached;
  deallocate(large);
  EXPECT_EQ(live(), 1024);
  EXPECT_EQ(peak(), 1024 + 3 * kMB);
  EXPECT_EQ(memory_stats().cached, cached + 3 * kMB);
  reset_peak_memory();
  EXPECT_EQ(peak(), 1024);
  EXPECT_GE(trim_memory(), 3 * kMB);
  EXPECT_LT(memory_stats().cached, cached + kMB);
  deallocate(small);
  for (int i = 0; i < 100; ++i) deallocate(allocate(512));  // small ones, which one thread keeps
  EXPECT_EQ(peak(), 1024);
  EXPECT_EQ(live(), 0);
}

TEST_F(Allocator, trim_gives_back_whole_slabs) {
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(allocate(4 * kKB));
  const MemoryBlock kept = blocks.back();
  blocks.pop_back();
  EXPECT_EQ(live(), 5000 * 4 * kKB);
  for (const MemoryBlock& block : blocks) deallocate(block);
  std::memset(kept.data, 7, 4 * kKB);
  EXPECT_GE(trim_memory(), 16 * kMB);
  EXPECT_EQ(static_cast<char*>(kept.data)[4095], 7);
  EXPECT_LE(memory_stats().cached, 8 * kMB);
  deallocate(kept);
}

TEST_F(Allocator, free_slabs_serve_other_sizes) {
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < 32; ++i) blocks.push_back(allocate(kMB));
  const int64_t held = memory_stats().cached + memory_stats().live;
  for (const MemoryBlock& block : blocks) deallocate(block);
  blocks.clear();
  for (int i = 0; i < 64; ++i) blocks.push_back(allocate(400 * kKB));
  EXPECT_LE(memory_stats().cached + memory_stats().live, held);
  for (const MemoryBlock& block : blocks) deallocate(block);
}

TEST_F(Allocator, the_cache_of_large_blocks_has_a_limit) {
  set_memory_cache_limit(8 * kMB);
  const MemoryBlock first = allocate(6 * kMB), second = allocate(6 * kMB);
  const int64_t cached = memory_stats().cached;
  deallocate(first);
  deallocate(second);
  EXPECT_EQ(memory_stats().cached, cached + 6 * kMB);
}

// A list that runs through free blocks would make 2 MB of each resident.
TEST_F(Allocator, what_was_never_touched_takes_no_memory) {
  constexpr int64_t kSize = 4 << 20;
  constexpr int kBlocks = 32;
  const int64_t before = resident_bytes();
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < kBlocks; ++i) blocks.push_back(allocate(kSize));
  for (const MemoryBlock& block : blocks) deallocate(block);
  EXPECT_LT(resident_bytes() - before, kBlocks * int64_t{1} << 20);
}

TEST_F(Allocator, limit) {
  const int64_t before = memory_stats().live;
  set_memory_limit(before + 10 * kMB);
  const MemoryBlock block = allocate(8 * kMB);
  EXPECT_EQ(error_of([] { allocate(4 * kMB); }),
            text("out of memory; allocate: 4194304 bytes asked for with ", before + 8 * kMB,
                 " bytes in use, but the limit is ", before + 10 * kMB,
                 " bytes; free some tensors, ask for less or raise the limit with "
                 "set_memory_limit [allocate.limit]"));
  deallocate(block);
  // The 8 MB that are cached are given back for it.
  const MemoryBlock other = allocate(10 * kMB);
  EXPECT_LE(memory_stats().cached, 4 * kMB);
  deallocate(other);
}

TEST_F(Allocator, sizes_that_make_no_sense) {
  EXPECT_EQ(error_of([] { allocate(-1); }),
            "invalid; allocate: -1 bytes asked for; it must be 0 or more [allocate.size]");
  EXPECT_NE(error_of([] { allocate(INT64_MAX); }).find("9223372036854775807 bytes asked for"),
            std::string::npos);
  EXPECT_NE(error_of([] { allocate(int64_t{1} << 46); }).find("[allocate.limit]"),
            std::string::npos);
  EXPECT_EQ(error_of([] { set_memory_limit(-5); }),
            "invalid; set_memory_limit: the limit is -5 bytes; it must be 0 or more "
            "[set_memory_limit.bytes]");
  deallocate(MemoryBlock{});
}

TEST_F(Allocator, the_system_may_refuse) {
  if (kSanitizer) GTEST_SKIP() << "sanitizers map more than the limit set here";
  set_memory_limit(INT64_MAX);
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit tight = before;
  tight.rlim_cur = rlim_t{1} << 38;
  setrlimit(RLIMIT_AS, &tight);
  const std::string error = error_of([] { allocate(int64_t{1} << 40); });
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(error, text("out of memory; allocate: 1099511627776 bytes asked for with ",
                        memory_stats().live,
                        " bytes in use, and the system refuses; free some tensors "
                        "or ask for less [allocate.system]"));
  EXPECT_EQ(live(), 0);
}

// A shared box: producers put blocks in, consumers free them, and each checks its contents.
TEST_F(Allocator, blocks_freed_by_other_threads) {
  std::mutex mutex;
  std::vector<MemoryBlock> box;
  std::atomic<int> producing{2}, wrong{0};
  const auto produce = [&](int seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 4000; ++i) {
      const int64_t bytes = 8 + (random() % 8 == 0 ? random() % 100000 : random() % 2000);
      const MemoryBlock block = allocate(bytes);
      std::memcpy(block.data, &block.bytes, 8);
      const std::lock_guard lock(mutex);
      box.push_back(block);
    }
    --producing;
  };
  const auto consume = [&] {
    for (;;) {
      const bool last = producing == 0;
      std::vector<MemoryBlock> taken;
      {
        const std::lock_guard lock(mutex);
        taken.swap(box);
      }
      for (const MemoryBlock& block : taken) {
        if (std::memcmp(block.data, &block.bytes, 8) != 0) ++wrong;
        deallocate(block);
      }
      if (last && taken.empty()) return;
      std::this_thread::yield();
    }
  };
  std::thread a(produce, 1), b(produce, 2), c(consume), d(consume);
  for (std::thread* thread : {&a, &b, &c, &d}) thread->join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(live(), 0);
  trim_memory();
  EXPECT_LE(memory_stats().cached, 8 * kMB) << "threads that ended keep blocks";
}

TEST_F(Allocator, random_sizes_keep_their_contents) {
  std::mt19937_64 random(3);
  std::vector<std::pair<MemoryBlock, int>> blocks;
  for (int i = 0; i < 20000; ++i) {
    if (blocks.size() > 200 || (!blocks.empty() && random() % 2 == 0)) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const auto [block, mark] = blocks.back();
      EXPECT_EQ(*static_cast<int*>(block.data), mark);
      deallocate(block);
      blocks.pop_back();
    } else {
      const MemoryBlock block = allocate(4 + (random() >> (40 + random() % 24)));
      *static_cast<int*>(block.data) = i;
      blocks.emplace_back(block, i);
    }
    if (i % 5000 == 0) trim_memory();
  }
  for (const auto& [block, mark] : blocks) {
    EXPECT_EQ(*static_cast<int*>(block.data), mark);
    deallocate(block);
  }
}

TEST_F(Allocator, works_in_a_forked_child) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) deallocate(allocate(100 * kKB));
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // a hang is a failure too
      const MemoryBlock small = allocate(64), large = allocate(100 * kKB);
      deallocate(small);
      deallocate(large);
      trim_memory();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  other.join();
}

#ifdef WEFT_ADDRESS_SANITIZER
TEST(AllocatorDeathTest, use_after_free_and_overrun_are_caught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process, not a fork of this one
  for (const int64_t bytes : {int64_t{100}, 100 * kKB, 3 * kMB - 100}) {
    EXPECT_DEATH(
        {
          const MemoryBlock block = allocate(bytes);
          deallocate(block);
          static_cast<volatile char*>(block.data)[0] = 1;
        },
        "use-after-poison");
    EXPECT_DEATH(
        {
          const MemoryBlock block = allocate(bytes);
          static_cast<volatile char*>(block.data)[bytes] = 1;
        },
        "use-after-poison");
  }
}
#endif

}  // namespace
}  // namespace weft
