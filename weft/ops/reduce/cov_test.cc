// Samples of cov and corrcoef.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tests/op_suite/samples.h"
#include "weft/base/test_error.h"
#include "weft/base/text.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/reduce/cov.h"
#include "weft/runtime/session.h"

using namespace weft::suite;

namespace {

using Number = std::complex<long double>;
using Variables = std::vector<std::vector<Number>>;

void append_variables(Variables& out, const Array& x, bool rowvar) {
  const bool is_matrix = x.shape.size() == 2;
  const auto n = static_cast<size_t>(is_matrix ? x.shape[rowvar ? 0 : 1] : 1);
  const auto count = static_cast<size_t>(is_matrix ? x.shape[rowvar ? 1 : 0] : x.shape[0]);
  for (size_t i = 0; i < n; ++i) {
    std::vector<Number> own;
    for (size_t j = 0; j < count; ++j) {
      const ScalarValue& v = x.values[rowvar || !is_matrix ? i * count + j : j * n + i];
      own.emplace_back(v.re, v.im);
    }
    out.push_back(own);
  }
}

Variables covariances(const Attrs& at, const Arrays& in, long double correction) {
  Variables all;
  for (const Array& x : in) append_variables(all, x, at.get<bool>("rowvar"));
  for (std::vector<Number>& own : all) {
    Number mean = 0;
    for (const Number& v : own) mean += v / static_cast<long double>(own.size());
    for (Number& v : own) v -= mean;
  }
  Variables out(all.size(), std::vector<Number>(all.size()));
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < all.size(); ++j) {
      Number total = 0;
      for (size_t k = 0; k < all[i].size(); ++k) total += all[i][k] * std::conj(all[j][k]);
      const long double divisor = static_cast<long double>(all[i].size()) - correction;
      out[i][j] = divisor > 0 ? total / divisor : Number(NAN, is_complex(in[0].dtype) ? NAN : 0);
    }
  }
  return out;
}

Arrays as_arrays(const Arrays& in, const Variables& c) {
  const auto n = static_cast<int64_t>(c.size());
  Array out = like(in[0], n == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{n, n});
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Number& v = c[i / c.size()][i % c.size()];
    out.values[i].re = v.real(), out.values[i].im = v.imag();
  }
  return {out};
}

Arrays cov_reference(const Attrs& at, const Arrays& in) {
  return as_arrays(in, covariances(at, in, at.get<double>("correction")));
}

Arrays corrcoef_reference(const Attrs& at, const Arrays& in) {
  const Variables c = covariances(at, in, 1);
  Variables out = c;
  for (size_t i = 0; i < c.size(); ++i) {
    for (size_t j = 0; j < c.size(); ++j)
      out[i][j] = c[i][j] / std::sqrt(c[i][i].real()) / std::sqrt(c[j][j].real());
  }
  return as_arrays(in, out);
}

void samples(OpTest& t) {
  t.skip("special", "which products of infinities are NaN is left to matmul");
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sums_batches_elsewhere("the gradient of what a batch shares is one sum over it");
  t.sample({in({3, 4})});
  t.sample({in({4, 3})}, "rowvar=false");
  t.sample({in({2, 5}), in({5})});
  t.sample({in({5, 2}), in({5, 1})}, "rowvar=false");
  t.sample({in({4}), in({4})});
  t.large({in({60, 301})});
  t.error("rank", {in({2, 2, 2})}, "",
          weft::text(
              t.op, ": an input has shape [2, 2, 2]; variables are a matrix, or a vector for one [",
              t.op, ".rank]"));
  t.error("observations", {in({2, 3}), in({2})}, "",
          weft::text(t.op, ": x has 3 observations and y has 2; they must have as many [", t.op,
                     ".observations]"));
}

}  // namespace

WEFT_OP_TEST(cov) {
  samples(t);
  t.sample({in({5})});
  t.sample({in({1, 5})});
  t.sample({in({5, 1})}, "rowvar=false");
  t.sample({in({3, 4})}, "correction=0");
  t.sample({in({3, 4})}, "correction=0.5");
  t.kink({in({2, 1})}, "", "it is divided by 0");
  t.reference(cov_reference);
}
WEFT_OP_TEST(corrcoef) {
  samples(t);
  t.kink({in({5})}, "", "a coefficient with itself is 1");
  t.kink({in({1, 5})}, "", "a coefficient with itself is 1");
  t.kink({in({5, 1})}, "rowvar=false", "a coefficient with itself is 1");
  t.reference(corrcoef_reference);
}

// The rank of the result depends on a size that such a graph learns only when it runs.
TEST(cov, variables) {
  for (const auto& [name, op] : {std::pair("cov", 0), std::pair("corrcoef", 1)}) {
    const weft::Graph graph;
    weft::Tensor x, out;
    {
      const weft::Graph::Scope scope(graph);
      x = graph.placeholder(weft::DType::kF32, {weft::Dim::symbol("n"), 3}, "x");
      out = op == 0 ? weft::cov(x) : weft::corrcoef(x);
    }
    weft::Session session(graph);
    EXPECT_EQ(session.run({out}, {{x, weft::ones({2, 3})}})[0].rank(), 2);
    EXPECT_EQ(weft::error_of([&] { session.run({out}, {{x, weft::ones({1, 3})}}); }),
              weft::text(name,
                         ": there is 1 variable, for which the result is a number, but the graph "
                         "does not know so and has a matrix; give the placeholder this size, or "
                         "pass a vector [",
                         name, ".variables]"));
  }
}
