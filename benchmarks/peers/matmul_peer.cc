// The C door through which matmul_peer.py times our matmul: no Python cost in the loop.
#include <immintrin.h>

#include <chrono>
#include <cstdint>

#include "weft/base/thread_pool.h"
#include "weft/kernels/matmul/map_epilogue.h"

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What the generator makes of relu(c + bias): a MapKernel of variant "cc".
__attribute__((target("avx2,fma"), optimize("O3"))) void bias_relu(void* const* p,
                                                                   const int64_t* row_strides,
                                                                   int64_t n, int64_t rows,
                                                                   uint64_t) {
  for (int64_t r = 0; r < rows; ++r) {
    float* c = reinterpret_cast<float*>(static_cast<char*>(p[0]) + r * row_strides[0]);
    const float* bias =
        reinterpret_cast<const float*>(static_cast<const char*>(p[2]) + r * row_strides[2]);
    int64_t j = 0;
    for (; j + 8 <= n; j += 8) {
      const __m256 x = _mm256_add_ps(_mm256_loadu_ps(c + j), _mm256_loadu_ps(bias + j));
      _mm256_storeu_ps(c + j, _mm256_max_ps(x, _mm256_setzero_ps()));
    }
    for (; j < n; ++j) c[j] = c[j] + bias[j] > 0 ? c[j] + bias[j] : 0;
  }
}

}  // namespace

extern "C" void peer_threads(int count) { weft::set_num_threads(count); }

// Seconds of one call, over `calls` calls; sizes and strides as in MatmulArgs, one batch dim. With
// a bias, relu(c + bias) is the epilogue.
extern "C" double peer_matmul(int dtype, const int64_t* size, const void* a, const void* b, void* c,
                              int64_t calls, const float* bias) {
  weft::kernels::MatmulArgs args;
  args.dtype = static_cast<weft::DType>(dtype);
  args.m = size[0], args.n = size[1], args.k = size[2];
  args.a = a, args.a_row = size[3], args.a_col = size[4];
  args.b = b, args.b_row = size[5], args.b_col = size[6];
  args.c = c, args.c_row = size[7];
  const weft::kernels::BatchDim batch{size[8], size[9], size[10], size[11]};
  args.batch = &batch;
  args.batch_rank = 1;
  const weft::kernels::EpilogueInput input{.data = bias, .item = sizeof(float), .col = 1};
  weft::kernels::MapEpilogue map;
  map.kernel = bias_relu;
  map.item = sizeof(float);
  map.inputs = &input, map.count = 1;
  const weft::kernels::Epilogue hook = map.hook();
  if (bias != nullptr) args.epilogue = &hook;
  const double begin = now();
  for (int64_t i = 0; i < calls; ++i) weft::kernels::matmul(args);
  return (now() - begin) / static_cast<double>(calls);
}

// Measured peak of one thread, f32 flops a second: ten independent chains of AVX2 fma.
extern "C" __attribute__((target("avx2,fma"))) double peer_peak() {
  __m256 x[10];
  for (int i = 0; i < 10; ++i) x[i] = _mm256_set1_ps(1.0f + static_cast<float>(i));
  const __m256 a = _mm256_set1_ps(0.5f);
  double best = 0;
  for (int round = 0; round < 20; ++round) {
    const double begin = now();
    for (int i = 0; i < 100000; ++i) {
#pragma GCC unroll 10
      for (__m256& v : x) v = _mm256_fmadd_ps(v, a, a);
    }
    const double rate = 100000.0 * 10 * 16 / (now() - begin);
    best = rate > best ? rate : best;
  }
  return x[0][0] + x[1][0] + x[2][0] + x[3][0] + x[4][0] + x[5][0] + x[6][0] + x[7][0] + x[8][0] +
                     x[9][0] >
                 0
             ? best
             : 0;
}
