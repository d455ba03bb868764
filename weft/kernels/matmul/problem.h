// Problem: one matrix product in units of accumulators, and the paths that can compute it.
#pragma once

#include <cstdint>

#include "weft/base/sizes.h"
#include "weft/kernels/matmul/matmul.h"
#include "weft/kernels/matmul/tier.h"

namespace weft::kernels {

// The chain of the meaning: a new one begins at every multiple of this many k.
inline constexpr int64_t kChain = 512;

// How elements of the dtype lie in memory.
Storage storage_of(DType dtype);

// The tier in use.
const Tier& current_tier();

// C[m, n] = A[m, k] B[k, n]. A complex problem is a real one of twice the k and n, whose B is
// expanded while packing; then `parts` is 2 and strides still count complex elements.
template <class T>
struct Problem {
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t chain;
  int64_t parts;
  const char* a;
  int64_t a_row;
  int64_t a_col;
  const char* b;
  int64_t b_row;
  int64_t b_col;
  char* c;
  int64_t c_row;
  int64_t element;  // bytes of a stored element
  const ProductKernels<T>* kernels;
  const StorageKernels* storage;
  const Epilogue* epilogue;
  int64_t batch;    // index of this matrix
  bool transposed;  // the caller's C is this one's transpose, a single column

  // A, B and C hold accumulators, one per element.
  bool is_plain() const { return storage->store == nullptr && parts == 1; }
  bool c_is_direct() const { return storage->store == nullptr; }

  const void* a_at(int64_t i, int64_t step) const {
    return a + (i * a_row + step / parts * a_col) * element;
  }
  const void* b_at(int64_t step, int64_t j) const {
    return b + (step / parts * b_row + j / parts * b_col) * element;
  }
  char* c_at(int64_t i, int64_t j) const { return c + (i * c_row + j / parts) * element; }
  T* c_accumulators(int64_t i, int64_t j) const { return reinterpret_cast<T*>(c_at(i, 0)) + j; }
  int64_t c_accumulator_row() const { return c_row * parts; }

  // Runs the epilogue on a finished part of C.
  void finish(int64_t row0, int64_t rows, int64_t col0, int64_t cols) const {
    if (epilogue == nullptr) return;
    if (transposed) {
      epilogue->apply(epilogue->context, c_at(row0, col0), batch, col0, cols, row0, rows, 1);
    } else {
      epilogue->apply(epilogue->context, c_at(row0, col0), batch, row0, rows, col0 / parts,
                      cols / parts, c_row);
    }
  }
};

// Flags of the product over steps [begin, end) of k that starts a chain and ends it.
inline unsigned chain_flags(int64_t begin, int64_t end, int64_t k) {
  return (begin > 0 ? static_cast<unsigned>(kAddToC) : 0u) |
         (end == k ? static_cast<unsigned>(kFinal) : 0u);
}

inline int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t greater(int64_t a, int64_t b) { return a < b ? b : a; }

// The paths; each computes all of C and runs in the thread pool. Instantiated for the four
// accumulator types.
template <class T>
void multiply_packed(const Problem<T>& p);  // any problem with k > 0
template <class T>
void multiply_columns(const Problem<T>& p);  // the same, made for an A that stays in cache
// Plain, B's rows contiguous, or B packed in `panels` before, chain after chain.
template <class T>
void multiply_unpacked(const Problem<T>& p, const T* panels = nullptr);
template <class T>
void multiply_skinny(const Problem<T>& p);  // plain, B's rows contiguous, few rows of A
template <class T>
void multiply_row(const Problem<T>& p);  // plain, B's columns contiguous, one row of A
// Plain, B's columns contiguous, one contiguous row of A: each element of C by itself, its chains
// in parallel.
template <class T>
void multiply_chains(const Problem<T>& p);

}  // namespace weft::kernels
