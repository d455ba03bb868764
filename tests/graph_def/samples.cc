// One sample for each family of ops, a network, and its gradients.
#include "tests/graph_def/samples.h"

#include "weft/ops/nn/conv_call.h"
#include "weft/ops/pool/pool.h"
#include "weft/runtime/graph.h"
#include "weft/weft.h"

namespace weft::graph_def_samples {
namespace {

Tensor normal(uint64_t seed, const Shape& shape) {
  return random::normal(random::Key(seed), shape);
}
Tensor positive(uint64_t seed, const Shape& shape) { return abs(normal(seed, shape)) + 0.1; }

void add_math(std::vector<Sample>& out) {
  const Tensor a = normal(1, {3, 4}), b = normal(2, {4}), p = positive(3, {3, 4});
  out.push_back(
      {"arithmetic", {a, b}, [](TensorSpan x) {
         return Tensors{
             x[0] + x[1],           x[0] - x[1],         x[0] * x[1], x[0] / x[1],
             maximum(x[0], x[1]),   minimum(x[0], x[1]), -x[0],       floor_divide(x[0], x[1]),
             remainder(x[0], x[1]), atan2(x[0], x[1])};
       }});
  out.push_back({"functions", {a, p}, [](TensorSpan x) {
                   return Tensors{exp(x[0]),   expm1(x[0]),     log(x[1]),        log1p(x[1]),
                                  log2(x[1]),  log10(x[1]),     exp2(x[0]),       sqrt(x[1]),
                                  rsqrt(x[1]), square(x[0]),    reciprocal(x[1]), abs(x[0]),
                                  sign(x[0]),  pow(x[1], x[0]), sin(x[0]),        cos(x[0]),
                                  tan(x[0]),   tanh(x[0]),      sinh(x[0]),       cosh(x[0]),
                                  asinh(x[0]), atan(x[0]),      sigmoid(x[0]),    floor(x[0]),
                                  ceil(x[0]),  round(x[0]),     trunc(x[0] * 3.0)};
                 }});
  out.push_back({"comparisons", {a, b}, [](TensorSpan x) {
                   const Tensor less = x[0] < x[1], more = x[0] >= 0.0;
                   return Tensors{less,
                                  more,
                                  logical_and(less, more),
                                  logical_or(less, more),
                                  logical_xor(less, more),
                                  logical_not(less),
                                  where(less, x[0], x[1]),
                                  cast(x[0] * 10.0, DType::kI32),
                                  cast(less, DType::kF32),
                                  clip(x[0], -0.5, 0.5)};
                 }});
  out.push_back({"activations", {a * 2.0}, [](TensorSpan x) {
                   return Tensors{relu(x[0]),
                                  gelu(x[0]),
                                  nn::silu(x[0]),
                                  nn::elu(x[0]),
                                  nn::leaky_relu(x[0]),
                                  nn::softplus(x[0]),
                                  nn::mish(x[0]),
                                  nn::hardswish(x[0]),
                                  nn::hardsigmoid(x[0]),
                                  nn::relu6(x[0]),
                                  nn::selu(x[0]),
                                  nn::softsign(x[0]),
                                  nn::log_sigmoid(x[0]),
                                  softmax(x[0]),
                                  log_softmax(x[0]),
                                  softmax(x[0], 0)};
                 }});
  out.push_back({"half", {cast(a, DType::kF16), cast(a, DType::kBF16)}, [](TensorSpan x) {
                   return Tensors{cast(x[0] * x[0], DType::kF32),
                                  cast(nn::silu(x[1]), DType::kF32)};
                 }});
}

void add_shapes(std::vector<Sample>& out) {
  const Tensor x = normal(4, {2, 3, 4});
  out.push_back({"reductions", {x}, [](TensorSpan in) {
                   const Tensor& x = in[0];
                   return Tensors{sum(x),
                                  sum(x, Ints{1}),
                                  sum(x, Ints{0, 2}, true),
                                  mean(x),
                                  mean(x, Ints{-1}),
                                  max(x, Ints{1}),
                                  min(x),
                                  prod(x, Ints{2}),
                                  all(x > -9.0),
                                  any(x > 1.0, Ints{0}),
                                  argmax(x, 1),
                                  argmin(x),
                                  argmax(x, -1, true),
                                  var(x, Ints{1}),
                                  logsumexp(x, Ints{-1}),
                                  cumulative_sum(x, 1)};
                 }});
  out.push_back({"shapes", {x}, [](TensorSpan in) {
                   const Tensor& x = in[0];
                   const Tensors parts = split(x, Ints{1, 2}, 1);
                   return Tensors{reshape(x, {6, 4}),
                                  permute_dims(x, Ints{2, 0, 1}),
                                  expand_dims(x, 1),
                                  squeeze(sum(x, Ints{1}, true), Ints{1}),
                                  concat(inputs(x, x), 1),
                                  stack(inputs(x, x), -1),
                                  parts[0],
                                  parts[1],
                                  flip(x, Ints{1}),
                                  broadcast_to(x, {5, 2, 3, 4})};
                 }});
  out.push_back({"indexing", {x, tensor({2, 0, 1, 1})}, [](TensorSpan in) {
                   using Kind = IndexItem::Kind;
                   const Index index{{Kind::kRange, {}, {}, -1},
                                     {Kind::kInteger, -1, {}, 1},
                                     {Kind::kNewAxis, {}, {}, 1},
                                     {Kind::kRange, 1, 4, 2}};
                   return Tensors{slice(in[0], index), take(in[0], in[1], 1), one_hot(in[1], 4)};
                 }});
}

void add_networks(std::vector<Sample>& out) {
  out.push_back({"matmul",
                 {normal(5, {3, 4}), normal(6, {4, 5}), normal(7, {2, 3, 4}), normal(8, {4})},
                 [](TensorSpan x) {
                   return Tensors{matmul(x[0], x[1]), matmul(x[2], x[1]), matmul(x[0], x[3]),
                                  matmul(x[3], x[1]), matmul(x[3], x[3])};
                 }});
  out.push_back({"convolution",
                 {normal(9, {2, 8, 9, 3}), normal(10, {4, 3, 3, 3}), normal(11, {2, 3, 8, 9})},
                 [](TensorSpan x) {
                   ConvCallAttrs nhwc, nchw;
                   nhwc.padding = {1, 1};
                   nhwc.stride = {2, 1};
                   nhwc.data_format = "NHWC";
                   nchw.padding = {0, 2};
                   nchw.dilation = {2, 1};
                   MaxPoolAttrs pool;
                   pool.kernel_size = {3, 2};
                   pool.stride = {2, 2};
                   pool.padding = {1, 0};
                   pool.data_format = "NHWC";
                   AvgPoolAttrs mean;
                   mean.kernel_size = {2, 2};
                   const Tensor none;
                   return Tensors{nn::conv2d(x[0], x[1], none, nhwc),
                                  nn::conv2d(x[2], x[1], none, nchw), nn::max_pool2d(x[0], pool),
                                  nn::avg_pool2d(x[2], mean)};
                 }});
  const auto network = [](TensorSpan x) {
    const Tensor hidden = tanh(matmul(x[0], x[1]) + x[2]);
    const Tensor logits = nn::layer_norm(relu(hidden), ones({8}), zeros({8}));
    return mean(square(softmax(logits) - 0.1));
  };
  const Tensors in{normal(12, {4, 6}), normal(13, {6, 8}), normal(14, {8})};
  out.push_back({"network", in, [=](TensorSpan x) { return Tensors{network(x)}; }});
  out.push_back({"gradients", in, [](TensorSpan x) {
                   const auto f = [](TensorSpan y) {
                     const Tensor h = tanh(matmul(y[0], y[1]) + y[2]);
                     const Tensor gated = gelu(relu(h) * sigmoid(h));
                     return Tensors{mean(square(softmax(gated) - 0.1))};
                   };
                   const ValueAndGrad out =
                       value_and_grad_flat(f, x, Unconnected::kRaise, Where::here());
                   Tensors all = out.gradients;
                   all.push_back(out.value);
                   return all;
                 }});
  out.push_back({"symbolic",
                 {normal(15, {5, 3}), normal(16, {5, 3})},
                 [](TensorSpan x) {
                   const Dim n = x[0].dim(0);
                   return Tensors{reshape(x[0], {n * 3}),
                                  broadcast_to(sum(x[1], Ints{0}), {n, 3}) + x[0],
                                  mean(x[0], Ints{1})};
                 },
                 true});
}

}  // namespace

std::vector<Sample> all() {
  std::vector<Sample> out;
  add_math(out);
  add_shapes(out);
  add_networks(out);
  add_control(out);
  add_order(out);
  add_layers(out);
  return out;
}

}  // namespace weft::graph_def_samples
