// Convolution by its definition: one chain after the other, for every dtype.
#include <cmath>

#include "weft/base/error.h"
#include "weft/base/thread_pool.h"
#include "weft/core/half.h"
#include "weft/kernels/conv/conv.h"
#include "weft/kernels/matmul/problem.h"

namespace weft::kernels {
namespace {

// Sums of stored type S in the accumulator type T, in chains.
template <class S, class T>
class Sum {
 public:
  void add(const S* a, const S* b) {
    if (terms_ == kChain) end_chain();
    step(widened(*a), widened(*b));
    ++terms_;
  }
  void store(S* to) {
    end_chain();
    *to = narrowed(total_);
  }

 private:
  static T widened(S x) {
    if constexpr (requires { x.to_float(); }) {
      return x.to_float();
    } else {
      return static_cast<T>(x);
    }
  }
  static S narrowed(T x) {
    if constexpr (requires(S s) { s.to_float(); }) {
      return S::from_float(x);
    } else if constexpr (std::is_floating_point_v<T>) {
      return x == x ? x : static_cast<T>(__builtin_nan(""));
    } else {
      return static_cast<S>(x);
    }
  }
  void step(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      chain_ = std::fma(a, b, chain_);
    } else {
      chain_ += a * b;
    }
  }
  void end_chain() {
    total_ = has_total_ ? total_ + chain_ : chain_;
    has_total_ = true;
    chain_ = 0;
    terms_ = 0;
  }

  T chain_ = 0;
  T total_ = 0;
  int64_t terms_ = 0;
  bool has_total_ = false;
};

// Complex numbers: both parts in chains of their own.
template <class S, class R>
class ComplexSum {
 public:
  void add(const S* a, const S* b) {
    const R minus = -b->im;
    re_.add(&a->re, &b->re);
    re_.add(&a->im, &minus);
    im_.add(&a->re, &b->im);
    im_.add(&a->im, &b->re);
    if (++terms_ == kChain) {
      re_.end_chain();
      im_.end_chain();
      terms_ = 0;
    }
  }
  void store(S* to) {
    to->re = re_.total(terms_);
    to->im = im_.total(terms_);
  }

 private:
  struct Part {
    R chain = 0, sum = 0;
    bool has_sum = false;
    void add(const R* a, const R* b) { chain = std::fma(*a, *b, chain); }
    void end_chain() {
      sum = has_sum ? sum + chain : chain;
      has_sum = true;
      chain = 0;
    }
    R total(int64_t open) {
      if (open > 0 || !has_sum) end_chain();
      return sum == sum ? sum : static_cast<R>(__builtin_nan(""));
    }
  };
  Part re_, im_;
  int64_t terms_ = 0;
};

// Where a place of the output and a tap meet the input.
enum class Meeting { kElement, kOutside, kNothing };

Meeting meet(const ConvAxis& axis, int64_t place, int64_t tap, int64_t& at) {
  const int64_t p = place * axis.stride + tap * axis.dilation - axis.low;
  if (p % axis.input_dilation != 0) return Meeting::kNothing;
  at = p / axis.input_dilation;
  return p >= 0 && at < axis.in ? Meeting::kElement : Meeting::kOutside;
}

// The element of x that output (n, o) and tap k meet, channel 0 of the first group; `zero` outside;
// null if there is no term.
const char* met(const ConvArgs& p, int64_t n, const int64_t* o, const int64_t* k, const char* zero,
                bool& outside) {
  const char* at = p.x + n * p.x_batch * size_of(p.dtype);
  outside = false;
  for (int d = 0; d < kConvAxes; ++d) {
    int64_t place = 0;
    const Meeting meeting = meet(p.axis[d], o[d], k[d], place);
    if (meeting == Meeting::kNothing) return nullptr;
    if (meeting == Meeting::kOutside) outside = true;
    at += place * p.axis[d].x_stride * size_of(p.dtype);
  }
  return outside ? zero : at;
}

// Calls body for all index triples below the sizes, ascending.
template <class Body>
void for_each(const int64_t (&sizes)[kConvAxes], const Body& body) {
  int64_t at[kConvAxes];
  for (at[0] = 0; at[0] < sizes[0]; ++at[0]) {
    for (at[1] = 0; at[1] < sizes[1]; ++at[1]) {
      for (at[2] = 0; at[2] < sizes[2]; ++at[2]) body(at);
    }
  }
}

template <class S, class Sum>
void run_conv(const ConvArgs& p) {
  const int64_t taps[] = {p.axis[0].taps, p.axis[1].taps, p.axis[2].taps};
  const int64_t planes = p.axis[1].out * p.axis[2].out;
  const int64_t places = p.axis[0].out * planes;
  const S zero{};
  parallel_for(p.batch * places, [&](int64_t row) {
    const int64_t n = row / places, place = row % places;
    const int64_t o[] = {place / planes, place / p.axis[2].out % p.axis[1].out,
                         place % p.axis[2].out};
    S* out = reinterpret_cast<S*>(p.y) + n * p.y_batch;
    for (int d = 0; d < kConvAxes; ++d) out += o[d] * p.axis[d].y_stride;
    for (int64_t f = 0; f < p.groups * p.filters; ++f) {
      Sum sum;
      for_each(taps, [&](const int64_t(&k)[kConvAxes]) {
        bool outside = false;
        const char* at = met(p, n, o, k, reinterpret_cast<const char*>(&zero), outside);
        if (at == nullptr) return;
        const S* x = reinterpret_cast<const S*>(at);
        if (!outside) x += f / p.filters * p.channels * p.x_channel;
        const S* w = reinterpret_cast<const S*>(p.w) + f * p.w_filter;
        for (int d = 0; d < kConvAxes; ++d) w += k[d] * p.axis[d].w_stride;
        for (int64_t c = 0; c < p.channels; ++c) {
          sum.add(outside ? x : x + c * p.x_channel, w + c * p.w_channel);
        }
      });
      sum.store(out + f * p.y_channel);
    }
  });
}

template <class S, class Sum>
void run_conv_dw(const ConvArgs& p) {
  const int64_t places[] = {p.axis[0].out, p.axis[1].out, p.axis[2].out};
  const int64_t planes = p.axis[1].taps * p.axis[2].taps;
  const S zero{};
  parallel_for(p.axis[0].taps * planes * p.channels, [&](int64_t row) {
    const int64_t c = row % p.channels, tap = row / p.channels;
    const int64_t k[] = {tap / planes, tap / p.axis[2].taps % p.axis[1].taps, tap % p.axis[2].taps};
    S* out = reinterpret_cast<S*>(p.w) + c * p.w_channel;
    for (int d = 0; d < kConvAxes; ++d) out += k[d] * p.axis[d].w_stride;
    for (int64_t f = 0; f < p.groups * p.filters; ++f) {
      Sum sum;
      for (int64_t n = 0; n < p.batch; ++n) {
        for_each(places, [&](const int64_t(&o)[kConvAxes]) {
          bool outside = false;
          const char* at = met(p, n, o, k, reinterpret_cast<const char*>(&zero), outside);
          if (at == nullptr) return;
          const S* x = reinterpret_cast<const S*>(at);
          if (!outside) x += (f / p.filters * p.channels + c) * p.x_channel;
          const S* y = reinterpret_cast<const S*>(p.y) + n * p.y_batch + f * p.y_channel;
          for (int d = 0; d < kConvAxes; ++d) y += o[d] * p.axis[d].y_stride;
          sum.add(x, y);
        });
      }
      sum.store(out + f * p.w_filter);
    }
  });
}

// Calls body.template operator()<S, Sum>() for the dtype.
template <class Body>
void for_dtype(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kU8:
    case DType::kI8: return body.template operator()<uint8_t, Sum<uint8_t, uint32_t>>();
    case DType::kU16:
    case DType::kI16: return body.template operator()<uint16_t, Sum<uint16_t, uint32_t>>();
    case DType::kU32:
    case DType::kI32: return body.template operator()<uint32_t, Sum<uint32_t, uint32_t>>();
    case DType::kU64:
    case DType::kI64: return body.template operator()<uint64_t, Sum<uint64_t, uint64_t>>();
    case DType::kF16: return body.template operator()<Half, Sum<Half, float>>();
    case DType::kBF16: return body.template operator()<BFloat16, Sum<BFloat16, float>>();
    case DType::kF32: return body.template operator()<float, Sum<float, float>>();
    case DType::kF64: return body.template operator()<double, Sum<double, double>>();
    case DType::kC64: return body.template operator()<Complex64, ComplexSum<Complex64, float>>();
    case DType::kC128:
      return body.template operator()<Complex128, ComplexSum<Complex128, double>>();
    case DType::kBool: break;
  }
  fail(Code::kInternal, "conv", "", "no kernel for ", name_of(dtype));
}

}  // namespace

void conv_by_definition(const ConvArgs& args) {
  for_dtype(args.dtype, [&]<class S, class Sum>() { run_conv<S, Sum>(args); });
}
void conv_dw_by_definition(const ConvArgs& args) {
  for_dtype(args.dtype, [&]<class S, class Sum>() { run_conv_dw<S, Sum>(args); });
}

}  // namespace weft::kernels
