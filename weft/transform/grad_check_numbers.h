// The numbers that grad_check compares, and its random directions.
#pragma once

#include <algorithm>
#include <cmath>

#include "weft/ops/random/key.h"
#include "weft/ops/random/random.h"

namespace weft {

// The numbers of a tensor; of complex ones both parts, so that `inner` is the real inner product.
inline std::vector<double> numbers(const Tensor& x) {
  if (x.dtype() != DType::kC128) return x.to_vector<double>();
  std::vector<double> out;
  for (const Complex128& z : x.to_vector<Complex128>()) out.insert(out.end(), {z.re, z.im});
  return out;
}

inline double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i) out += a[i] * b[i];
  return out;
}

inline double greatest(const std::vector<double>& values) {
  double out = 0;
  for (const double v : values) out = std::isnan(v) ? v : std::max(out, std::abs(v));
  return out;
}

inline std::string index_text(ShapeView shape, size_t position) {
  Ints index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    const auto size = static_cast<size_t>(shape[i].value());
    index[i] = static_cast<int64_t>(position % size);
    position /= size;
  }
  return text(index);
}

// Draws directions, each from a key of its own.
class Directions {
 public:
  explicit Directions(uint64_t seed) : key_(seed) {}
  Tensor like(const Tensor& x) {
    const auto draw = [&] {
      return random::normal(key_.fold_in(Tensor(next_++)), Shape(x.shape()), DType::kF64);
    };
    if (!is_complex(x.dtype())) return draw();
    const Tensor real = draw();
    std::vector<Complex128> values;
    const std::vector<double> re = real.to_vector<double>(), im = draw().to_vector<double>();
    for (size_t i = 0; i < re.size(); ++i) values.push_back({re[i], im[i]});
    return Tensor::from_bytes(DType::kC128, x.shape(), std::as_bytes(std::span(values)));
  }

 private:
  random::Key key_;
  int64_t next_ = 0;
};

}  // namespace weft
