// Batches of triangular systems in tasks: first the triangles are checked, then panels of columns
// are solved.
#include "weft/kernels/triangular/triangular.h"

#include <vector>

#include "weft/base/cpu.h"
#include "weft/base/sizes.h"
#include "weft/kernels/accumulate.h"
#include "weft/kernels/lapack/matrices.h"
#include "weft/kernels/triangular/tier.h"

namespace weft::kernels::triangular {
namespace {

using lapack::FirstFailure;
using lapack::matrix_at;
using lapack::Strided;

constexpr double kNsPerStep = 0.1;    // of one column
constexpr int64_t kMostLines = 2;     // so many columns are solved one by one
constexpr double kNsPerCheck = 0.05;  // of one element
constexpr double kNsPerSystem = 50;

const Tier& current_tier() {
#if defined(__x86_64__)
  if (current_isa() == Isa::avx512) return avx512::kTier;
  if (current_isa() == Isa::avx2) return avx2::kTier;
#endif
  return portable::kTier;
}
template <class T>
const Kernels<T>& kernels_of(const Tier& tier) {
  if constexpr (std::is_same_v<T, float>) {
    return tier.f32;
  } else {
    return tier.f64;
  }
}

// Whether the triangle that is read is finite.
template <class T>
bool is_finite_triangle(const Kernels<T>& kernels, const Strided<T>& a,
                        const TriangularSolve& how) {
  const bool by_rows = a.column_stride == 1;
  const int64_t along = by_rows ? a.column_stride : a.row_stride;
  const int64_t across = by_rows ? a.row_stride : a.column_stride;
  const int64_t unit = how.unit_diagonal ? 1 : 0, n = a.rows;
  // Rows of a lower triangle and columns of an upper one begin at 0; the others at the diagonal.
  const bool grows = by_rows != how.upper;
  if (along == 1) {
    if (grows) return kernels.all_finite({a.data, n, across, 1 - unit, true});
    return kernels.all_finite({a.data + unit, n, across + 1, n - unit, false});
  }
  for (int64_t line = 0; line < n; ++line) {
    const int64_t begin = grows ? 0 : line + unit, end = grows ? line + 1 - unit : n;
    for (int64_t i = begin; i < end; ++i) {
      if (!lapack::is_finite(a.data[line * across + i * along])) return false;
    }
  }
  return true;
}

// The position of the first 0 on the diagonal, or -1.
template <class T>
int64_t first_zero(const Strided<T>& a) {
  for (int64_t i = 0; i < a.rows; ++i) {
    if (a.data[i * (a.row_stride + a.column_stride)] == T(0)) return i;
  }
  return -1;
}

// As a lower triangle: an upper one is read from its end.
template <class T>
System<T> system_of(Strided<T> a, const TriangularSolve& how) {
  if (how.adjoint) std::swap(a.row_stride, a.column_stride);
  const bool is_lower = how.upper == how.adjoint;
  if (is_lower) return {a.data, a.rows, a.row_stride, a.column_stride, how.unit_diagonal};
  return {a.data + (a.rows - 1) * (a.row_stride + a.column_stride), a.rows, -a.row_stride,
          -a.column_stride, how.unit_diagonal};
}

// Columns [first, first + count) of b to and from a panel with rows of `pitch` elements, in the
// order in which the unknowns are found.
template <class T>
class Panel {
 public:
  Panel(const Strided<T>& b, T* out, int64_t first, int64_t count, int64_t pitch, bool is_lower,
        T* memory)
      : b_(b),
        out_(out),
        first_(first),
        count_(count),
        pitch_(pitch),
        is_lower_(is_lower),
        memory_(memory) {}

  void load() const {
    for (int64_t i = 0; i < b_.rows; ++i) {
      const T* const from = b_.data + i * b_.row_stride + first_ * b_.column_stride;
      T* const to = row(i);
      for (int64_t c = 0; c < count_; ++c) to[c] = from[c * b_.column_stride];
      for (int64_t c = count_; c < pitch_; ++c) to[c] = T(0);
    }
  }
  // A column of b that is not finite gives NaN.
  void store() const {
    for (int64_t i = 0; i < b_.rows; ++i) {
      const T* const from = row(i);
      T* const to = out_ + i * b_.columns + first_;
      for (int64_t c = 0; c < count_; ++c) to[c] = canonical(from[c]);
    }
    for (int64_t c = first_; c < first_ + count_; ++c) {
      T none = 0;  // NaN, if an element is not finite
      for (int64_t i = 0; i < b_.rows; ++i) {
        none += b_.data[i * b_.row_stride + c * b_.column_stride] * T(0);
      }
      if (none == T(0)) continue;
      for (int64_t i = 0; i < b_.rows; ++i) out_[i * b_.columns + c] = lapack::nan_of<T>();
    }
  }

 private:
  T* row(int64_t i) const { return memory_ + (is_lower_ ? i : b_.rows - 1 - i) * pitch_; }

  const Strided<T>& b_;
  T* const out_;
  int64_t first_, count_, pitch_;
  bool is_lower_;
  T* const memory_;
};

template <class T>
class Solver {
 public:
  Solver(const Tensor& out, const Tensor& a, const Tensor& b, TriangularSolve how)
      : out_(out),
        a_(a),
        b_(b),
        how_(how),
        kernels_(kernels_of<T>(current_tier())),
        n_(out.dim(-2).value()),
        columns_(out.dim(-1).value()),
        states_(static_cast<size_t>(lapack::batch_size(out)), State::kGood) {
    const bool has_lines = columns_ <= kMostLines && has_unit_stride();
    vectors_ = has_lines ? 0 : columns_ > kernels_.lanes ? 2 : 1;
    width_ = has_lines ? 1 : vectors_ * kernels_.lanes;
  }

  void check(FirstFailure& failure) {
    const double elements = static_cast<double>(vectors_ == 0 ? n_ : n_ * n_);
    const double ns = kNsPerCheck * elements + kNsPerSystem;
    in_tasks(static_cast<int64_t>(states_.size()), ns, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Strided<T> a = matrix_at<T>(a_, out_, i);
        State& state = states_[static_cast<size_t>(i)];
        const int64_t zero = how_.unit_diagonal ? -1 : first_zero(a);
        if (vectors_ == 0 && zero < 0) continue;  // lines are checked while they are solved
        if (!is_finite_triangle(kernels_, a, how_)) {
          state = State::kNotFinite;
        } else if (zero >= 0) {
          failure.note(i, static_cast<int32_t>(zero));
        }
      }
    });
  }

  void solve() {
    const int64_t panels = ceil_div(columns_, width_);
    const double steps = static_cast<double>(n_ * (n_ + 8)) / 2;
    const double ns = kNsPerStep * steps * static_cast<double>(std::max<int64_t>(1, vectors_));
    in_tasks(static_cast<int64_t>(states_.size()) * panels, ns + kNsPerSystem,
             [&](int64_t begin, int64_t end) {
               const int64_t room = round_up(n_, kernels_.lanes) * width_;
               const Scratch memory(room * static_cast<int64_t>(sizeof(T)));
               for (int64_t at = begin; at < end; ++at) {
                 solve_columns(at / panels, at % panels * width_,
                               reinterpret_cast<T*>(memory.data()));
               }
             });
  }

 private:
  enum class State : uint8_t { kGood, kNotFinite };

  bool has_unit_stride() const {
    const Operand a = operand_of(a_);
    const auto is_unit = [](int64_t stride) { return stride == 1 || stride == -1; };
    return is_unit(a.strides[a.rank - 1]) || is_unit(a.strides[a.rank - 2]);
  }

  void store_nan(T* to, int64_t first, int64_t count) const {
    for (int64_t i = 0; i < n_; ++i) lapack::store_nan(to + i * columns_ + first, count);
  }

  void solve_columns(int64_t matrix, int64_t first, T* memory) const {
    T* const to = static_cast<T*>(out_.writable_data()) + matrix * n_ * columns_;
    const int64_t count = std::min(width_, columns_ - first);
    if (states_[static_cast<size_t>(matrix)] == State::kNotFinite) {
      return store_nan(to, first, count);
    }
    const System<T> system = system_of(matrix_at<T>(a_, out_, matrix), how_);
    const Strided<T> b = matrix_at<T>(b_, out_, matrix);
    const Panel<T> panel(b, to, first, count, width_, how_.upper == how_.adjoint, memory);
    panel.load();
    bool is_finite = true;
    if (vectors_ == 0) {
      is_finite = kernels_.solve_line(system, memory);
    } else {
      kernels_.solve_panel(system, memory, vectors_);
    }
    is_finite ? panel.store() : store_nan(to, first, count);
  }

  const Tensor &out_, &a_, &b_;
  const TriangularSolve how_;
  const Kernels<T>& kernels_;
  const int64_t n_, columns_;
  int64_t vectors_, width_;  // of a panel; no vectors: one column
  std::vector<State> states_;
};

template <class T>
void solve_typed(const Tensor& out, const Tensor& a, const Tensor& b, TriangularSolve how,
                 Blame blame) {
  Solver<T> solver(out, a, b, how);
  FirstFailure failure;
  solver.check(failure);
  if (failure.any()) {
    fail(Code::kInvalid, blame.op, blame.law, lapack::matrix_name(out, failure.matrix()),
         " is singular: element ", failure.info(), " of its diagonal is 0; all must differ from 0");
  }
  solver.solve();
}

}  // namespace

void solve(const Tensor& out, const Tensor& a, const Tensor& b, TriangularSolve how, Blame blame) {
  return a.dtype() == DType::kF32 ? solve_typed<float>(out, a, b, how, blame)
                                  : solve_typed<double>(out, a, b, how, blame);
}

}  // namespace weft::kernels::triangular
