// linalg.multi_dot: a product of many matrices, in the order that costs least.
#include "weft/ops/linalg/multi_dot.h"

#include <limits>
#include <vector>

#include "weft/op/apply.h"
#include "weft/ops/linalg/linalg.h"

namespace weft {
namespace linalg {
namespace {

// Where to cut the product of factors i to j, for all of them: the classic dynamic programme over
// the lengths of stretches (Cormen et al., "Introduction to Algorithms", 14.2).
class Cuts {
 public:
  explicit Cuts(const std::vector<double>& sizes) : n_(sizes.size() - 1), cut_(n_ * n_) {
    std::vector<double> cost(n_ * n_, 0);
    for (size_t length = 1; length < n_; ++length) {
      for (size_t i = 0; i + length < n_; ++i) {
        const size_t j = i + length;
        double least = std::numeric_limits<double>::infinity();
        for (size_t k = i; k < j; ++k) {
          const double own =
              cost[i * n_ + k] + cost[(k + 1) * n_ + j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
          if (own < least) least = own, cut_[i * n_ + j] = k;
        }
        cost[i * n_ + j] = least;
      }
    }
  }

  Tensor product(TensorSpan factors, size_t i, size_t j) const {
    if (i == j) return factors[i];
    const size_t k = cut_[i * n_ + j];
    const Tensor right = product(factors, k + 1, j);
    return matmul(product(factors, i, k), right);
  }

 private:
  size_t n_;
  std::vector<size_t> cut_;
};

// The rows of the first factor and the columns of each, with 1 for what a vector lacks; 1 for sizes
// that only a graph knows.
std::vector<double> sizes_of(TensorSpan in) {
  const auto size = [](Dim dim) { return static_cast<double>(hinted_value(dim).value_or(1)); };
  std::vector<double> out{in[0].rank() == 1 ? 1.0 : size(in[0].dim(0))};
  for (size_t i = 0; i < in.size(); ++i) {
    const bool is_column = i > 0 && in[i].rank() == 1;
    out.push_back(is_column ? 1.0 : size(in[i].dim(-1)));
  }
  return out;
}

void require_factors(const InferCtx& cx, TensorSpan in) {
  constexpr size_t kMostFactors = 256;
  cx.require(2 <= in.size() && in.size() <= kMostFactors, "factors", "there are ", in.size(),
             " factors; there must be from 2 to ", kMostFactors);
  for (size_t i = 0; i < in.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == in.size();
    cx.require(in[i].rank() == 2 || (is_end && in[i].rank() == 1), "rank", "factor ", i,
               " has shape ", in[i].shape(),
               "; factors are matrices, the first and the last may be vectors");
    if (i == 0) continue;
    const Dim left = in[i - 1].dim(-1), right = in[i].dim(0);
    cx.require(decide_same(left, right) != Tri::kNo, "inner", "factors ", i - 1, " and ", i,
               " have shapes ", in[i - 1].shape(), " and ", in[i].shape(),
               "; the last axis of one must have the size of the first axis of the next");
  }
}

Tensors composed(const NoAttrs&, TensorSpan in) {
  require_factors(InferCtx{"multi_dot"}, in);
  return {Cuts(sizes_of(in)).product(in, 0, in.size() - 1)};
}

}  // namespace

Tensor multi_dot(TensorSpan factors, Where where) {
  return compose(kMultiDot, factors, kNoAttrs, where);
}

}  // namespace linalg

constinit const CompositeDef kMultiDot{
    .name = "multi_dot",
    .module = "linalg",
    .doc =
        "The product of all factors by matmul, in the order that needs the fewest "
        "multiplications; the first may be a row, the last a column. The order depends on the "
        "sizes of all factors, so that the last bits of a row may depend on how many rows the "
        "first factor has; matmul by matmul they do not.",
    .inputs = {"factors...: numeric"},
    .outputs = {"out: like factors"},
    .laws = {Law{"factors", "there are from 2 to 256 factors"},
             Law{"rank", "factors are matrices, or vectors at the ends"},
             Law{"inner", "neighbours fit"}},
    .compose = rule<linalg::composed>(),
    .known_as = {Alias{"numpy", "linalg.multi_dot"}, Alias{"torch", "linalg.multi_dot"},
                 Alias{"jax", "numpy.linalg.multi_dot"}},
};

}  // namespace weft
