// pool_bench: what a fork and join of the thread pool costs, hot and after the workers have parked.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "weft/base/thread_pool.h"

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double at(std::vector<double>& times, double share) {
  std::sort(times.begin(), times.end());
  return times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))];
}

// Microseconds of one fork-join, back to back: the mean of each of many rounds.
void measure_hot(int64_t tiles) {
  constexpr int kRounds = 200, kForks = 500;
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < kForks; ++i) weft::parallel_for(tiles, [](int64_t) {});
    times.push_back(microseconds_since(start) / kForks);
  }
  std::printf("hot     %2d threads %3d tiles: best %6.3f us, median %6.3f us\n",
              weft::num_threads(), static_cast<int>(tiles), at(times, 0), at(times, 0.5));
}

void work(double microseconds) {
  for (const auto begin = Clock::now(); microseconds_since(begin) < microseconds;) {
  }
}

// What is lost when every thread has one tile of 2 us, back to back.
void measure_loaded() {
  std::vector<double> times;
  for (int round = 0; round < 2000; ++round) {
    const auto start = Clock::now();
    weft::parallel_for(weft::num_threads(), [](int64_t) { work(2); });
    times.push_back(microseconds_since(start) - 2);
  }
  std::printf("loaded  %2d threads, 2 us each: best %6.3f us, median %6.3f us more\n",
              weft::num_threads(), at(times, 0), at(times, 0.5));
}

// After idling: a tile of 50 us for each thread, so that the join shows a worker that came late.
void measure_parked() {
  std::vector<double> times;
  for (int round = 0; round < 200; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto start = Clock::now();
    weft::parallel_for(weft::num_threads(), [](int64_t) { work(50); });
    times.push_back(microseconds_since(start) - 50);
  }
  std::printf("parked  %2d threads: best %5.1f us, median %5.1f us, 99 %% %7.1f us\n",
              weft::num_threads(), at(times, 0), at(times, 0.5), at(times, 0.99));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) weft::set_num_threads(std::atoi(argv[1]));
  for (const int64_t tiles : {1, 2, 4, 16, 64}) measure_hot(tiles);
  measure_loaded();
  measure_parked();
}
