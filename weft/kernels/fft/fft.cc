// Lines of a tensor through a plan: taken a few at a time into the order that the plan asks for.
#include "weft/kernels/fft/fft.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "weft/base/cpu.h"
#include "weft/base/error.h"
#include "weft/kernels/fft/transform.h"
#include "weft/kernels/operand.h"
#include "weft/kernels/scratch.h"
#include "weft/kernels/tasks.h"
#include "weft/kernels/tile.h"

namespace weft::kernels::fft {
namespace {

template <class C>
const Kernels<C>& current_kernels() {
  if constexpr (std::is_same_v<C, long double>) {
    return portable::kWide;
  } else {
    const Tier* tier = &portable::kTier;
#if defined(__x86_64__)
    if (current_isa() == Isa::avx2) tier = &avx2::kTier;
    if (current_isa() == Isa::avx512) tier = &avx512::kTier;
#endif
    if constexpr (std::is_same_v<C, float>) return tier->f32;
    if constexpr (std::is_same_v<C, double>) return tier->f64;
  }
}

enum class Kind { kComplex, kFromReal, kToReal };

// One tensor's lines along an axis. In numbers: a complex element is two.
struct Lines {
  Lines(const Tensor& tensor, int64_t along)
      : operand(operand_of(tensor)),
        axis(static_cast<int>(along)),
        parts(is_complex(tensor.dtype()) ? 2 : 1),
        step(operand.strides[axis] * parts),
        length(operand.dims[axis].value()) {
    for (int d = operand.rank - 1; d >= 0; --d) {  // inner dims that are one
      const int64_t size = operand.dims[d].value(), stride = operand.strides[d] * parts;
      if (d == axis || size == 1) continue;
      if (run == 1) run_step = stride;
      if (stride != run * run_step) break;
      run *= size;
    }
  }

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

  Operand operand;
  int axis, parts;
  int64_t step, length;
  int64_t run = 1, run_step = 0;  // so many lines from a multiple of `run` on are as far apart
};

// What a task does with a group of lines: T is what tensors hold, C what is computed with.
template <class T, class C>
class Task {
 public:
  // Room for `lines` of them.
  Task(const Plan<C>& plan, const Lines& in, const Lines& out, Kind kind, const How<C>& how,
       int64_t lines)
      : plan_(plan), in_(in), out_(out), kind_(kind), how_(how), room_(lines) {}

  void run(int64_t first, int64_t count) {
    how_.lines = count;
    const bool read = is_direct(in_, first), written = is_direct(out_, first);
    View<C> from = read ? direct(in_, first) : buffer(0);
    const View<C> to = written ? direct(out_, first) : buffer(1);
    if (!read) gather(first, from);
    if (!is_halved()) {
      transform(kernels_, plan_, from, to, how_);
    } else if (kind_ == Kind::kToReal) {
      fold(from, buffer(2));
      transform(kernels_, plan_, buffer(2), to, how_);
    } else {
      How<C> how = how_;
      how.scale = 1;
      transform(kernels_, plan_, from, buffer(2), how);
      fold(buffer(2), to);
    }
    if (written) return;
    each_piece(out_, first, to, [](auto c, auto t, auto... sizes) { copy(t, c, sizes...); });
  }

 private:
  // Is an even number of reals transformed as half as many complex numbers?
  bool is_halved() const { return !plan_.halves.empty(); }

  // Lines of working memory, in the order that the plan asks for.
  View<C> buffer(int i) {
    const int64_t n = plan_.n + 1;
    if (!memory_[i]) memory_[i].emplace(checked_mul(n * room_, int64_t{2 * sizeof(C)}));
    C* const data = reinterpret_cast<C*>(memory_[i]->data());
    return how_.side_by_side ? View<C>{data, 2 * room_, 2} : View<C>{data, 2, 2 * n};
  }

  // Of elements as the plan sees them: halved reals are pairs.
  int64_t pair_step(const Lines& lines) const { return lines.step * (lines.parts == 2 ? 1 : 2); }
  T* memory(const Lines& lines, int64_t line) const {
    return reinterpret_cast<T*>(lines.operand.data) + lines.begin(line);
  }
  // Can these lines be read or written where they are?
  bool is_direct(const Lines& lines, int64_t first) const {
    if (!std::is_same_v<T, C> || (kind_ != Kind::kComplex && !is_halved())) return false;
    if (lines.parts == 1 && lines.step != 1) return false;
    if (how_.lines > 1 && first % lines.run + how_.lines > lines.run) return false;
    const bool folded = is_halved() && lines.parts == 2;
    if (pair_step(lines) == 2 && (!how_.side_by_side || (takes_lines_ && !folded))) return true;
    return how_.side_by_side && (lines.run_step == 2 || how_.lines == 1);
  }
  View<C> direct(const Lines& lines, int64_t first) const {
    return {reinterpret_cast<C*>(memory(lines, first)), pair_step(lines), lines.run_step};
  }

  void fold(View<C> from, View<C> to) const {
    const bool beside = how_.side_by_side;
    for (int64_t i = 0; i < (beside ? 1 : how_.lines); ++i) {
      kernels_.fold({plan_.n, beside ? how_.lines : 0, from.at(0, i), from.element, to.at(0, i),
                     to.element, plan_.halves.data(), how_.scale, kind_ == Kind::kToReal});
    }
  }

  // Calls f(buffer, tensor, elements, lines, numbers of an element) for pieces that cover the lines
  // and are regular in both.
  template <class F>
  void each_piece(const Lines& lines, int64_t first, View<C> buffer, F f) const {
    for (int64_t i = 0, count = 0; i < how_.lines; i += count) {
      count = std::min(how_.lines - i, lines.run - (first + i) % lines.run);
      const View<C> c{buffer.at(0, i), buffer.element, buffer.line};
      const View<T> t{memory(lines, first + i), pair_step(lines), lines.run_step};
      if (lines.parts == 2) {
        f(c, t, lines.length, count, 2);
      } else if (!is_halved()) {
        f(c, View<T>{t.data, lines.step, t.line}, plan_.n, count, 1);
      } else if (lines.step == 1) {
        f(c, t, plan_.n, count, 2);
      } else {
        f(c, t, plan_.n, count, 1);
        f(View<C>{c.data + 1, c.element, c.line}, View<T>{t.data + lines.step, t.element, t.line},
          plan_.n, count, 1);
      }
    }
  }
  template <class To, class From>
  static void copy(View<To> to, View<From> from, int64_t n, int64_t lines, int width) {
    if constexpr (std::is_same_v<To, From>) {
      constexpr auto kItem = static_cast<int64_t>(sizeof(To));
      copy_tile({reinterpret_cast<char*>(to.data), to.line * kItem, to.element * kItem},
                {reinterpret_cast<const char*>(from.data), from.line * kItem, from.element * kItem},
                lines, n, width * kItem);
    } else {
      for (int64_t i = 0; i < lines; ++i) {
        for (int64_t k = 0; k < n; ++k) {
          for (int part = 0; part < width; ++part) {
            to.at(k, i)[part] = static_cast<To>(from.at(k, i)[part]);
          }
        }
      }
    }
  }

  void gather(int64_t first, View<C> to) const {
    each_piece(in_, first, to, [](auto... all) { copy(all...); });
    if (is_halved() || kind_ == Kind::kComplex) return;
    const int64_t n = plan_.n;
    for (int64_t i = 0; i < how_.lines; ++i) {
      to.at(0, i)[1] = 0;
      for (int64_t k = 1; k < n; ++k) {  // a real line, or the other half by symmetry
        if (kind_ == Kind::kFromReal) {
          to.at(k, i)[1] = 0;
        } else if (k >= in_.length) {
          to.at(k, i)[0] = to.at(n - k, i)[0];
          to.at(k, i)[1] = -to.at(n - k, i)[1];
        }
      }
    }
  }

  const Plan<C>& plan_;
  const Lines &in_, &out_;
  Kind kind_;
  How<C> how_;
  int64_t room_;
  const Kernels<C>& kernels_ = current_kernels<C>();
  // Does the transform itself make lanes of short lines, as it does if they are not too short?
  bool takes_lines_ = plan_.cols == 1 && plan_.longer == nullptr && plan_.n >= kernels_.lanes;
  std::optional<Scratch> memory_[3];
};

template <class T, class C>
void run_lines(const Lines& in, const Lines& out, Kind kind, bool inverse, double scale) {
  const int64_t n = kind == Kind::kToReal ? out.length : in.length;
  const bool halved = kind != Kind::kComplex && n % 2 == 0;
  const auto plan = plan_for<C>(halved ? n / 2 : n, halved);
  const int64_t lines = out.operand.numel / out.length;
  How<C> how{1, inverse || kind == Kind::kToReal, static_cast<C>(scale)};
  // Lines that lie side by side are best transformed so, while they fit in the cache.
  how.side_by_side = !plan->is_matrix() || (out.run_step <= 2 && out.run >= 8 && n <= 1 << 16);
  const int64_t each = how.side_by_side ? std::clamp<int64_t>(1024 / n / 16 * 16, 16, 256) : 1;
  const int64_t groups = (lines + each - 1) / each;
  const double ns = 0.2 * static_cast<double>(n * each) * (2 + std::log2(static_cast<double>(n)));
  // A few long lines are shared by all threads, many are shared among them.
  how.in_tasks = groups < 8 && n * each >= 1 << 14;
  in_tasks(groups, how.in_tasks ? 0 : ns, [&](int64_t begin, int64_t end) {
    Task<T, C> task(*plan, in, out, kind, how, std::min(lines, each));
    for (int64_t i = begin; i < end; ++i) task.run(i * each, std::min(each, lines - i * each));
  });
}

}  // namespace

void transform_axis(const Tensor& out, const Tensor& in, int64_t axis, bool inverse, double scale) {
  if (out.numel() == 0) return;
  const bool from_real = !is_complex(in.dtype()), to_real = !is_complex(out.dtype());
  const Kind kind = from_real ? Kind::kFromReal : to_real ? Kind::kToReal : Kind::kComplex;
  const Lines from(in, axis), to(out, axis);
  // Bluestein's convolution loses some bits: floats have them in double. In double it stays within
  // 2 ulp up to some thousands, also of a few elements (2.2 at 10007, 1.9 over all); beyond that it
  // is in long double.
  constexpr int64_t kBluesteinInDouble = 4096;
  const int64_t n = to_real ? to.length : from.length;
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
