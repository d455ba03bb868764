// Samples of the backward scans of recurrent networks.
#include "weft/ops/recurrent/recurrent_reference.h"

using namespace weft::suite;

namespace {

Arrays rnn_reference(const Attrs&, const Arrays& in) {
  const Array &slope = in[0], &weight = in[1], &g = in[2];
  const Backwards at(slope, weight);
  Array da = slope;
  Numbers dh(at.batch * at.size);
  for (size_t t = at.time; t-- > 0;) {
    for (size_t b = 0; b < at.batch; ++b) {
      const bool inside = at.inside(in, 3, t, b);
      for (size_t j = 0; j < at.size; ++j) {
        const size_t i = at.at(t, b, at.size, j);
        long double& d = dh[b * at.size + j];
        d += g.values[i].re;
        da.values[i].re = inside ? d * slope.values[i].re : 0;
        if (inside) d = 0;
      }
      at.add_product(da, weight, t, b, dh);
    }
  }
  return {da, at.state(slope, dh)};
}

Arrays gru_reference(const Attrs&, const Arrays& in) {
  const Array &inside = in[0], &h = in[1], &weight = in[2], &g = in[3];
  const Backwards at(h, weight);
  Array dx = like(inside, {h.shape[0], h.shape[1], weight.shape[0]}), du = dx;
  Numbers dh(at.batch * at.size);
  for (size_t t = at.time; t-- > 0;) {
    for (size_t b = 0; b < at.batch; ++b) {
      const bool is_inside = at.inside(in, 4, t, b);
      for (size_t j = 0; j < at.size; ++j) {
        const auto part = [&](size_t k) {
          return inside.values[at.at(t, b, 4 * at.size, k * at.size + j)].re;
        };
        const long double r = logistic(part(0)), z = logistic(part(1)), u = part(2);
        const long double n = std::tanh(part(3) + r * u);
        const size_t i = at.at(t, b, at.size, j);
        long double& d = dh[b * at.size + j];
        d += g.values[i].re;
        if (!is_inside) continue;
        const long double dn = d * (1 - z) * (1 - n * n),
                          dz = d * (h.values[i].re - n) * z * (1 - z);
        const long double dr = dn * u * r * (1 - r);
        const long double by_x[] = {dr, dz, dn}, by_h[] = {dr, dz, dn * r};
        for (size_t k = 0; k < 3; ++k) {
          dx.values[at.at(t, b, 3 * at.size, k * at.size + j)].re = by_x[k];
          du.values[at.at(t, b, 3 * at.size, k * at.size + j)].re = by_h[k];
        }
        d *= z;
      }
      at.add_product(du, weight, t, b, dh);
    }
  }
  return {dx, du, at.state(h, dh)};
}

Arrays lstm_reference(const Attrs&, const Arrays& in) {
  const Array &inside = in[0], &c = in[1], &weight = in[2], &gh = in[3], &gc = in[4];
  const Backwards at(c, weight);
  Array da = like(inside, {c.shape[0], c.shape[1], weight.shape[0]});
  Numbers dh(at.batch * at.size), dc(at.batch * at.size);
  for (size_t t = at.time; t-- > 0;) {
    for (size_t b = 0; b < at.batch; ++b) {
      const bool is_inside = at.inside(in, 5, t, b);
      for (size_t j = 0; j < at.size; ++j) {
        const auto place = [&](size_t k) { return at.at(t, b, 4 * at.size, k * at.size + j); };
        const auto part = [&](size_t k) { return inside.values[place(k)].re; };
        const long double i = logistic(part(0)), f = logistic(part(1)), g = std::tanh(part(2));
        const long double o = logistic(part(3));
        const size_t own = at.at(t, b, at.size, j), state = b * at.size + j;
        const long double before = c.values[own].re, now = std::tanh(f * before + i * g);
        dh[state] += gh.values[own].re;
        dc[state] += gc.values[own].re;
        if (!is_inside) continue;
        const long double cell = dc[state] + dh[state] * o * (1 - now * now);
        da.values[place(0)].re = cell * g * i * (1 - i);
        da.values[place(1)].re = cell * before * f * (1 - f);
        da.values[place(2)].re = cell * i * (1 - g * g);
        da.values[place(3)].re = dh[state] * now * o * (1 - o);
        dc[state] = cell * f;
        dh[state] = 0;
      }
      at.add_product(da, weight, t, b, dh);
    }
  }
  return {da, at.state(c, dh), at.state(c, dc)};
}

const Arg kMask = exactly({3, 2, 1}, {1, 1, 1, 1, 1, 0}, DType::kBool);

Arg part(std::initializer_list<int64_t> shape) { return in(shape, -1, 1); }

void common(OpTest& t) {
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("the gradient of a weight that a batch shares is one sum over it");
  t.tolerance(4, "three steps in a row");
}

}  // namespace

WEFT_OP_TEST(nn__rnn__scan__vjp) {
  common(t);
  t.sample({part({3, 2, 2}), part({2, 2}), part({3, 2, 2})});
  t.sample({part({3, 2, 2}), part({2, 2}), part({3, 2, 2}), kMask});
  t.sample({part({0, 2, 2}), part({2, 2}), part({0, 2, 2})});
  t.large({part({4, 40, 64}), in({64, 64}, -0.2, 0.2), part({4, 40, 64})});
  t.reference(rnn_reference);
  t.error("rank", {in({3, 2}), in({2, 2}), in({3, 2, 2})}, "",
          "rnn.scan.vjp: inputs have shapes [3, 2], [3, 2, 2] and [3, 2, 2], the weight [2, 2]; "
          "they must be [time, batch, ..] and [gates * size, size] [rnn.scan.vjp.rank]");
  t.error("shape", {in({3, 2, 2}), in({2, 2}), in({3, 2, 3})}, "",
          "rnn.scan.vjp: an input has shape [3, 2, 3]; it must be [3, 2, 2] [rnn.scan.vjp.shape]");
}

WEFT_OP_TEST(nn__gru__scan__vjp) {
  common(t);
  t.sample({part({3, 2, 8}), part({3, 2, 2}), part({6, 2}), part({3, 2, 2})});
  t.sample({part({3, 2, 8}), part({3, 2, 2}), part({6, 2}), part({3, 2, 2}), kMask});
  t.sample({part({0, 2, 8}), part({0, 2, 2}), part({6, 2}), part({0, 2, 2})});
  t.large({part({4, 40, 128}), part({4, 40, 32}), in({96, 32}, -0.2, 0.2), part({4, 40, 32})});
  t.reference(gru_reference);
  t.error("rank", {in({3, 2, 8}), in({3, 2, 2}), in({6}), in({3, 2, 2})}, "",
          "gru.scan.vjp: inputs have shapes [3, 2, 8], [3, 2, 2] and [3, 2, 2], the weight [6]; "
          "they must be [time, batch, ..] and [gates * size, size] [gru.scan.vjp.rank]");
  t.error("shape", {in({3, 2, 6}), in({3, 2, 2}), in({6, 2}), in({3, 2, 2})}, "",
          "gru.scan.vjp: input 0 has shape [3, 2, 6] and weight [6, 2]; with size 2 they must have "
          "8 and 6 numbers of gates [gru.scan.vjp.shape]");
}

WEFT_OP_TEST(nn__lstm__scan__vjp) {
  common(t);
  t.sample({part({3, 2, 8}), part({3, 2, 2}), part({8, 2}), part({3, 2, 2}), part({3, 2, 2})});
  t.sample(
      {part({3, 2, 8}), part({3, 2, 2}), part({8, 2}), part({3, 2, 2}), part({3, 2, 2}), kMask});
  t.sample({part({0, 2, 8}), part({0, 2, 2}), part({8, 2}), part({0, 2, 2}), part({0, 2, 2})});
  t.large({part({4, 40, 128}), part({4, 40, 32}), in({128, 32}, -0.2, 0.2), part({4, 40, 32}),
           part({4, 40, 32})});
  t.reference(lstm_reference);
  t.error("rank", {in({3, 2, 8}), in({3, 2, 2}), in({8, 2}), in({3, 2}), in({3, 2, 2})}, "",
          "lstm.scan.vjp: inputs have shapes [3, 2, 8], [3, 2, 2] and [3, 2, 2], the weight [8, "
          "2]; they must be [time, batch, ..] and [gates * size, size] [lstm.scan.vjp.rank]");
  t.error("shape",
          {in({3, 2, 8}), in({3, 2, 2}), in({8, 2}), in({3, 2, 2}), in({3, 2, 2}),
           exactly({3, 2}, {1, 1, 1, 1, 1, 1}, DType::kBool)},
          "",
          "lstm.scan.vjp: the mask has shape [3, 2]; it must be [3, 2, 1] [lstm.scan.vjp.shape]");
}
