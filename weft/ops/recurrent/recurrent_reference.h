// Recurrent networks in long double, one number after the other: the reference of the tests.
#pragma once

#include <cmath>

#include "tests/op_suite/samples.h"

namespace weft::suite {

enum class Kind { kTanh, kRelu, kGru, kLstm };

inline int64_t gates_of(Kind kind) { return kind == Kind::kLstm ? 4 : kind == Kind::kGru ? 3 : 1; }

using Numbers = std::vector<long double>;

inline long double logistic(long double x) { return 1 / (1 + std::exp(-x)); }

inline Numbers numbers(const Array& x) {
  Numbers out;
  for (const ScalarValue& v : x.values) out.push_back(v.re);
  return out;
}

// x w^T + b for one vector; b may be null.
inline Numbers projected(const long double* x, const Array& w, const Array* b) {
  const auto columns = static_cast<size_t>(w.shape[1]);
  Numbers out;
  for (size_t r = 0; r < static_cast<size_t>(w.shape[0]); ++r) {
    long double total = b ? b->values[r].re : 0;
    for (size_t k = 0; k < columns; ++k) total += x[k] * w.values[r * columns + k].re;
    out.push_back(total);
  }
  return out;
}

// One step: `x` and `u` are the input's and the state's parts of the gates.
inline void step(Kind kind, const Numbers& x, const Numbers& u, long double* h, long double* c,
                 size_t size) {
  for (size_t j = 0; j < size; ++j) {
    const auto both = [&](size_t gate) { return x[gate * size + j] + u[gate * size + j]; };
    switch (kind) {
      case Kind::kTanh: h[j] = std::tanh(both(0)); break;
      case Kind::kRelu: h[j] = std::max(both(0), 0.0L); break;
      case Kind::kGru: {
        const long double r = logistic(both(0)), z = logistic(both(1));
        const long double n = std::tanh(x[2 * size + j] + r * u[2 * size + j]);
        h[j] = (1 - z) * n + z * h[j];
        break;
      }
      case Kind::kLstm:
        c[j] = logistic(both(1)) * c[j] + logistic(both(0)) * std::tanh(both(2));
        h[j] = logistic(both(3)) * std::tanh(c[j]);
        break;
    }
  }
}

// States of all times, h and c, of x [time, batch, gates * size] from first states [batch, size].
// `inside(t, b)` says whether a step is inside its sequence.
template <class Inside>
void scan(Kind kind, const Array& x, const Array& w, const Array* bias, Numbers h, Numbers c,
          const Inside& inside, Array& hs, Array& cs) {
  const auto batch = static_cast<size_t>(x.shape[1]), size = static_cast<size_t>(w.shape[1]);
  const auto width = static_cast<size_t>(x.shape[2]);
  hs = like(x, {x.shape[0], x.shape[1], w.shape[1]});
  cs = hs;
  for (size_t t = 0; t < static_cast<size_t>(x.shape[0]); ++t) {
    for (size_t b = 0; b < batch; ++b) {
      long double* const own = h.data() + b * size;
      long double* const cell = c.data() + b * size;
      if (inside(t, b)) {
        Numbers given;
        for (size_t k = 0; k < width; ++k)
          given.push_back(x.values[(t * batch + b) * width + k].re);
        step(kind, given, projected(own, w, bias), own, cell, size);
      }
      for (size_t j = 0; j < size; ++j) {
        hs.values[(t * batch + b) * size + j].re = own[j];
        cs.values[(t * batch + b) * size + j].re = cell[j];
      }
    }
  }
}

}  // namespace weft::suite
