// What this machine can do: FMA peak and memory bandwidth, on one and two threads, as JSON.
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "weft/base/cpu.h"
#include "weft/base/thread_pool.h"
#include "weft/core/allocator.h"

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Body>
double best_of(int runs, Body body) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const double start = seconds();
    body();
    best = std::min(best, seconds() - start);
  }
  return best;
}

// Twelve independent chains of vector fma keep both units busy.
[[gnu::target("avx2,fma")]] float chains_avx2(int64_t rounds) {
  __m256 c[12];
  for (int i = 0; i < 12; ++i) c[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(1e-3f);
  for (int64_t r = 0; r < rounds; ++r) {
    for (int i = 0; i < 12; ++i) c[i] = _mm256_fmadd_ps(c[i], a, b);
  }
  float out = 0;
  for (int i = 0; i < 12; ++i) out += _mm256_cvtss_f32(c[i]);
  return out;
}
[[gnu::target("avx512f")]] float chains_avx512(int64_t rounds) {
  __m512 c[12];
  for (int i = 0; i < 12; ++i) c[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(1e-3f);
  for (int64_t r = 0; r < rounds; ++r) {
    for (int i = 0; i < 12; ++i) c[i] = _mm512_fmadd_ps(c[i], a, b);
  }
  float out = 0;
  for (int i = 0; i < 12; ++i) out += _mm512_cvtss_f32(c[i]);
  return out;
}

volatile float sink;

double peak_gflops(int threads) {
  constexpr int64_t kRounds = 2000000;
  const bool wide = weft::best_isa() == weft::Isa::avx512;
  const double time = best_of(5, [&] {
    weft::parallel_for(
        threads, [&](int64_t) { sink = wide ? chains_avx512(kRounds) : chains_avx2(kRounds); });
  });
  return 2.0 * 12 * (wide ? 16 : 8) * static_cast<double>(kRounds) * threads / time / 1e9;
}

// STREAM's triad: two reads and a write of 16M floats each.
double triad_gbs(int threads) {
  constexpr int64_t kCount = int64_t{1} << 24;
  float* p[3];
  for (float*& x : p) {
    x = static_cast<float*>(weft::allocate(kCount * 4).data);
    std::fill_n(x, kCount, 1.0f);
  }
  const double time = best_of(7, [&] {
    const int64_t part = kCount / threads;
    weft::parallel_for(threads, [&](int64_t t) {
      float* __restrict a = p[0];
      const float *b = p[1], *c = p[2];
      for (int64_t i = t * part; i < (t + 1) * part; ++i) a[i] = b[i] + 3.0f * c[i];
    });
  });
  for (float* x : p) weft::deallocate({x, kCount * 4});
  return 3.0 * 4 * kCount / time / 1e9;
}

}  // namespace

int main() {
  std::printf("{");
  for (int threads = 1; threads <= 2; ++threads) {
    weft::set_num_threads(threads);
    std::printf("%s\"%d\": {\"fma_gflops\": %.1f, \"stream_gbs\": %.2f}", threads == 1 ? "" : ", ",
                threads, peak_gflops(threads), triad_gbs(threads));
  }
  std::printf("}\n");
}
