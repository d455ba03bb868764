// What this machine can do, as a library that benchmarks/run.py calls in turns with what it
// measures: a limit taken at another moment says little on a machine with neighbours.
#include <immintrin.h>

#include <algorithm>

#include "weft/base/cpu.h"
#include "weft/base/thread_pool.h"
#include "weft/core/allocator.h"

namespace {

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

constexpr int64_t kRounds = 100000;
constexpr int64_t kCount = int64_t{1} << 24;  // floats of each array: far beyond the caches

float* array() {
  auto* const x = static_cast<float*>(weft::allocate(kCount * 4).data);
  std::fill_n(x, kCount, 1.0f);
  return x;
}

// As gcc makes it of STREAM's source: stores that read their line first, which nobody counts.
[[gnu::optimize("O3")]] void triad(float* __restrict a, const float* b, const float* c,
                                   int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) a[i] = b[i] + 3.0f * c[i];
}

}  // namespace

extern "C" {

// Runs chains of vector fma on every thread; returns how many flops that were.
[[gnu::visibility("default")]] double run_fma(int threads) {
  const bool wide = weft::best_isa() == weft::Isa::avx512;
  weft::set_num_threads(threads);
  weft::parallel_for(threads,
                     [&](int64_t) { sink = wide ? chains_avx512(kRounds) : chains_avx2(kRounds); });
  return 2.0 * 12 * (wide ? 16 : 8) * static_cast<double>(kRounds) * threads;
}

// Runs STREAM's triad over 16M floats; returns the bytes that STREAM counts: two reads and a write.
[[gnu::visibility("default")]] double run_stream(int threads) {
  static float *const a = array(), *const b = array(), *const c = array();
  const int64_t part = kCount / threads;
  weft::set_num_threads(threads);
  weft::parallel_for(threads, [&](int64_t t) { triad(a, b, c, t * part, (t + 1) * part); });
  return 12.0 * kCount;
}
}
