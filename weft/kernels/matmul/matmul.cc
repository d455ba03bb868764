// The entry: dtype to accumulator and storage, batch to matrices, matrix to the path by its shape.
#include "weft/kernels/matmul/matmul.h"

#include <cstring>
#include <utility>

#include "weft/base/checked.h"
#include "weft/base/cpu.h"
#include "weft/base/thread_pool.h"
#include "weft/core/kept_copy.h"
#include "weft/kernels/matmul/problem.h"

namespace weft::kernels {

Storage storage_of(DType dtype) {
  switch (dtype) {
    case DType::kBool: return kAsBool;
    case DType::kU8:
    case DType::kI8: return kAsU8;
    case DType::kU16:
    case DType::kI16: return kAsU16;
    case DType::kU32:
    case DType::kI32: return kAsU32;
    case DType::kU64:
    case DType::kI64: return kAsU64;
    case DType::kF16: return kAsF16;
    case DType::kBF16: return kAsBF16;
    case DType::kF32: return kAsF32;
    case DType::kF64: return kAsF64;
    case DType::kC64: return kAsC64;
    case DType::kC128: return kAsC128;
  }
  fail(Code::kInternal, "matmul", "", "unknown dtype");
}

const Tier& current_tier() {
#if defined(__x86_64__)
  switch (current_isa()) {
    case Isa::avx2: return avx2::kTier;
    case Isa::avx512: return avx512::kTier;
    case Isa::portable: break;
  }
#endif
  return portable::kTier;
}

namespace {

// Below this many multiplications, and with B within L2, packing costs more than it gains.
constexpr int64_t kUnpackedWork = 3'000'000;
constexpr int64_t kUnpackedB = 64 * 1024;
constexpr int64_t kColumnsA = 20 * 1024;  // elements of A that each task may read for itself

template <class T>
void clear(const Problem<T>& p) {
  for (int64_t i = 0; i < p.m; ++i) {
    std::memset(p.c_at(i, 0), 0, static_cast<size_t>(p.n / p.parts * p.element));
  }
  p.finish(0, p.m, 0, p.n);
}

template <class T>
bool is_small(const Problem<T>& p) {
  const int64_t b = checked_mul(p.k, p.n);
  return b <= kUnpackedB && b * lesser(p.m, kUnpackedWork) <= kUnpackedWork;
}

template <class T>
void multiply(const Problem<T>& p) {
  if (p.k == 0) return clear(p);
  if (p.is_plain()) {
    // Of few columns the steps of one chain would wait for each other.
    if (p.m == 1 && p.a_col == 1 && p.b_row == 1 && p.n < p.kernels->lanes && p.k > 2 * p.chain) {
      return multiply_chains(p);
    }
    if (p.m == 1 && p.b_row == 1 && p.n > 1) return multiply_row(p);
    if (p.b_col == 1 || p.n == 1) {
      if (is_small(p)) return multiply_unpacked(p);
      if (p.m <= kSweepRows) return multiply_skinny(p);
    }
  }
  if (p.m * lesser(p.k, p.chain) <= kColumnsA) return multiply_columns(p);
  multiply_packed(p);
}

// The matrices of the batch, one after the other or as tasks of their own.
template <class T>
void multiply_batch(Problem<T> p, const MatmulArgs& args) {
  int64_t count = 1;
  for (int64_t d = 0; d < args.batch_rank; ++d) count = checked_mul(count, args.batch[d].size);
  if (count == 0) return;
  if (count == 1) return multiply(p);
  const auto at = [&](int64_t index) {
    Problem<T> item = p;
    item.batch = index;
    for (int64_t d = args.batch_rank; d-- > 0;) {
      const BatchDim& dim = args.batch[d];
      const int64_t i = index % dim.size;
      index /= dim.size;
      item.a += i * (p.transposed ? dim.b : dim.a) * p.element;
      item.b += i * (p.transposed ? dim.a : dim.b) * p.element;
      item.c += i * dim.c * p.element;
    }
    return item;
  };
  // Large matrices fill the pool by themselves; nested parallel_for calls are serial.
  const int64_t work =
      p.m * p.n <= kUnpackedWork * 8 / greater(p.k, 1) ? p.m * p.n * p.k : kUnpackedWork * 8;
  if (count < 4 && work >= kUnpackedWork * 8) {
    for (int64_t i = 0; i < count; ++i) multiply(at(i));
    return;
  }
  const int64_t group = greater(1, lesser(count, (1 << 17) / greater(work, 1)));
  parallel_for(ceil_div(count, group), [&](int64_t tile) {
    const int64_t end = lesser((tile + 1) * group, count);
    for (int64_t i = tile * group; i < end; ++i) multiply(at(i));
  });
}

// Small products with a transposed B, the weights of `linear` say: panels of B that are kept with
// it from the second call on, or null. To transpose B takes as long as to multiply a few rows by
// it. For larger ones the memory would be worth more than the time.
template <class T>
const T* kept_panels(const Problem<T>& p, Buffer* keeper) {
  if (keeper == nullptr || p.b_row != 1 || p.b_col == 1 || p.n == 1 || p.k == 0) return nullptr;
  if (!p.is_plain() || p.transposed || !is_small(p)) return nullptr;
  const int64_t key[] = {reinterpret_cast<int64_t>(p.kernels),
                         p.b - static_cast<const char*>(keeper->data), p.k, p.n, p.b_col};
  const int64_t cols = round_up(p.n, p.kernels->lanes);
  const int64_t bytes = (p.k * cols + p.kernels->lanes) * static_cast<int64_t>(sizeof(T));
  const void* const copy = kept_copy_or_null(keeper, key, bytes, [&](void* to) {
    for (int64_t k0 = 0; k0 < p.k; k0 += p.chain) {
      p.storage->pack_b(Packing{static_cast<T*>(to) + k0 * cols, p.b_at(k0, 0), p.n,
                                lesser(p.chain, p.k - k0), p.b_col, p.b_row});
    }
  });
  return static_cast<const T*>(copy);
}

// The product of the transposed operands, for a C whose rows and columns are one stretch.
template <class T>
void transpose(Problem<T>& p) {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.a_row, p.b_col);
  std::swap(p.a_col, p.b_row);
  p.c_row = p.n;
  p.transposed = true;
}

template <class T>
void run(const MatmulArgs& args, const ProductKernels<T>& kernels, const StorageKernels& storage) {
  Problem<T> p;
  p.parts = is_complex(args.dtype) ? 2 : 1;
  p.m = args.m;
  p.n = checked_mul(args.n, p.parts);
  p.k = checked_mul(args.k, p.parts);
  p.chain = kChain * p.parts;
  p.a = static_cast<const char*>(args.a);
  p.a_row = args.a_row;
  p.a_col = args.a_col;
  p.b = static_cast<const char*>(args.b);
  p.b_row = args.b_row;
  p.b_col = args.b_col;
  p.c = static_cast<char*>(args.c);
  p.c_row = args.c_row;
  p.element = size_of(args.dtype);
  p.kernels = &kernels;
  p.storage = &storage;
  p.epilogue = args.epilogue;
  p.batch = 0;
  p.transposed = false;
  // One column of C, dense: the transposed product has one row, and the same bits.
  if (args.n == 1 && args.m > 1 && args.c_row == 1 && p.is_plain()) transpose(p);
  if (args.batch_rank == 0) {
    if (const T* const panels = kept_panels(p, args.b_keeper)) return multiply_unpacked(p, panels);
  }
  multiply_batch(p, args);
}

}  // namespace

void matmul(const MatmulArgs& args) {
  if (args.m == 0 || args.n == 0) return;
  const Tier& tier = current_tier();
  const Storage kind = storage_of(args.dtype);
  const StorageKernels& storage = tier.storage[kind];
  switch (kind) {
    case kAsF64:
    case kAsC128: return run(args, tier.f64, storage);
    case kAsU8:
    case kAsU16:
    case kAsU32: return run(args, tier.u32, storage);
    case kAsU64: return run(args, tier.u64, storage);
    default: return run(args, tier.f32, storage);
  }
}

}  // namespace weft::kernels
