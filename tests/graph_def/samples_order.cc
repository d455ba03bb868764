// Sorting, indices, segments, matrices and transforms.
#include <cmath>
#include <limits>

#include "tests/graph_def/samples.h"
#include "weft/ops/fft/fft.h"
#include "weft/ops/shape/index_at.h"
#include "weft/weft.h"

namespace weft::graph_def_samples {
namespace {

Tensor normal(uint64_t seed, const Shape& shape) {
  return random::normal(random::Key(seed), shape);
}

void add_sorting(std::vector<Sample>& out) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const Tensor special = tensor({0.0f, nan, -1.0f, inf, -0.0f, 2.0f, -inf, -1.0f});
  const auto orders = [](TensorSpan in) {
    const Tensor& x = in[0];
    return Tensors{argsort(x),       argsort(x, -1, true), sort(x),
                   sort(x, 0, true), topk(x, 3).values,    topk(x, 2, -1, false).indices};
  };
  out.push_back({"sort", {normal(31, {4, 5})}, orders});
  out.push_back({"sort_special", {special}, orders});
  out.push_back({"sort_integers", {tensor({3, -7, 3, 0, 9})}, orders});
  out.push_back({"sort_symbolic",
                 {normal(32, {4, 5})},
                 [](TensorSpan in) { return Tensors{sort(in[0], 0), argsort(in[0], 0)}; },
                 true});
  out.push_back({"searchsorted", {sort(normal(33, {6})), normal(34, {2, 3})}, [](TensorSpan in) {
                   return Tensors{searchsorted(in[0], in[1]), searchsorted(in[0], in[1], true)};
                 }});
  out.push_back({"running", {normal(35, {3, 4})}, [](TensorSpan in) {
                   return Tensors{cumulative_sum(in[0], 0), cumulative_prod(in[0], 1),
                                  logcumsumexp(in[0], 1), cummax(in[0], 1), cummin(in[0], 0)};
                 }});
}

void add_indexing(std::vector<Sample>& out) {
  const Tensor x = normal(36, {3, 4, 2}), rows = tensor({2, -1, 0}), columns = tensor({1, 3, -4});
  out.push_back({"gather", {x, rows, columns}, [](TensorSpan in) {
                   const Tensor order = argsort(in[0], 1);
                   return Tensors{take(in[0], in[1], 0), take(in[0], in[2], 1),
                                  gather(in[0], order, 1),
                                  index_at(in[0], in.subspan(1), {{0, 1}, 0}, Where::here()),
                                  index_at(in[0], in.subspan(2), {{1}, 1}, Where::here())};
                 }});
  out.push_back({"scatter", {x, rows, columns, normal(37, {3, 2})}, [](TensorSpan in) {
                   const TensorSpan both = in.subspan(1, 2);
                   const IndexAtAttrs at{{0, 1}, 0};
                   const Where here = Where::here();
                   return Tensors{
                       set_at(in[0], in[3], both, at, here), add_at(in[0], in[3], both, at, here),
                       min_at(in[0], in[3], both, at, here), max_at(in[0], in[3], both, at, here),
                       set_at(in[0], Tensor(7.0f), in.subspan(2, 1), {{1}, 1}, here)};
                 }});
  out.push_back({"scatter_add",
                 {normal(38, {3, 4}), tensor({{0, 1}, {3, 3}, {-1, 2}}), normal(39, {3, 2})},
                 [](TensorSpan in) { return Tensors{scatter_add(in[0], in[1], in[2], 1)}; }});
  out.push_back({"windows", {normal(38, {5, 4}), tensor(3), tensor(-9)}, [](TensorSpan in) {
                   const TensorSpan starts = in.subspan(1);
                   return Tensors{dynamic_slice(in[0], starts, {3, 2}),
                                  dynamic_update_slice(in[0], ones({1, 2}), starts)};
                 }});
  out.push_back({"take_gradient", {normal(40, {4, 3})}, [](TensorSpan in) {
                   const auto f = [](TensorSpan x) {
                     const Tensor places = tensor({1, 1, -1});
                     return Tensors{sum(square(take(x[0], places, 0)) * 3.0) +
                                    sum(sort(x[0], 1) * arange(3))};
                   };
                   return value_and_grad_flat(f, in, Unconnected::kRaise, Where::here()).gradients;
                 }});
  out.push_back({"moved", {x}, [](TensorSpan in) {
                   return Tensors{roll(in[0], Ints{1}, Ints{1}),
                                  tril(in[0]),
                                  flip(in[0]),
                                  tile(in[0], Ints{2, 1, 1}),
                                  arange(2.0, 5.0, 0.5),
                                  linspace(0.0, 1.0, 5),
                                  eye(3)};
                 }});
  out.push_back({"segments", {normal(41, {5, 2}), tensor({2, 0, 2, 0, 3})}, [](TensorSpan in) {
                   return Tensors{segment_sum(in[0], in[1], 5), segment_max(in[0], in[1], 5),
                                  segment_min(in[0], in[1], 5)};
                 }});
}

void add_matrices(std::vector<Sample>& out) {
  const Tensor a = normal(42, {2, 3, 3}) + 3.0 * eye(3), b = normal(43, {2, 3, 2});
  out.push_back({"linalg", {a, b}, [](TensorSpan in) {
                   const Tensor& a = in[0];
                   const Tensor positive = matmul(a, permute_dims(a, Ints{0, 2, 1})) + eye(3);
                   return Tensors{linalg::cholesky(positive),
                                  linalg::det(a),
                                  linalg::inv(a),
                                  linalg::solve(a, in[1]),
                                  linalg::eigvalsh(positive),
                                  linalg::svdvals(a),
                                  diagonal(a),
                                  linalg::solve_triangular(a, in[1])};
                 }});
  out.push_back({"fft", {normal(44, {3, 8})}, [](TensorSpan in) {
                   const Tensor all = fft::rfft(in[0]);
                   return Tensors{real(all), imag(all), fft::irfft(all, 8)};
                 }});
}

}  // namespace

void add_order(std::vector<Sample>& out) {
  add_sorting(out);
  add_indexing(out);
  add_matrices(out);
}

}  // namespace weft::graph_def_samples
