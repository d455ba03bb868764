// The loop over time: rows of the batch go through all steps on their own, or, where the weight is
// too large for a thread's caches, all rows go step by step, by all threads.
#include "weft/kernels/recurrent/recurrence.h"

#include <algorithm>
#include <cstring>

#include "weft/base/error.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/matmul/problem.h"
#include "weft/kernels/matmul/workspace.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr int64_t kSweptRows = 2;           // up to so many rows B is swept as it is, not in panels
constexpr int64_t kGroupRows = 16;          // fewer rows read the weight too often
constexpr int64_t kSharedBytes = 2 << 20;   // a weight that several groups may read at each step
constexpr double kAlonePerStep = 600e3;     // multiplications: less is not worth sharing a step
constexpr int64_t kLeastColumns = 1 << 18;  // multiplications of a task that shares a step
constexpr int64_t kPackedColumns = 256;     // packed by one task
constexpr double kStepNs = 2;               // of an element of the step's kernel

struct Range {
  int64_t begin, end;
  int64_t count() const { return end - begin; }
};

char* at(const StepOperand& operand, int64_t t, int64_t row) {
  char* const start = t == 0 ? operand.first : operand.then + (t - 1) * operand.time;
  return start + row * operand.row;
}

template <class T>
class Loop {
 public:
  Loop(const Recurrence& r, const ProductKernels<T>& kernels, const StorageKernels& storage)
      : r_(r), kernels_(kernels), k_(r.weight.dim(0).value()), n_(r.weight.dim(1).value()) {
    const int64_t groups = greater(1, r.rows / kGroupRows);
    const double work = static_cast<double>(r.rows) * static_cast<double>(k_ * n_);
    const bool fits = k_ * n_ * static_cast<int64_t>(sizeof(T)) <= kSharedBytes;
    groups_ = groups > 1 ? (fits ? groups : 0) : (work <= kAlonePerStep ? 1 : 0);
    const int64_t rows = groups_ > 1 ? r.rows / groups_ : r.rows;
    rows <= kSweptRows ? spread() : pack(storage);
  }

  void run() const {
    if (groups_ == 0) return step_by_step();
    parallel_for(groups_, [&](int64_t group) {
      const Range rows{r_.rows * group / groups_, r_.rows * (group + 1) / groups_};
      const Workspace sums(sums_bytes(rows, {0, n_}));
      for (int64_t t = 0; t < r_.steps; ++t) {
        copy(t, rows);
        if (r_.product_first) multiply(t, rows, {0, n_}, sums.as<T>());
        step(t, rows);
        if (!r_.product_first) multiply(t, rows, {0, n_}, sums.as<T>());
      }
    });
  }

 private:
  // B with contiguous rows.
  void spread() {
    const Tensor& w = r_.weight;
    b_ = static_cast<const T*>(w.data());
    b_row_ = w.strides()[0];
    if (w.strides()[1] == 1 || n_ == 1) return;
    plain_.renew(k_ * n_ * static_cast<int64_t>(sizeof(T)));
    T* const to = plain_.as<T>();
    const int64_t row = b_row_, col = w.strides()[1];
    in_tasks(ceil_div(n_, kernels_.lanes), static_cast<double>(k_ * kernels_.lanes),
             [&](int64_t begin, int64_t end) {
               const int64_t last = lesser(n_, end * kernels_.lanes);
               for (int64_t j0 = begin * kernels_.lanes; j0 < last; j0 += kernels_.lanes) {
                 const int64_t j1 = lesser(last, j0 + kernels_.lanes);
                 for (int64_t k = 0; k < k_; ++k) {
                   for (int64_t j = j0; j < j1; ++j) to[k * n_ + j] = b_[k * row + j * col];
                 }
               }
             });
    b_ = to;
    b_row_ = n_;
  }

  int64_t padded() const { return round_up(n_, kernels_.max_cols); }

  // Panels of columns, chain by chain.
  void pack(const StorageKernels& storage) {
    plain_.renew((k_ * padded() + kernels_.lanes) * static_cast<int64_t>(sizeof(T)));
    T* const to = plain_.as<T>();
    const T* const from = static_cast<const T*>(r_.weight.data());
    const int64_t row = r_.weight.strides()[0], col = r_.weight.strides()[1];
    parallel_for(ceil_div(n_, kPackedColumns), [&](int64_t task) {
      const int64_t j = task * kPackedColumns;
      for (int64_t k = 0; k < k_; k += kChain) {
        const int64_t depth = lesser(kChain, k_ - k);
        storage.pack_b(Packing{to + k * padded() + j * depth, from + k * row + j * col,
                               lesser(kPackedColumns, n_ - j), depth, col, row});
      }
    });
    b_ = to;
    is_packed_ = true;
  }

  int64_t sums_bytes(Range rows, Range cols) const {
    if (is_packed_) return 0;
    const int64_t wide = round_up(cols.count(), kernels_.max_cols);
    return rows.count() * wide * static_cast<int64_t>(sizeof(T));
  }

  struct Base {
    const T* at;
    int64_t row;
  };
  Base base_of(int64_t t, Range rows, Range cols) const {
    if (r_.base.first == nullptr) return {nullptr, 0};
    return {reinterpret_cast<const T*>(at(r_.base, t, rows.begin)) + cols.begin,
            r_.base.row / static_cast<int64_t>(sizeof(T))};
  }

  // The product of step t, of some rows and columns; these begin with a panel.
  void multiply(int64_t t, Range rows, Range cols, T* sums) const {
    const auto size = static_cast<int64_t>(sizeof(T));
    const T* const a = reinterpret_cast<const T*>(at(r_.from, t, rows.begin));
    T* const c = reinterpret_cast<T*>(at(r_.to, t, rows.begin)) + cols.begin;
    const int64_t a_row = r_.from.row / size, c_row = r_.to.row / size;
    const Base base = base_of(t, rows, cols);
    for (int64_t k0 = 0; k0 < k_; k0 += kChain) {
      const int64_t k1 = lesser(k0 + kChain, k_), depth = k1 - k0;
      const unsigned flags = chain_flags(k0, k1, k_) | static_cast<unsigned>(kAddToC);
      if (is_packed_) {
        kernels_.product({rows.count(), cols.count(), depth, a + k0, a_row, 1, false,
                          b_ + k0 * padded() + cols.begin * depth, 0, true, c, c_row, flags,
                          k0 == 0 ? base.at : nullptr, base.row});
      } else {
        for (int64_t i = 0; k0 == 0 && base.at != nullptr && i < rows.count(); ++i) {
          std::copy_n(base.at + i * base.row, cols.count(), c + i * c_row);
        }
        kernels_.sweep({rows.count(), cols.count(), depth, a + k0, a_row, 1,
                        b_ + k0 * b_row_ + cols.begin, b_row_, sums});
        kernels_.end_sweep({rows.count(), cols.count(), sums, c, c_row, flags});
      }
    }
  }

  void copy(int64_t t, Range rows) const {
    for (const Recurrence::Copy& each : r_.copies) {
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        std::memcpy(at(each.to, t, i), at(each.from, t, i), static_cast<size_t>(each.bytes));
      }
    }
  }

  void step(int64_t t, Range rows) const {
    void* p[Recurrence::kMaxOperands];
    int64_t row_strides[Recurrence::kMaxOperands];
    for (size_t i = 0; i < r_.operands.size(); ++i) {
      p[i] = at(r_.operands[i], t, rows.begin);
      row_strides[i] = r_.operands[i].row;
    }
    r_.step(p, row_strides, r_.size, rows.count(), 0);
  }

  // All threads share the product of a step by columns, and its kernel by rows.
  void step_by_step() const {
    const int64_t width = kernels_.max_cols;
    const int64_t wanted = ceil_div(kLeastColumns, r_.rows * k_);
    const int64_t cols = lesser(round_up(wanted, width), round_up(n_, width));
    const auto product = [&](int64_t t) {
      parallel_for(ceil_div(n_, cols), [&](int64_t task) {
        const Range own{task * cols, lesser(n_, (task + 1) * cols)}, rows{0, r_.rows};
        const Workspace sums(sums_bytes(rows, own));
        multiply(t, rows, own, sums.as<T>());
      });
    };
    for (int64_t t = 0; t < r_.steps; ++t) {
      copy(t, {0, r_.rows});
      if (r_.product_first) product(t);
      in_tasks(r_.rows, kStepNs * static_cast<double>(r_.size),
               [&](int64_t begin, int64_t end) { step(t, {begin, end}); });
      if (!r_.product_first) product(t);
    }
  }

  const Recurrence& r_;
  const ProductKernels<T>& kernels_;
  int64_t k_, n_;
  int64_t groups_;  // of rows that go on alone; 0: all go step by step
  bool is_packed_ = false;
  Workspace plain_;
  const T* b_ = nullptr;
  int64_t b_row_ = 0;
};

}  // namespace

void recurrence(const Recurrence& r) {
  WEFT_ASSERT(r.operands.size() <= Recurrence::kMaxOperands, r.operands.size());
  if (r.steps == 0 || r.rows == 0 || r.size == 0) return;
  const Tier& tier = current_tier();
  if (r.dtype == DType::kF64) return Loop<double>(r, tier.f64, tier.storage[kAsF64]).run();
  Loop<float>(r, tier.f32, tier.storage[kAsF32]).run();
}

}  // namespace weft::kernels
