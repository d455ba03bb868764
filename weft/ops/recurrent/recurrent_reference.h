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

// Results of a scan: the states of all times, and what is inside the gates (gru: inside r and z,
// the state's and the input's parts of n).
struct Scanned {
  Array h, c, inside;
};

// Of x [time, batch, gates * size] from first states [batch, size]; `inside(t, b)` says whether a
// step is inside its sequence.
template <class Inside>
Scanned scan(Kind kind, const Array& x, const Array& w, const Array* bias, Numbers h, Numbers c,
             const Inside& inside) {
  const auto batch = static_cast<size_t>(x.shape[1]), size = static_cast<size_t>(w.shape[1]);
  const auto width = static_cast<size_t>(x.shape[2]);
  const size_t all = kind == Kind::kGru ? 4 * size : width;
  Scanned out{like(x, {x.shape[0], x.shape[1], w.shape[1]}), {}, {}};
  out.c = out.h;
  out.inside = like(x, {x.shape[0], x.shape[1], static_cast<int64_t>(all)});
  for (size_t row = 0; row < static_cast<size_t>(x.shape[0]) * batch; ++row) {
    const size_t b = row % batch;
    long double* const own = h.data() + b * size;
    long double* const cell = c.data() + b * size;
    Numbers given;
    for (size_t k = 0; k < width; ++k) given.push_back(x.values[row * width + k].re);
    const Numbers u = projected(own, w, bias);
    for (size_t k = 0; k < all; ++k) {
      const long double part_of_n = k < 3 * size ? u[k] : given[k - size];
      const bool is_sum = kind != Kind::kGru || k < 2 * size;
      out.inside.values[row * all + k].re = is_sum ? given[k] + u[k] : part_of_n;
    }
    if (inside(row / batch, b)) step(kind, given, u, own, cell, size);
    for (size_t j = 0; j < size; ++j) {
      out.h.values[row * size + j].re = own[j];
      out.c.values[row * size + j].re = cell[j];
    }
  }
  return out;
}

// Going backwards: the numbers of step t and example b of arrays [time, batch, ..], one array after
// the other, and results that are written there.
struct Backwards {
  size_t time, batch, size;

  Backwards(const Array& like, const Array& weight)
      : time(static_cast<size_t>(like.shape[0])),
        batch(static_cast<size_t>(like.shape[1])),
        size(static_cast<size_t>(weight.shape[1])) {}

  size_t at(size_t t, size_t b, size_t width, size_t j) const {
    return (t * batch + b) * width + j;
  }
  bool inside(const Arrays& in, size_t mask, size_t t, size_t b) const {
    return in.size() <= mask || in[mask].values[t * batch + b].i != 0;
  }
  // d += da[t, b] weight.
  void add_product(const Array& da, const Array& weight, size_t t, size_t b, Numbers& d) const {
    const auto rows = static_cast<size_t>(weight.shape[0]);
    for (size_t j = 0; j < size; ++j) {
      for (size_t k = 0; k < rows; ++k) {
        d[b * size + j] += da.values[at(t, b, rows, k)].re * weight.values[k * size + j].re;
      }
    }
  }
  Array state(const Array& type, const Numbers& d) const {
    Array out = like(type, {static_cast<int64_t>(batch), static_cast<int64_t>(size)});
    for (size_t i = 0; i < d.size(); ++i) out.values[i].re = d[i];
    return out;
  }
};

}  // namespace weft::suite
