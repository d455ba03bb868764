// A program outside the tree: adds two tensors, prints the result, counts draws in bins and runs a
// small network.
#include <weft/weft.h>

#include <cstdio>

namespace {

// Uses ops of headers that weft.h names one by one.
bool statistics_agree() {
  const weft::Tensor edges = weft::linspace(-4.0, 4.0, 9);
  const weft::Tensor x = weft::round_to(weft::random::normal(weft::random::Key(0), {3, 400}), 2);
  const weft::Histogram equal_bins = weft::histogram(x, 8, weft::tensor({-4.0, 4.0}));
  const weft::Histogram same_bins = weft::histogram(x, edges, weft::ones({3, 400}));
  const weft::Tensor density = weft::histogram(x, edges, {}, /*density=*/true).counts;
  const weft::Tensor is_near = weft::allclose(weft::sum(density), 1.0);
  const weft::Tensor is_equal = weft::array_equal(equal_bins.counts, same_bins.counts);
  const weft::Tensor spread = weft::cov(weft::linalg::multi_dot(weft::inputs(weft::eye(3), x)));
  return is_near.item() != 0 && is_equal.item() != 0 && spread.shape()[0] == weft::Dim(3) &&
         weft::tril_indices(3)[0].numel() == 6 && weft::nanmedian(x).item() < 1 &&
         weft::min(weft::random::lognormal(weft::random::Key(1), {9})).item() > 0;
}

// Sequences and pools in C++: a state stays within tanh, and pooling twice is pooling once.
bool networks_run() {
  const weft::Tensor x = weft::random::normal(weft::random::Key(2), {5, 2, 3});
  const weft::Tensor state = weft::zeros({1, 2, 4});
  const weft::Tensor w_ih = weft::ones({16, 3}) * 0.1, w_hh = weft::ones({16, 4}) * 0.1;
  weft::SequenceAttrs at;
  at.has_biases = false;
  const weft::Tensors out = weft::nn::lstm(x, state, state, weft::inputs(w_ih, w_hh), at);
  const weft::Tensors pooled = weft::nn::max_pool1d_with_indices(x, {.kernel_size = {3}});
  return out.size() == 3 && weft::max(weft::abs(out[0])).item() < 1 && pooled.size() == 2 &&
         weft::array_equal(pooled[0], weft::nn::adaptive_max_pool1d(x, {{1}, ""})[0]).item() != 0;
}

}  // namespace

int main() {
  const weft::Tensor x = weft::zeros({2, 3}) + 1.5;
  std::printf("%s\n", weft::to_string(x * x).c_str());
  return weft::sum(x).item() == 9 && statistics_agree() && networks_run() ? 0 : 1;
}
