// The cost of an eager op from C++: `eager_bench [n]` adds f32[64] n times; callgrind counts its
// instructions.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "weft/weft.h"

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 2000000;
  const weft::Tensor a = weft::add(weft::zeros({64}), 1.0f), b = weft::add(a, 2.0f);
  double best = 1e9;
  const int runs = argc > 1 ? 1 : 9;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < n; ++i) const weft::Tensor c = weft::add(a, b);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / static_cast<double>(n));
  }
  std::printf("eager add f32[64] from C++: %.1f ns\n", best);
}
