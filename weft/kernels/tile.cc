// Tile copies: memcpy of rows, transposes in vector registers, and plain loops for the rest.
#include "weft/kernels/tile.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/base/error.h"
#include "weft/kernels/stream.h"

namespace weft::kernels {
namespace {

struct Item16 {
  uint64_t low, high;
};

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void store(char* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <class T>
void copy_strided(TileTarget to, TileSource from, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    char* out = to.data + r * to.row;
    const char* in = from.data + r * from.row;
    for (int64_t c = 0; c < cols; ++c, out += to.col, in += from.col) store(out, load<T>(in));
  }
}

template <class T>
void fill_typed(char* to, const char* value, int64_t count) {
  const T one = load<T>(value);
  for (int64_t i = 0; i < count; ++i) store(to + i * static_cast<int64_t>(sizeof(T)), one);
}

// A vector of 16 bytes of T, and the two ways to interleave a pair of them.
template <class T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(16)));
  static constexpr int kCount = 16 / sizeof(T);

  template <int... I>
  static Vector zip_low(Vector a, Vector b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (I / 2 + (I % 2) * kCount)...);
  }
  template <int... I>
  static Vector zip_high(Vector a, Vector b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (I / 2 + kCount / 2 + (I % 2) * kCount)...);
  }
};

// A block of N x N items: interleaving vector i with vector i + N/2, log2(N) times, transposes it.
template <class T>
inline void transpose_block(char* to, int64_t to_row, const char* from, int64_t from_col) {
  using L = Lanes<T>;
  using Vector = typename L::Vector;
  constexpr int kN = L::kCount;
  constexpr std::make_integer_sequence<int, kN> lanes;
  Vector v[kN], w[kN];
  for (int i = 0; i < kN; ++i) v[i] = load<Vector>(from + i * from_col);
  for (int width = 1; width < kN; width *= 2) {
    for (int i = 0; i < kN / 2; ++i) {
      w[2 * i] = L::zip_low(v[i], v[i + kN / 2], lanes);
      w[2 * i + 1] = L::zip_high(v[i], v[i + kN / 2], lanes);
    }
    for (int i = 0; i < kN; ++i) v[i] = w[i];
  }
  for (int i = 0; i < kN; ++i) store(to + i * to_row, v[i]);
}

// `to` is contiguous along columns, `from` along rows.
template <class T>
void transpose(TileTarget to, TileSource from, int64_t rows, int64_t cols) {
  constexpr int64_t kItem = sizeof(T), kN = Lanes<T>::kCount;
  int64_t c = 0;
  for (; c + kN <= cols; c += kN) {
    int64_t r = 0;
    for (; r + kN <= rows; r += kN) {
      transpose_block<T>(to.data + r * to.row + c * kItem, to.row,
                         from.data + c * from.col + r * kItem, from.col);
    }
    copy_strided<T>({to.data + r * to.row + c * kItem, to.row, kItem},
                    {from.data + c * from.col + r * kItem, kItem, from.col}, rows - r, kN);
  }
  copy_strided<T>({to.data + c * kItem, to.row, kItem}, {from.data + c * from.col, kItem, from.col},
                  rows, cols - c);
}

// Rows of a few items: a call of memcpy for each would cost more than the copy.
template <class Unit>
void copy_short_rows(TileTarget to, TileSource from, int64_t rows, int64_t bytes) {
  constexpr auto kUnit = static_cast<int64_t>(sizeof(Unit));
  for (int64_t r = 0; r < rows; ++r) {
    char* const out = to.data + r * to.row;
    const char* const in = from.data + r * from.row;
    for (int64_t i = 0; i < bytes; i += kUnit) store(out + i, load<Unit>(in + i));
  }
}

void copy_rows(TileTarget to, TileSource from, int64_t rows, int64_t bytes) {
  if (bytes < 64 && bytes % 16 == 0) return copy_short_rows<Item16>(to, from, rows, bytes);
  if (bytes < 64 && bytes % 8 == 0) return copy_short_rows<uint64_t>(to, from, rows, bytes);
  if (bytes < 64 && bytes % 4 == 0) return copy_short_rows<uint32_t>(to, from, rows, bytes);
  for (int64_t r = 0; r < rows; ++r) {
    copy_run(to.data + r * to.row, from.data + r * from.row, bytes);
  }
}

template <class T>
void copy_typed(TileTarget to, TileSource from, int64_t rows, int64_t cols) {
  constexpr int64_t kItem = sizeof(T);
  if (to.col != kItem && to.row == kItem) {
    std::swap(to.row, to.col);
    std::swap(from.row, from.col);
    std::swap(rows, cols);
  }
  const bool wide = cols * kItem >= 64;  // below it a call of memcpy costs more than it saves
  if (to.col == kItem && from.col == kItem && (wide || kItem >= 4)) {
    copy_rows(to, from, rows, cols * kItem);
  } else if (to.col == kItem && from.col == 0 && wide) {
    for (int64_t r = 0; r < rows; ++r) {
      fill_typed<T>(to.data + r * to.row, from.data + r * from.row, cols);
    }
  } else if (kItem < 16 && to.col == kItem && from.row == kItem) {
    if constexpr (kItem < 16) transpose<T>(to, from, rows, cols);
  } else {
    copy_strided<T>(to, from, rows, cols);
  }
}

}  // namespace

void copy_tile(TileTarget to, TileSource from, int64_t rows, int64_t cols, int64_t item) {
  switch (item) {
    case 1: return copy_typed<uint8_t>(to, from, rows, cols);
    case 2: return copy_typed<uint16_t>(to, from, rows, cols);
    case 4: return copy_typed<uint32_t>(to, from, rows, cols);
    case 8: return copy_typed<uint64_t>(to, from, rows, cols);
    case 16: return copy_typed<Item16>(to, from, rows, cols);
    default: WEFT_ASSERT(false, "items of ", item, " bytes");
  }
}

void fill_items(char* to, const char* value, int64_t count, int64_t item) {
  switch (item) {
    case 1: return fill_typed<uint8_t>(to, value, count);
    case 2: return fill_typed<uint16_t>(to, value, count);
    case 4: return fill_typed<uint32_t>(to, value, count);
    case 8: return fill_typed<uint64_t>(to, value, count);
    case 16: return fill_typed<Item16>(to, value, count);
    default: WEFT_ASSERT(false, "items of ", item, " bytes");
  }
}

}  // namespace weft::kernels
