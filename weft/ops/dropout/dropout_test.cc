// Samples of the dropouts.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

// Draw i of the key decides about `together` elements.
bool is_kept(const Arrays& in, size_t i, long double p) {
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[0].values[k].i); };
  return unit_draw(words_at(word(0), word(1), i), DType::kF32) >= static_cast<float>(p);
}

Arrays dropped(const Attrs& at, const Arrays& in, size_t axes) {
  const double p = at.get<double>("p");
  Array out = in[1];
  if (!at.get<bool>("train") || p == 0) return {out};
  size_t together = 1;
  for (size_t d = 0; d < axes; ++d)
    together *= static_cast<size_t>(out.shape[out.shape.size() - 1 - d]);
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].re = is_kept(in, i / together, p) ? out.values[i].re / (1 - p) : 0;
  }
  return {out};
}

Arrays reference(const Attrs& at, const Arrays& in) { return dropped(at, in, 0); }
Arrays reference1(const Attrs& at, const Arrays& in) { return dropped(at, in, 1); }
Arrays reference2(const Attrs& at, const Arrays& in) { return dropped(at, in, 2); }
Arrays reference3(const Attrs& at, const Arrays& in) { return dropped(at, in, 3); }

Arrays alpha_reference(const Attrs& at, const Arrays& in) {
  const long double p = at.get<double>("p"), alpha = -1.7580993408473766L;
  Array out = in[1];
  if (!at.get<bool>("train") || p == 0) return {out};
  const long double scale = p < 1 ? 1 / std::sqrt((1 - p) * (1 + p * alpha * alpha)) : 0;
  for (size_t i = 0; i < out.values.size(); ++i) {
    const long double x = is_kept(in, i, p) ? out.values[i].re : alpha;
    out.values[i].re = scale * x - scale * alpha * p;
  }
  return {out};
}

const Arg kKey = exactly({2}, {7, 9});

void errors(OpTest& t, const std::string& name) {
  const auto message = [&](const char* text, const char* law) {
    return name + ": " + text + " [" + name + "." + law + "]";
  };
  t.error("probability", {kKey, in({2, 2, 2, 2})}, "p=1.5",
          message("p is 1.5; it must be between 0 and 1", "probability"));
  t.error("key", {exactly({3}, {1, 2, 3}), in({2, 2, 2, 2})}, "",
          message("the key has shape [3], but one key has shape [2]; index a batch of keys, or "
                  "vmap over it",
                  "key"));
  t.error(
      "dtype", {typed(kKey, DType::kI64), in({2, 2, 2, 2})}, "",
      message("key has dtype int64, but must be uint32; make one with random.Key(seed)", "dtype"));
}

}  // namespace

WEFT_OP_TEST(nn__dropout) {
  t.sample({kKey, in({3, 5})});
  t.sample({kKey, in({40})}, "p=0.1");
  t.sample({kKey, in({3, 5})}, "p=0.0");
  t.sample({kKey, in({3, 5})}, "p=1.0");
  t.sample({kKey, in({3, 5})}, "train=false");
  t.sample({kKey, in({0, 5})});
  t.large({kKey, in({300, 301})});
  t.reference(reference);
  errors(t, "dropout");
}

WEFT_OP_TEST(nn__alpha_dropout) {
  t.sample({kKey, in({3, 5})});
  t.sample({kKey, in({40})}, "p=0.1");
  t.sample({kKey, in({3, 5})}, "p=1.0");
  t.sample({kKey, in({3, 5})}, "train=false");
  t.large({kKey, in({300, 301})});
  t.reference(alpha_reference);
  t.tolerance(2, "scaled, then shifted: in f16 and bf16 rounded in between");
  errors(t, "alpha_dropout");
}

WEFT_OP_TEST(nn__dropout1d) {
  t.sample({kKey, in({3, 5, 2})});
  t.sample({kKey, in({3, 5})}, "p=0.2");
  t.sample({kKey, in({3, 5})}, "train=false");
  t.large({kKey, in({30, 20, 301})});
  t.reference(reference1);
  t.error("rank", {kKey, in({3})}, "",
          "dropout1d: x has shape [3]; it must be [channels, space..] with 1 axes of space, and "
          "may have a batch axis in front [dropout1d.rank]");
  t.error("probability", {kKey, in({2, 2})}, "p=-0.5",
          "dropout1d: p is -0.5; it must be between 0 and 1 [dropout1d.probability]");
  t.error("key", {exactly({3}, {1, 2, 3}), in({2, 2})}, "",
          "dropout1d: the key has shape [3], but one key has shape [2]; index a batch of keys, or "
          "vmap over it [dropout1d.key]");
  t.error("dtype", {kKey, typed(in({2, 2}), DType::kC64)}, "",
          "dropout1d: x has dtype complex64, but must be floating; cast it first "
          "[dropout1d.dtype]");
}

WEFT_OP_TEST(nn__dropout2d) {
  t.sample({kKey, in({3, 5, 2, 2})});
  t.sample({kKey, in({5, 2, 2})}, "p=0.2");
  t.sample({kKey, in({5, 2, 2})}, "p=1.0");
  t.large({kKey, in({30, 20, 30, 11})});
  t.reference(reference2);
  t.error("rank", {kKey, in({3})}, "",
          "dropout2d: x has shape [3]; it must be [channels, space..] with 2 axes of space, and "
          "may have a batch axis in front [dropout2d.rank]");
  errors(t, "dropout2d");
}

WEFT_OP_TEST(nn__dropout3d) {
  t.sample({kKey, in({3, 4, 2, 1, 2})});
  t.sample({kKey, in({4, 2, 1, 2})}, "p=0.2");
  t.large({kKey, in({30, 20, 5, 6, 11})});
  t.reference(reference3);
  t.error("rank", {kKey, in({3})}, "",
          "dropout3d: x has shape [3]; it must be [channels, space..] with 3 axes of space, and "
          "may have a batch axis in front [dropout3d.rank]");
  errors(t, "dropout3d");
}
