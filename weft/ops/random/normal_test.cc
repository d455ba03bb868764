// Samples of random.normal, random.lognormal and random.multivariate_normal.
#include "weft/ops/random/random_reference.h"

using namespace weft::suite;

namespace {

Arrays draws_reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[k].values[0].i); };
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].re = normal_draw(words_at(word(0), word(1), i));
  }
  return {out};
}

Arrays reference(const Attrs& at, const Arrays& in) {
  Array out = shaped(at.get<DType>("dtype"), at.get<weft::Shape>("shape"));
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[0].values[k].i); };
  const long double mean = in.size() > 1 ? in[1].values[0].re : 0;
  const long double std = in.size() > 2 ? in[2].values[0].re : 1;
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i].re = mean + std * normal_draw(words_at(word(0), word(1), i));
  }
  return {out};
}

Arrays lognormal_reference(const Attrs& at, const Arrays& in) {
  Array out = reference(at, in)[0];
  for (ScalarValue& v : out.values) v.re = std::exp(v.re);
  return {out};
}

// Row-major [.., n, n] to lower triangles l with l l^T = cov.
std::vector<long double> cholesky_of(const Array& cov) {
  const auto n = static_cast<size_t>(cov.shape.back());
  std::vector<long double> out(cov.values.size());
  for (size_t at = 0; at < out.size(); at += n * n) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j <= i; ++j) {
        long double rest = (cov.values[at + i * n + j].re + cov.values[at + j * n + i].re) / 2;
        for (size_t k = 0; k < j; ++k) rest -= out[at + i * n + k] * out[at + j * n + k];
        out[at + i * n + j] = i == j ? std::sqrt(rest) : rest / out[at + j * n + j];
      }
    }
  }
  return out;
}

// The batch of cov is none or that of mean; `shape` may have axes in front of them.
Arrays multivariate_reference(const Attrs& at, const Arrays& in) {
  const Array &mean = in[1], &cov = in[2];
  const auto n = static_cast<size_t>(mean.shape.back());
  std::vector<int64_t> shape(mean.shape.begin(), mean.shape.end() - 1);
  if (const auto& asked = at.get<std::optional<Ints>>("shape"))
    shape.assign(asked->begin(), asked->end());
  shape.push_back(mean.shape.back());
  Array out = like(mean, shape);
  const auto word = [&](size_t k) { return static_cast<uint32_t>(in[0].values[k].i); };
  const std::vector<long double> lower = cholesky_of(cov);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t first = i / n * n, row = i % n;
    long double total = mean.values[i % mean.values.size()].re;
    for (size_t k = 0; k <= row; ++k) {
      const size_t place = (first * n + row * n + k) % lower.size();
      total += lower[place] * normal_draw(words_at(word(0), word(1), first + k));
    }
    out.values[i].re = total;
  }
  return {out};
}

}  // namespace

WEFT_OP_TEST(random__lognormal) {
  const Arg key = exactly({2}, {7, 4294967295});
  t.skip("special", "there is no distribution of infinite width");
  t.sample({key}, "shape=[3, 5]");
  t.sample({key}, "shape=[1000], dtype=float64");
  t.sample({key}, "shape=[40], dtype=float16");
  t.sample({key, exactly({}, {-0.5}), exactly({}, {0.25})}, "shape=[3, 5]");
  t.sample({key, exactly({}, {-0.5})}, "shape=[], dtype=float64");
  t.large({exactly({2}, {7, 9})}, "shape=[300, 301]");
  t.reference(lognormal_reference);
  t.tolerance(8, "a normal draw of up to 4 in the exponent");
  t.error("key", {exactly({3}, {1, 2, 3})}, "shape=[2]",
          "lognormal: the key has shape [3], but one key has shape [2]; index a batch of keys, or "
          "vmap over it [lognormal.key]");
  t.error("negative", {key}, "shape=[-1]",
          "lognormal: shape [-1] has a negative size; sizes are at least 0 [lognormal.negative]");
  t.error("dtype", {key}, "shape=[2], dtype=int32",
          "lognormal: dtype is int32; it must be floating [lognormal.dtype]");
  t.error("parameters", {key, in({3})}, "shape=[2, 1]",
          "lognormal: the parameters do not broadcast to [2, 1], but to [2, 3] "
          "[lognormal.parameters]");
}

WEFT_OP_TEST(random__multivariate_normal) {
  const Arg key = exactly({2}, {7, 9});
  const Arg cov = exactly({2, 2}, {2, 0.5, 0.5, 1});
  t.skip("special", "a covariance is finite");
  t.skip("zero", "a covariance is finite");
  t.sums_batches_elsewhere("the gradient of what a batch shares is one sum over it");
  t.varies(2, Vary::kScaled);  // others might not be positive definite
  t.sample({key, in({2}), cov});
  t.sample({key, in({2}), cov}, "shape=[3]");
  t.sample({key, in({3, 2}), cov});
  t.sample({key, in({2, 2}), exactly({2, 2, 2}, {2, 0.5, 0.5, 1, 1, -0.25, -0.25, 3})},
           "shape=[3, 2]");
  t.large({key, in({3}), exactly({3, 3}, {2, 0, 0.5, 0, 1, 0, 0.5, 0, 3})}, "shape=[3000]");
  t.reference(multivariate_reference);
  t.tolerance(8, "products with the factor of a covariance");
  t.error("key", {exactly({3}, {1, 2, 3}), in({2}), cov}, "",
          "multivariate_normal: the key has shape [3], but one key has shape [2]; index a batch of "
          "keys, or vmap over it [multivariate_normal.key]");
  t.error("size", {key, in({3}), cov}, "",
          "multivariate_normal: mean has shape [3] and cov has shape [2, 2]; they must be [.., n] "
          "and [.., n, n] [multivariate_normal.size]");
  t.error(
      "positive", {key, in({2}), exactly({2, 2}, {0, 0, 0, 1})}, "",
      "multivariate_normal: the matrix is not positive definite: its leading 1 x 1 part is not; "
      "all eigenvalues must be positive [multivariate_normal.positive]");
  t.error("shape", {key, in({3, 2}), cov}, "shape=[1]",
          "multivariate_normal: the parameters have shape [3], which does not broadcast to [1] "
          "[multivariate_normal.shape]");
  t.error("negative", {key, in({2}), cov}, "shape=[-1]",
          "multivariate_normal: shape [-1] has a negative size; sizes are at least 0 "
          "[multivariate_normal.negative]");
  t.error("broadcast", {key, in({3, 2}), exactly({2, 2, 2}, {2, 0, 0, 1, 1, 0, 0, 3})}, "",
          "multivariate_normal: shapes [3] and [2] do not broadcast: axis -1 has size 3 and 2; "
          "sizes must be equal or 1 [multivariate_normal.broadcast]");
  t.error("dtype", {key, typed(in({2}), DType::kC64), cov}, "",
          "multivariate_normal: mean has dtype complex64, but must be floating; cast it first "
          "[multivariate_normal.dtype]");
}

WEFT_OP_TEST(random__normal) {
  const Arg key = exactly({2}, {7, 4294967295});
  t.sample({key}, "shape=[3, 5]");
  t.sample({key}, "shape=[1000], dtype=float64");
  t.sample({key, exactly({}, {-2}), exactly({}, {3})}, "shape=[3, 5]");
  t.sample({key, exactly({}, {-2})}, "shape=[], dtype=float64");
  t.sample({key}, "shape=[0, 2], dtype=float16");
  t.large({exactly({2}, {7, 9}), exactly({}, {-2}), exactly({}, {3})}, "shape=[300, 301]");
  t.reference(reference);
  t.error("key", {exactly({1, 2}, {1, 2})}, "shape=[2]",
          "normal: the key has shape [1, 2], but one key has shape [2]; index a batch of keys, or "
          "vmap over it [normal.key]");
  t.error("negative", {key}, "shape=[-1]",
          "normal: shape [-1] has a negative size; sizes are at least 0 [normal.negative]");
  t.error("dtype", {key}, "shape=[2], dtype=int32",
          "normal: dtype is int32; it must be floating [normal.dtype]");
  t.error("parameters", {key, in({3})}, "shape=[2, 1]",
          "normal: mean and std do not broadcast to [2, 1], but to [2, 3] [normal.parameters]");
}

WEFT_OP_TEST(random__normal_draws) {
  t.sample({exactly({}, {1}), exactly({}, {2})}, "shape=[3000]");
  t.sample({exactly({}, {1}), exactly({}, {2})}, "shape=[1000], dtype=float64");
  t.sample({exactly({}, {0}), exactly({}, {0})}, "shape=[77], dtype=float16");
  t.sample({exactly({}, {0}), exactly({}, {0})}, "shape=[77], dtype=bfloat16");
  t.large({exactly({}, {1}), exactly({}, {2})}, "shape=[300, 301]");
  t.reference(draws_reference);
  t.error("negative", {exactly({}, {1}), exactly({}, {2})}, "shape=[-1]",
          "normal_draws: shape [-1] has a negative size; sizes are at least 0 "
          "[normal_draws.negative]");
}
