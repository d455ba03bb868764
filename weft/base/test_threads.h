// Threads that begin together, for tests of what they share.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace weft {

inline constexpr int kTestThreads = 4;

// Runs body(thread) on several threads that begin together.
template <class Body>
void on_threads(const Body& body) {
  std::atomic<int> waiting{kTestThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kTestThreads; ++t) {
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      body(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace weft
