// Samples of rnn_tanh, rnn_relu, gru and lstm, and of their cells.
#include <algorithm>

#include "weft/ops/random/philox.h"
#include "weft/ops/recurrent/recurrent_reference.h"

using namespace weft::suite;

namespace {

// [batch, time, ..] as [time, batch, ..], which is its own inverse.
Array swapped(const Array& x) {
  Array out = like(x, {x.shape[1], x.shape[0], x.shape[2]});
  for (size_t i = 0; i < out.values.size(); ++i) {
    const auto p = unravel(static_cast<int64_t>(i), out.shape);
    out.values[i] = x.values[static_cast<size_t>(ravel({p[1], p[0], p[2]}, x.shape))];
  }
  return out;
}

Array reversed(const Array& x) {
  Array out = x;
  if (x.shape[0] == 0) return out;
  const size_t step = x.values.size() / static_cast<size_t>(x.shape[0]);
  for (size_t i = 0; i < x.values.size(); ++i) {
    const size_t t = static_cast<size_t>(x.shape[0]) - 1 - i / step;
    out.values[i] = x.values[t * step + i % step];
  }
  return out;
}

// Whether element i stays when layer `l` is dropped out with a key of these words.
bool stays(uint32_t key0, uint32_t key1, int64_t l, size_t i, double p) {
  using namespace weft::random;
  const Block<uint32_t> own = philox(key0, key1, static_cast<uint64_t>(l), Stream::kFold);
  const Block<uint32_t> draw = philox(own.words[0], own.words[1], i, Stream::kDraw);
  return std::ldexp(static_cast<float>(draw.words[0] >> 8), -24) >= static_cast<float>(p);
}

template <Kind kind>
Arrays reference(const Attrs& at, const Arrays& in) {
  const size_t states = kind == Kind::kLstm ? 2 : 1;
  const bool both = at.get<bool>("bidirectional"), biased = at.get<bool>("has_biases");
  const auto& lengths = at.get<std::optional<Ints>>("lengths");
  const bool swap = at.get<bool>("batch_first");
  Array x = swap ? swapped(in[0]) : in[0];
  const auto time = static_cast<size_t>(x.shape[0]), batch = static_cast<size_t>(x.shape[1]);
  Array last_h = in[1], last_c = in[states];
  const double p = at.get<double>("dropout");
  const auto key = [&](size_t k) { return static_cast<uint32_t>(in[1 + states].values[k].i); };
  size_t index = 0;
  for (int64_t l = 0; l < at.get<int64_t>("num_layers"); ++l) {
    Arrays sides;
    for (int d = 0; d < (both ? 2 : 1); ++d, ++index) {
      const size_t first = 2 + states + index * (biased ? 4 : 2);
      const Array &w_ih = in[first], &w_hh = in[first + 1];
      const auto size = static_cast<size_t>(w_hh.shape[1]);
      Array given = like(x, {x.shape[0], x.shape[1], w_ih.shape[0]});
      const Numbers all = numbers(x);
      for (size_t i = 0; i < time * batch; ++i) {
        const Numbers p = projected(all.data() + i * static_cast<size_t>(x.shape[2]), w_ih,
                                    biased ? &in[first + 2] : nullptr);
        for (size_t k = 0; k < p.size(); ++k) given.values[i * p.size() + k].re = p[k];
      }
      if (d == 1) given = reversed(given);
      const auto part = [&](const Array& s) {
        const Numbers every = numbers(s);
        const size_t begin = index * batch * size;
        return Numbers(every.begin() + static_cast<std::ptrdiff_t>(begin),
                       every.begin() + static_cast<std::ptrdiff_t>(begin + batch * size));
      };
      const auto inside = [&](size_t t, size_t b) {
        const size_t real = d == 1 ? time - 1 - t : t;
        return !lengths || static_cast<int64_t>(real) < (*lengths)[b];
      };
      Scanned run = scan(kind, given, w_hh, biased ? &in[first + 3] : nullptr, part(in[1]),
                         part(in[states]), inside);
      Array &hs = run.h, &cs = run.c;
      for (size_t i = 0; i < batch * size && time > 0; ++i) {
        last_h.values[index * batch * size + i] = hs.values[(time - 1) * batch * size + i];
        last_c.values[index * batch * size + i] = cs.values[(time - 1) * batch * size + i];
      }
      for (size_t i = 0; i < hs.values.size(); ++i) {
        if (!inside(i / size / batch, i / size % batch)) hs.values[i].re = 0;
      }
      sides.push_back(d == 1 ? reversed(hs) : hs);
    }
    const auto size = static_cast<size_t>(sides[0].shape[2]), width = size * sides.size();
    Array next = like(x, {x.shape[0], x.shape[1], static_cast<int64_t>(width)});
    for (size_t i = 0; i < next.values.size(); ++i) {
      next.values[i] = sides[i % width / size].values[i / width * size + i % size];
    }
    x = next;
    if (p == 0 || l + 1 == at.get<int64_t>("num_layers")) continue;
    for (size_t i = 0; i < x.values.size(); ++i) {
      x.values[i].re = stays(key(0), key(1), l, i, p) ? x.values[i].re / (1 - p) : 0;
    }
  }
  Arrays out{swap ? swapped(x) : x, last_h};
  if (kind == Kind::kLstm) out.push_back(last_c);
  return out;
}

template <Kind kind>
Arrays cell_reference(const Attrs&, const Arrays& in) {
  const bool lstm = kind == Kind::kLstm;
  const size_t weights = lstm ? 3 : 2;
  Array h = in[1], c = lstm ? in[2] : in[1];
  const auto size = static_cast<size_t>(h.shape.back());
  const size_t rows = h.values.size() / size;
  const Numbers x = numbers(in[0]);
  Numbers hs = numbers(h), cs = numbers(c);
  const Array* const b_ih = in.size() > weights + 2 ? &in[weights + 2] : nullptr;
  const Array* const b_hh = in.size() > weights + 3 ? &in[weights + 3] : nullptr;
  for (size_t r = 0; r < rows; ++r) {
    const Numbers given = projected(x.data() + r * (x.size() / rows), in[weights], b_ih);
    const Numbers own = projected(hs.data() + r * size, in[weights + 1], b_hh);
    step(kind, given, own, hs.data() + r * size, cs.data() + r * size, size);
  }
  for (size_t i = 0; i < hs.size(); ++i) h.values[i].re = hs[i], c.values[i].re = cs[i];
  return lstm ? Arrays{h, c} : Arrays{h};
}

const char* const kZero = "0 * inf in a sum of products is NaN, in the gradient as in the product";
const char* const kShared = "the gradient of a weight that a batch shares is one sum over it";

const Arg kKey = exactly({2}, {7, 9}, DType::kU32);

Arg part(std::initializer_list<int64_t> shape) { return in(shape, -1, 1); }

// Samples and laws that all sequences have, with `gates` gates of size 2 and inputs of 3 features.
void sequences(OpTest& t, const std::string& name, int64_t gates, size_t states) {
  t.skip("zero", kZero);
  t.skip("symbolic", "the last state is that of a known number of steps");
  t.sums_batches_elsewhere(kShared);
  const int64_t all = gates * 2;
  const auto with = [&](std::vector<Arg> front, std::vector<Arg> weights) {
    front.insert(front.end(), weights.begin(), weights.end());
    return front;
  };
  const auto start = [&](Arg x, int64_t layers, int64_t batch) {
    std::vector<Arg> out{x};
    for (size_t s = 0; s < states; ++s) out.push_back(part({layers, batch, 2}));
    out.push_back(kKey);
    return out;
  };
  const std::vector<Arg> one{part({all, 3}), part({all, 2}), part({all}), part({all})};
  t.sample(with(start(part({2, 2, 3}), 1, 2), one));
  t.sample(with(start(part({2, 1, 3}), 1, 1), {part({all, 3}), part({all, 2})}),
           "has_biases=false");
  t.sample(with(start(part({2, 3, 3}), 2, 2),
                {part({all, 3}), part({all, 2}), part({all, 3}), part({all, 2})}),
           "bidirectional=true, batch_first=true, has_biases=false, lengths=[3, 2]");
  t.sample(with(start(part({2, 1, 3}), 2, 1),
                {part({all, 3}), part({all, 2}), part({all, 2}), part({all, 2})}),
           "num_layers=2, has_biases=false");
  t.sample(with(start(part({2, 2, 3}), 2, 2),
                {part({all, 3}), part({all, 2}), part({all, 2}), part({all, 2})}),
           "num_layers=2, has_biases=false, dropout=0.5");
  t.sample(with(start(part({0, 2, 3}), 2, 2),
                {part({all, 3}), part({all, 2}), part({all, 3}), part({all, 2})}),
           "bidirectional=true, has_biases=false");
  t.large(with(start(part({4, 40, 3}), 1, 40), one));
  t.tolerance(8, "two layers of up to three steps in a row");
  t.error("rank", with(start(part({2, 3}), 1, 2), one), "",
          name +
              ": x has shape [2, 3]; it must be [time, batch, features], or [batch, time, "
              "features] with batch_first [" +
              name + ".rank]");
  t.error("layers", with(start(part({2, 2, 3}), 1, 2), one), "num_layers=0",
          name + ": num_layers is 0; it must be between 1 and 1048576 [" + name + ".layers]");
  t.error("count", with(start(part({2, 2, 3}), 1, 2), one), "has_biases=false",
          name + ": there are 4 weights, but 1 layers in 1 directions have 2 [" + name + ".count]");
  t.error("states", with(start(part({2, 2, 3}), 2, 2), one), "",
          name + ": first states have shape [2, 2, 2]; they must be [1, 2, size] [" + name +
              ".states]");
  t.error("lengths", with(start(part({2, 2, 3}), 1, 2), one), "lengths=[3, 1]",
          name + ": a length is 3, but there are 2 steps of time; it must be between 0 and that [" +
              name + ".lengths]");
  t.error("probability", with(start(part({2, 2, 3}), 1, 2), one), "dropout=1.5",
          name + ": p is 1.5; it must be between 0 and 1 [" + name + ".probability]");
  std::vector<Arg> odd_key = start(part({2, 2, 3}), 1, 2);
  odd_key.back() = exactly({3}, {1, 2, 3}, DType::kU32);
  t.error("key", with(odd_key, one), "",
          name +
              ": the key has shape [3], but one key has shape [2]; index a batch of keys, or vmap "
              "over it [" +
              name + ".key]");
  odd_key.back() = typed(kKey, DType::kI64);
  t.error("dtype", with(odd_key, one), "",
          name + ": key has dtype int64, but must be uint32; make one with random.Key(seed) [" +
              name + ".dtype]");
  const std::string rows = std::to_string(all);
  t.error("weights", with(start(part({2, 2, 4}), 1, 2), one), "",
          name + ": the weights have shapes [" + rows + ", 3] and [" + rows +
              ", 2]; for x of shape [2, 2, 4] and " + std::to_string(gates) +
              " gates of size 2 they must be [" + rows + ", 4] and [" + rows + ", 2] [" + name +
              ".weights]");
}

void cells(OpTest& t, const std::string& name, int64_t gates, size_t states) {
  t.skip("zero", kZero);
  if (gates > 1) t.skip("symbolic", "gates are parts of a known size");
  t.sums_batches_elsewhere(kShared);
  const int64_t all = gates * 2;
  std::vector<Arg> plain{part({2, 3})};
  for (size_t s = 0; s < states; ++s) plain.push_back(part({2, 2}));
  std::vector<Arg> wrong = plain;
  for (const auto& weight : {part({all, 3}), part({all, 2})}) plain.push_back(weight);
  t.sample(plain);
  std::vector<Arg> tall = plain;
  for (size_t i = 0; i <= states; ++i) tall[i] = i == 0 ? part({4000, 3}) : part({4000, 2});
  t.large(tall);
  std::vector<Arg> biased = plain;
  for (size_t s = 0; s < 3 - states; ++s) biased.push_back(part({all}));
  t.sample(biased);
  t.tolerance(4, "in f16 and bf16 rounded after every op");
  const std::string rows = std::to_string(all);
  wrong.push_back(part({all}));
  wrong.push_back(part({all, 2}));
  t.error("rank", wrong, "",
          name + ": x has shape [2, 3] and the weights [" + rows + "] and [" + rows +
              ", 2]; weights must be matrices [" + name + ".rank]");
  std::vector<Arg> narrow = plain;
  narrow[0] = part({2, 4});
  t.error("weights", narrow, "",
          name + ": the weights have shapes [" + rows + ", 3] and [" + rows +
              ", 2]; for x of shape [2, 4] and " + std::to_string(gates) +
              " gates of size 2 they must be [" + rows + ", 4] and [" + rows + ", 2] [" + name +
              ".weights]");
  std::vector<Arg> odd = plain;
  odd[1] = part({2, 3});
  t.error("states", odd, "",
          name + ": a state has shape [2, 3]; its last axis must be 2 long [" + name + ".states]");
}

}  // namespace

WEFT_OP_TEST(nn__rnn_tanh) {
  sequences(t, "rnn_tanh", 1, 1);
  t.reference(reference<Kind::kTanh>);
}
WEFT_OP_TEST(nn__rnn_relu) {
  sequences(t, "rnn_relu", 1, 1);
  t.reference(reference<Kind::kRelu>);
}
WEFT_OP_TEST(nn__gru) {
  sequences(t, "gru", 3, 1);
  t.reference(reference<Kind::kGru>);
}
WEFT_OP_TEST(nn__lstm) {
  sequences(t, "lstm", 4, 2);
  t.reference(reference<Kind::kLstm>);
}
WEFT_OP_TEST(nn__rnn_tanh_cell) {
  cells(t, "rnn_tanh_cell", 1, 1);
  t.reference(cell_reference<Kind::kTanh>);
}
WEFT_OP_TEST(nn__rnn_relu_cell) {
  cells(t, "rnn_relu_cell", 1, 1);
  t.reference(cell_reference<Kind::kRelu>);
}
WEFT_OP_TEST(nn__gru_cell) {
  cells(t, "gru_cell", 3, 1);
  t.reference(cell_reference<Kind::kGru>);
}
WEFT_OP_TEST(nn__lstm_cell) {
  cells(t, "lstm_cell", 4, 2);
  t.reference(cell_reference<Kind::kLstm>);
}
