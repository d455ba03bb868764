// The ABI of generated kernels, and the table by which they are found.
//
// A kernel is named by a key, `op/dtype/variant`, e.g. "add/f32/cs". Each tier (portable C,
// AVX2+FMA, AVX-512) has a function for every key; the tier is chosen once, at start-up.
// docs/design/codegen.md has the list of variants.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace weft {

// Elementwise, and row kernels (there n is the row's length). `p` holds the outputs, then the
// inputs; operand i of row r starts at p[i] + r * row_strides[i] bytes. Along the row an operand is
// contiguous ('c' in the variant) or one value ('s'). `position` is the linear index of the first
// element (for Expr::position); rows follow each other. In place is legal: a vector's inputs are
// loaded before its outputs are stored. A row kernel with KernelEntry::scratch > 0 has one more
// pointer after the inputs: `scratch` bytes per element of a row, plus 64 elements' worth, which
// rows share. An output of a row kernel that is one value for the whole row is stored once per row.
using MapKernel = void (*)(void* const* p, const int64_t* row_strides, int64_t n, int64_t rows,
                           uint64_t position);

// Reductions over a contiguous row, in the canonical order (docs/numerics.md): up to
// kReduceBlock elements of each of `rows` rows; state k of row r is written to states[k][r].
// `index` is the logical index of the row's first element (argmax).  Row r starts at in + r *
// row_stride bytes.
using RowReduceKernel = void (*)(void* const* states, const void* in, int64_t row_stride, int64_t n,
                                 int64_t rows, uint64_t index);

// The same over columns: element j of column c is at in + j * row_stride bytes + c elements; state
// k of column c is written to states[k][c]. `scratch` holds 64 partial rows of at most
// kReduceColumns columns for every state.
using ColumnReduceKernel = void (*)(void* const* states, const void* in, int64_t row_stride,
                                    int64_t n, int64_t columns, uint64_t index, void* scratch);

// Combines states that are themselves laid out as rows or columns (block results): as above, but
// reading states.
using CombineKernel = void (*)(void* const* states, void* const* in, int64_t row_stride, int64_t n,
                               int64_t rows);

// Inclusive scans along `rows` contiguous rows of n elements, strides (in bytes) apart: each from
// left to right, several at a time, because a step waits for the one before it. totals[r], in the
// dtype that totals are kept in, is the total before the row's first element; the total behind its
// last element replaces it.
using ScanKernel = void (*)(void* out, const void* in, int64_t n, int64_t rows, int64_t out_stride,
                            int64_t in_stride, void* totals);

inline constexpr int64_t kScanBlock = 512;       // elements of one block of a long scan
inline constexpr int64_t kReduceBlock = 16384;   // elements of one block of a long reduction
inline constexpr int64_t kReduceColumns = 1024;  // columns of one tile of a column reduction

enum class Tier : uint8_t { kPortable, kAvx2, kAvx512 };
inline constexpr int kNumTiers = 3;

struct KernelEntry {
  const char* key;
  const void* functions[kNumTiers];  // null where a tier was not built
  int64_t scratch;                   // row kernels: bytes of scratch per element of the row
};

// Adds a table of generated kernels (the library's own, or one of weft_add_ops). Keys must be new.
void add_kernels(const KernelEntry* entries, int64_t count);

// The function of `key` for the current tier, or null if there is no such kernel.
const void* find_kernel(std::string_view key);
const void* find_kernel(std::string_view key, Tier tier);
const KernelEntry* find_kernel_entry(std::string_view key);  // null if there is no such kernel

// Every kernel, in no particular order: for tests.
std::vector<const KernelEntry*> all_kernels();

}  // namespace weft
