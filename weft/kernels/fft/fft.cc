// Lines of a tensor through a plan: a few at a time, side by side in vectors.
#include "weft/kernels/fft/fft.h"

#include <cmath>

#include "weft/base/error.h"
#include "weft/kernels/fft/transform.h"
#include "weft/kernels/operand.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels::fft {
namespace {

// As many numbers as every x86-64 adds at once.
template <class T>
struct LanesOf {
  static constexpr int kCount = 16 / sizeof(T);
  typedef T Type __attribute__((vector_size(16)));
};
template <>
struct LanesOf<long double> {
  static constexpr int kCount = 1;
  using Type = long double;
};

enum class Kind { kComplex, kFromReal, kToReal };

// One tensor's lines along an axis: where each begins, and its step. In numbers: a complex element
// is two.
struct Lines {
  Operand operand;
  int axis, parts;

  int64_t begin(int64_t line) const {
    int64_t offset = 0;
    for (int d = operand.rank - 1; d >= 0; --d) {
      if (d == axis) continue;
      const int64_t size = operand.dims[d].value();
      offset += line % size * operand.strides[d];
      line /= size;
    }
    return offset * parts;
  }
  int64_t step() const { return operand.strides[axis] * parts; }
  int64_t length() const { return operand.dims[axis].value(); }
};

// What a task does with a group of lines: T is what tensors hold, C what is computed with.
template <class T, class C>
class Task {
 public:
  using V = typename LanesOf<C>::Type;
  static constexpr int kLanes = LanesOf<C>::kCount;

  Task(const Plan<C>& plan, const Lines& in, const Lines& out, Kind kind, bool inverse,
       double scale)
      : plan_(plan),
        in_(in),
        out_(out),
        kind_(kind),
        inverse_(inverse),
        scale_(static_cast<C>(scale)),
        scratch_((room(plan.n) + room(plan.scratch())) + 64) {
    data_ = reinterpret_cast<Pair<V>*>(scratch_.data());
    work_ = reinterpret_cast<Pair<V>*>(scratch_.data() + room(plan.n));
  }

  // Lines [first, first + count), at most kLanes of them.
  void run(int64_t first, int count) {
    count_ = count;
    for (int lane = 0; lane < kLanes; ++lane) {  // lanes without a line repeat the last one
      from_[lane] = reinterpret_cast<const T*>(in_.operand.data) +
                    in_.begin(first + std::min(lane, count - 1));
      to_[lane] =
          reinterpret_cast<T*>(out_.operand.data) + out_.begin(first + std::min(lane, count - 1));
    }
    switch (kind_) {
      case Kind::kComplex: return run_complex();
      case Kind::kFromReal: return is_halved() ? run_halved_from_real() : run_from_real();
      case Kind::kToReal: return is_halved() ? run_halved_to_real() : run_to_real();
    }
  }

 private:
  static int64_t room(int64_t n) { return checked_mul(n, static_cast<int64_t>(sizeof(Pair<V>))); }
  // Is an even number of reals transformed as half as many complex numbers?
  bool is_halved() const { return !plan_.halves.empty(); }

  V load(int64_t offset) const {
    if constexpr (kLanes == 1) return from_[0][offset];
    V out{};
    for (int lane = 0; lane < kLanes; ++lane)
      lane_of(out, lane) = static_cast<C>(from_[lane][offset]);
    return out;
  }
  Pair<V> load_pair(int64_t k) const { return {load(k * in_.step()), load(k * in_.step() + 1)}; }
  void store(int64_t offset, V value) const {
    value = value * scale_;
    for (int lane = 0; lane < count_; ++lane)
      to_[lane][offset] = static_cast<T>(lane_of(value, lane));
  }
  void store_pair(int64_t k, Pair<V> value) const {
    store(k * out_.step(), value.re);
    store(k * out_.step() + 1, value.im);
  }
  static C& lane_of(V& values, int lane) { return reinterpret_cast<C*>(&values)[lane]; }
  static Pair<V> exchanged(Pair<V> a) { return {a.im, a.re}; }
  static Pair<V> conjugated(Pair<V> a) { return {a.re, -a.im}; }
  static V zero() { return V{}; }

  // An inverse transform is a forward one with both parts exchanged before and after.
  void run_complex() {
    for (int64_t k = 0; k < plan_.n; ++k) {
      data_[k] = inverse_ ? exchanged(load_pair(k)) : load_pair(k);
    }
    transform(plan_, data_, work_);
    for (int64_t k = 0; k < plan_.n; ++k) {
      store_pair(k, inverse_ ? exchanged(data_[k]) : data_[k]);
    }
  }

  void run_from_real() {
    for (int64_t k = 0; k < plan_.n; ++k) data_[k] = {load(k * in_.step()), zero()};
    transform(plan_, data_, work_);
    for (int64_t k = 0; k < out_.length(); ++k) store_pair(k, data_[k]);
  }

  // Elements 2 k and 2 k + 1 as one complex number; the transforms of both are told apart by their
  // symmetry.
  void run_halved_from_real() {
    const int64_t h = plan_.n;
    for (int64_t k = 0; k < h; ++k) {
      data_[k] = {load(2 * k * in_.step()), load((2 * k + 1) * in_.step())};
    }
    transform(plan_, data_, work_);
    const Pair<V> first = data_[0];
    store_pair(0, {first.re + first.im, zero()});
    store_pair(h, {first.re - first.im, zero()});
    for (int64_t k = 1; k < h; ++k) {
      const Pair<V> a = data_[k], b = conjugated(data_[h - k]);
      const Pair<V> even = a + b, odd = turned(a - b, plan_.halves[static_cast<size_t>(k)]);
      store_pair(k, {C(0.5) * (even.re + odd.im), C(0.5) * (even.im - odd.re)});
    }
  }

  // Element k of the half that is given; the imaginary parts that symmetry makes 0 are not read.
  Pair<V> half(int64_t k, int64_t n) const {
    Pair<V> out = load_pair(k);
    if (k == 0 || 2 * k == n) out.im = zero();
    return out;
  }

  void run_to_real() {
    const int64_t n = plan_.n;
    for (int64_t k = 0; k < in_.length(); ++k) {
      const Pair<V> x = half(k, n);
      data_[k] = exchanged(x);
      if (k > 0) data_[n - k] = exchanged(conjugated(x));
    }
    transform(plan_, data_, work_);
    for (int64_t k = 0; k < n; ++k) store(k * out_.step(), data_[k].im);
  }

  void run_halved_to_real() {
    const int64_t h = plan_.n;
    for (int64_t k = 0; k < h; ++k) {
      const Pair<V> a = half(k, 2 * h), b = conjugated(half(h - k, 2 * h));
      const Pair<C> w = plan_.halves[static_cast<size_t>(k)];
      const Pair<V> odd = turned(a - b, Pair<C>{w.re, -w.im});
      data_[k] = exchanged(a + b + Pair<V>{-odd.im, odd.re});
    }
    transform(plan_, data_, work_);
    for (int64_t k = 0; k < h; ++k) {
      store(2 * k * out_.step(), data_[k].im);
      store((2 * k + 1) * out_.step(), data_[k].re);
    }
  }

  const Plan<C>& plan_;
  const Lines &in_, &out_;
  Kind kind_;
  bool inverse_;
  C scale_;
  Scratch scratch_;
  Pair<V>*data_, *work_;
  const T* from_[kLanes] = {};
  T* to_[kLanes] = {};
  int count_ = 0;
};

template <class T, class C>
void run_lines(const Lines& in, const Lines& out, Kind kind, bool inverse, double scale) {
  const int64_t n = kind == Kind::kToReal ? out.length() : in.length();
  const bool halved = kind != Kind::kComplex && n % 2 == 0;
  const auto plan = plan_for<C>(halved ? n / 2 : n, halved);
  constexpr int64_t kLanes = Task<T, C>::kLanes;
  const int64_t lines = out.operand.numel / out.length(), groups = (lines + kLanes - 1) / kLanes;
  const double ns = 4 * static_cast<double>(n) * (2 + std::log2(static_cast<double>(n)));
  in_tasks(groups, ns, [&](int64_t begin, int64_t end) {
    Task<T, C> task(*plan, in, out, kind, inverse, scale);
    for (int64_t i = begin; i < end; ++i) {
      task.run(i * kLanes, static_cast<int>(std::min(kLanes, lines - i * kLanes)));
    }
  });
}

}  // namespace

void transform_axis(const Tensor& out, const Tensor& in, int64_t axis, bool inverse, double scale) {
  if (out.numel() == 0) return;
  const bool from_real = !is_complex(in.dtype()), to_real = !is_complex(out.dtype());
  const Kind kind = from_real ? Kind::kFromReal : to_real ? Kind::kToReal : Kind::kComplex;
  const Lines from{operand_of(in), static_cast<int>(axis), from_real ? 1 : 2};
  const Lines to{operand_of(out), static_cast<int>(axis), to_real ? 1 : 2};
  // Bluestein's convolution loses some bits: floats have them in double. In double it stays within
  // 2 ulp up to some thousands; beyond that it is computed in long double.
  constexpr int64_t kBluesteinInDouble = 4096;
  const int64_t n = to_real ? to.length() : from.length();
  const bool direct = is_direct(n);
  if (real_of(out.dtype()) == DType::kF64) {
    return direct || n <= kBluesteinInDouble
               ? run_lines<double, double>(from, to, kind, inverse, scale)
               : run_lines<double, long double>(from, to, kind, inverse, scale);
  }
  WEFT_ASSERT(real_of(out.dtype()) == DType::kF32, "a Fourier transform of ", out.dtype());
  return direct ? run_lines<float, float>(from, to, kind, inverse, scale)
                : run_lines<float, double>(from, to, kind, inverse, scale);
}

}  // namespace weft::kernels::fft
