// Samples of gamma, beta and dirichlet, and of the draws they are made of.
//
// Derivatives are implicit: they follow the distribution function, not the rejection method, so
// that differences of draws do not show them. python/tests/test_distributions.py compares them.
#include "weft/base/text.h"
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

constexpr const char* kImplicit =
    "the derivative is implicit; python/tests/test_distributions.py compares it";

// The numbers of one element, taken as the op takes them.
class Numbers {
 public:
  Numbers(uint32_t key0, uint32_t key1, size_t position)
      : key0_(key0), key1_(key1), position_(position) {}
  long double uniform() {
    if (used_ == 4) {
      const Words counter{{static_cast<uint32_t>(position_), static_cast<uint32_t>(position_ >> 32),
                           static_cast<uint32_t>(weft::random::Stream::kReject), next_++}};
      words_ = weft::random::philox(key0_, key1_, counter, [](uint32_t x) { return x; });
      used_ = 0;
    }
    const uint64_t bits = uint64_t{words_.words[used_]} << 32 | words_.words[used_ + 1];
    used_ += 2;
    return std::ldexp(static_cast<long double>(bits >> 12) + 0.5L, -52);
  }
  long double normal() {
    while (true) {
      const long double a = 2 * uniform() - 1, b = 2 * uniform() - 1, s = a * a + b * b;
      if (s > 0 && s < 1) return a * std::sqrt(-2 * std::log(s) / s);
    }
  }

 private:
  uint32_t key0_, key1_;
  uint64_t position_;
  uint32_t next_ = 0;
  int used_ = 4;
  Words words_{};
};

long double log_draw(long double alpha, Numbers& numbers) {
  if (!(alpha > 0)) return NAN;
  if (std::isinf(alpha)) return alpha;
  const long double boost = alpha < 1 ? std::log(numbers.uniform()) / alpha : 0;
  const long double d = (alpha < 1 ? alpha + 1 : alpha) - 1.0L / 3;
  while (true) {
    const long double z = numbers.normal(), root = 1 + z / std::sqrt(9 * d);
    if (root <= 0) continue;
    const long double v = root * root * root, u = numbers.uniform();
    if (std::log(u) < z * z / 2 + d * (1 - v + std::log(v))) return std::log(d * v) + boost;
  }
}

// Row-major alphas with one key for each leading block.
std::vector<long double> log_draws(const Array& key, const std::vector<long double>& alpha) {
  const size_t keys = key.values.size() / 2, each = alpha.size() / std::max<size_t>(keys, 1);
  std::vector<long double> out;
  for (size_t i = 0; i < alpha.size(); ++i) {
    const size_t k = i / each * 2;
    Numbers numbers(static_cast<uint32_t>(key.values[k].i),
                    static_cast<uint32_t>(key.values[k + 1].i), i % each);
    out.push_back(log_draw(alpha[i], numbers));
  }
  return out;
}

std::vector<long double> reals(const Array& x) {
  std::vector<long double> out;
  for (const ScalarValue& v : x.values) out.push_back(v.re);
  return out;
}

Arrays draws_reference(const Attrs&, const Arrays& in) {
  Array out{DType::kF64, in[1].shape, {}};
  for (long double x : log_draws(in[0], reals(in[1]))) out.values.push_back({x, 0, 0});
  return {out};
}

// Parameters of one shape, or scalars.
Arrays gamma_reference(const Attrs& at, const Arrays& in) {
  Array out{in[1].dtype, in[1].shape, {}};
  const auto& shape = at.get<std::optional<Ints>>("shape");
  if (shape) out.shape.assign(shape->begin(), shape->end());
  const auto n = static_cast<size_t>(count(out.shape));
  const auto value = [&](const Array& x, size_t i) { return x.values[i % x.values.size()].re; };
  std::vector<long double> alpha;
  for (size_t i = 0; i < n; ++i) alpha.push_back(value(in[1], i));
  const std::vector<long double> logs = log_draws(in[0], alpha);
  for (size_t i = 0; i < n; ++i) {
    out.values.push_back({std::exp(logs[i]) * (in.size() > 2 ? value(in[2], i) : 1), 0, 0});
  }
  return {out};
}

Array split_key(const Array& key, size_t which) {
  const Words w = weft::random::philox(static_cast<uint32_t>(key.values[0].i),
                                       static_cast<uint32_t>(key.values[1].i), which,
                                       weft::random::Stream::kSplit);
  return {DType::kU32, {2}, {{0, 0, w.words[0]}, {0, 0, w.words[1]}}};
}

Arrays beta_reference(const Attrs&, const Arrays& in) {
  const auto x = log_draws(split_key(in[0], 0), reals(in[1]));
  const auto y = log_draws(split_key(in[0], 1), reals(in[2]));
  Array out{in[1].dtype, in[1].shape, {}};
  for (size_t i = 0; i < x.size(); ++i)
    out.values.push_back({1 / (1 + std::exp(y[i] - x[i])), 0, 0});
  return {out};
}

Arrays dirichlet_reference(const Attrs&, const Arrays& in) {
  const auto logs = log_draws(in[0], reals(in[1]));
  const auto classes = static_cast<size_t>(in[1].shape.back());
  Array out{in[1].dtype, in[1].shape, {}};
  for (size_t row = 0; row < logs.size(); row += classes) {
    long double total = 0;
    for (size_t k = 0; k < classes; ++k) total += std::exp(logs[row + k]);
    for (size_t k = 0; k < classes; ++k) {
      out.values.push_back({std::exp(logs[row + k]) / total, 0, 0});
    }
  }
  return {out};
}

void draw_errors(OpTest& t, const std::string& op, std::vector<Arg> parameters) {
  const auto with = [&](Arg key, std::optional<DType> dtype) {
    std::vector<Arg> all{key};
    for (Arg p : parameters) all.push_back(dtype ? typed(p, *dtype) : p);
    return all;
  };
  const Arg key = exactly({2}, {7, 9});
  t.error("key", with(exactly({3}, {1, 2, 3}), {}), "",
          text(op,
               ": the key has shape [3], but one key has shape [2]; index a batch of keys, or "
               "vmap over it [",
               op, ".key]"));
  t.error("negative", with(key, {}), "shape=[-1]",
          text(op, ": shape [-1] has a negative size; sizes are at least 0 [", op, ".negative]"));
  const char* first = op == "beta" ? "a" : "alpha";
  t.error("dtype", with(key, DType::kC64), "",
          text(op, ": ", first, " has dtype complex64, but must be floating; cast it first [", op,
               ".dtype]"));
}

}  // namespace

WEFT_OP_TEST(random__loggamma_draws) {
  t.skip("zero", "its input has one dtype; gamma is checked");
  t.skip("jvp", kImplicit);
  t.skip("second", kImplicit);
  t.sample({exactly({2}, {7, 9}), in({200}, 0.05, 8)});
  t.sample({exactly({2}, {7, 9}), in({}, 20, 2000)});
  t.kink({exactly({2}, {7, 9}), exactly({4}, {-1, 0, INFINITY, NAN})}, "",
         "there is no such distribution");
  t.sample({exactly({2}, {7, 9}), in({0}, 1, 2)});
  t.large({exactly({2}, {7, 9}), in({300, 301}, 0.05, 8)});
  t.reference(draws_reference);
  t.error("key", {exactly({3}, {7, 9, 1}), in({2}, 1, 2)}, "",
          "loggamma_draws: the key has shape [3]; the last axis of a key has its 2 words "
          "[loggamma_draws.key]");
  t.error("lead", {exactly({2, 2}, {7, 9, 1, 2}), in({3}, 1, 2)}, "",
          "loggamma_draws: the keys have shape [2, 2] but the parameters have shape [3]; the "
          "parameters begin with the axes of the keys [loggamma_draws.lead]");
}

WEFT_OP_TEST(random__loggamma_draws__slope) {
  for (const char* column : {"jvp", "second", "zero"}) {
    t.skip(column, "its inputs have one dtype; python/tests/test_distributions.py compares it");
  }
  t.skip("value", "python/tests/test_distributions.py compares it with SciPy's inverse");
  t.skip("special", "python/tests/test_distributions.py compares it with SciPy's inverse");
  t.sample({in({50}, 0.05, 8), in({50}, -4, 3)});
  t.sample({in({20}, 20, 9000), in({20}, 3, 9.2)});
  t.sample({in({20}, 2e4, 1e6), in({20}, 9.9, 13)});
  t.large({in({300, 301}, 0.05, 8), in({300, 301}, -4, 3)});
  t.error("shape", {in({2}), in({3})}, "",
          "loggamma_draws.slope: alpha has shape [2] but log_x has shape [3]; they must be equal "
          "[loggamma_draws.slope.shape]");
}

WEFT_OP_TEST(random__loggamma_draws__curvature) {
  t.skip("value", "python/tests/test_distributions.py compares it with SciPy's inverse");
  t.skip("special", "python/tests/test_distributions.py compares it with SciPy's inverse");
  t.sample({in({50}, 0.05, 8), in({50}, -4, 3)});
  t.large({in({300, 301}, 0.05, 8), in({300, 301}, -4, 3)});
  t.error("shape", {in({2}), in({3})}, "",
          "loggamma_draws.curvature: alpha has shape [2] but log_x has shape [3]; they must be "
          "equal [loggamma_draws.curvature.shape]");
}

WEFT_OP_TEST(random__gamma) {
  t.skip("jvp", kImplicit);
  t.skip("second", kImplicit);
  const Arg key = exactly({2}, {7, 9});
  t.sample({key, in({5}, 0.5, 8)});
  t.sample({key, in({2, 3}, 0.5, 8), in({2, 3}, 1, 2)});
  t.sample({key, in({}, 0.5, 8)}, "shape=[3, 4]");
  t.large({key, in({300, 301}, 0.5, 8)});
  t.reference(gamma_reference);
  draw_errors(t, "gamma", {in({2}, 1, 2)});
  t.error("shape", {key, in({3}, 1, 2)}, "shape=[2, 1]",
          "gamma: the parameters have shape [3], which does not broadcast to [2, 1] "
          "[gamma.shape]");
}

WEFT_OP_TEST(random__beta) {
  t.skip("jvp", kImplicit);
  t.skip("second", kImplicit);
  t.skip("special", "an infinite parameter has no beta distribution");
  const Arg key = exactly({2}, {7, 9});
  t.sample({key, in({5}, 0.5, 8), in({5}, 0.5, 8)});
  t.sample({key, in({2, 3}, 0.5, 8), in({2, 3}, 0.5, 8)});
  t.large({key, in({300, 31}, 0.5, 8), in({300, 31}, 0.5, 8)});
  t.reference(beta_reference);
  draw_errors(t, "beta", {in({2}, 1, 2), in({2}, 1, 2)});
  t.error("shape", {key, in({3}, 1, 2), in({}, 1, 2)}, "shape=[2, 1]",
          "beta: the parameters have shape [3], which does not broadcast to [2, 1] [beta.shape]");
}

WEFT_OP_TEST(random__dirichlet) {
  t.skip("jvp", kImplicit);
  t.skip("second", kImplicit);
  t.skip("special", "an infinite parameter has no Dirichlet distribution");
  const Arg key = exactly({2}, {7, 9});
  t.sample({key, in({5}, 0.5, 8)});
  t.sample({key, in({2, 3}, 0.5, 8)});
  t.large({key, in({300, 31}, 0.5, 8)});
  t.reference(dirichlet_reference);
  draw_errors(t, "dirichlet", {in({2}, 1, 2)});
  t.error("rank", {key, in({}, 1, 2)}, "",
          "dirichlet: alpha has rank 0; its last axis has a number for each class "
          "[dirichlet.rank]");
  t.error("shape", {key, in({3, 2}, 1, 2)}, "shape=[2, 1]",
          "dirichlet: the parameters have shape [3], which does not broadcast to [2, 1] "
          "[dirichlet.shape]");
}
