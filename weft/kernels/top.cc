// top_rows: the first k of a row's order. A filter keeps what may be among them; few elements pass
// it, and those are cut down to k now and then.
#include <algorithm>
#include <bit>

#include "weft/kernels/operand.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/sort.h"
#include "weft/kernels/sort_key.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr int64_t kBlock = 64;         // elements looked at together
constexpr int64_t kFilterAtLeast = 8;  // a row this many times longer than k is filtered
constexpr double kNsPerElement = 0.5;

struct Candidate {
  uint64_t key;
  int64_t index;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  }
};

// The best of a row so far, in the order of their indices until there are too many.
class Candidates {
 public:
  Candidates(char* memory, int64_t k, int64_t room)
      : items_(reinterpret_cast<Candidate*>(memory)), k_(k), room_(room) {}

  // A key below this may be among the first k; equal ones come later in the row, and in the order.
  // While there are fewer than k candidates, `is_open`: any key may.
  uint64_t bound() const { return bound_; }
  bool is_open() const { return is_open_; }
  // Enters what is below the bound, of elements [first, last), a block at most. Each is written and
  // only some are counted: a branch would be guessed wrong too often.
  template <class KeyAt>
  void enter(int64_t first, int64_t last, const KeyAt& key_at) {
    if (count_ + kBlock > room_) shrink();
    const bool is_open = is_open_;
    const uint64_t bound = bound_;
    int64_t count = count_;
    for (int64_t i = first; i < last; ++i) {
      const uint64_t key = key_at(i);
      items_[count] = {key, i};
      count += static_cast<int64_t>(is_open | (key < bound));
    }
    count_ = count;
  }
  void write(int64_t* out) {
    shrink();
    std::sort(items_, items_ + k_);
    for (int64_t i = 0; i < k_; ++i) out[i] = items_[i].index;
  }

 private:
  void shrink() {
    std::nth_element(items_, items_ + k_ - 1, items_ + count_);
    count_ = k_;
    bound_ = items_[k_ - 1].key;
    is_open_ = false;
  }

  Candidate* items_;
  int64_t k_, room_, count_ = 0;
  uint64_t bound_ = 0;
  bool is_open_ = true;
};

// A block none of whose keys is below the bound is passed over; the loops are made of vectors.
template <class Key, class Bits = typename Key::Bits>
bool has_below(const Bits* block, Bits flip, Bits bound) {
  Bits any = 0;
  if constexpr (Key::kIsFloat && sizeof(Bits) == sizeof(float)) {
    // Comparing floats is a fraction of making keys. NaN is above every limit, which `!` says.
    const auto* const x = reinterpret_cast<const float*>(block);
    const float limit = std::bit_cast<float>(Key::element(bound ^ flip));
    if (flip != 0) {
      for (int64_t i = 0; i < kBlock; ++i) any |= static_cast<Bits>(!(x[i] <= limit));
      return any != 0;
    }
    if (limit == limit) {
      for (int64_t i = 0; i < kBlock; ++i) any |= static_cast<Bits>(x[i] < limit);
      return any != 0;
    }
  }
  for (int64_t i = 0; i < kBlock; ++i) any |= static_cast<Bits>(Key::of(block[i]) ^ flip) < bound;
  return any != 0;
}

template <class Key>
void top_row(int64_t* out, const typename Key::Bits* row, int64_t n, bool descending,
             Candidates best) {
  using Bits = typename Key::Bits;
  const Bits flip = descending ? Key::kOnes : Bits{0};
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t last = std::min(n, first + kBlock);
    if (!best.is_open() && last - first == kBlock &&
        !has_below<Key>(row + first, flip, static_cast<Bits>(best.bound()))) {
      continue;
    }
    best.enter(first, last, [&](int64_t i) { return static_cast<Bits>(Key::of(row[i]) ^ flip); });
  }
  best.write(out);
}

// A long part of the order: all of it, and the first k of that.
void top_of_order(const Operand& to, const Tensor& in, int64_t n, int64_t k, bool descending) {
  const Tensor order = Tensor::empty(DType::kI64, Shape(in.shape()));
  argsort_rows(order, in, descending);
  const auto* const from = static_cast<const int64_t*>(order.data());
  auto* const out = reinterpret_cast<int64_t*>(to.data);
  for (int64_t row = 0; row < to.numel / k; ++row) std::copy_n(from + row * n, k, out + row * k);
}

}  // namespace

void top_rows(const Tensor& out, const Tensor& in, bool descending) {
  const Operand to = operand_of(out), from = operand_of(in);
  if (to.numel == 0) return;
  const int64_t k = to.dims[to.rank - 1].value(), n = from.dims[from.rank - 1].value();
  if (n / kFilterAtLeast < k) return top_of_order(to, in, n, k, descending);
  const int64_t room = 2 * k + 2 * kBlock;
  with_sort_key(in.dtype(), [&](auto key) {
    using Key = decltype(key);
    using Bits = typename Key::Bits;
    const double ns = kNsPerElement * static_cast<double>(n);
    in_tasks(to.numel / k, ns, [&](int64_t begin, int64_t end) {
      const Scratch scratch(room * static_cast<int64_t>(sizeof(Candidate)));
      for (int64_t row = begin; row < end; ++row) {
        top_row<Key>(reinterpret_cast<int64_t*>(to.data) + row * k,
                     reinterpret_cast<const Bits*>(from.data) + row * n, n, descending,
                     Candidates(scratch.data(), k, room));
      }
    });
  });
}

}  // namespace weft::kernels
