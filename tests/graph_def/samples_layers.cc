// Layers whose ops TensorFlow lacks: recurrent ones, attention, losses; and gradients of them.
#include "tests/graph_def/samples.h"
#include "weft/op/apply.h"
#include "weft/weft.h"

namespace weft::graph_def_samples {
namespace {

Tensor normal(uint64_t seed, const Shape& shape) {
  return random::normal(random::Key(seed), shape);
}

}  // namespace

void add_layers(std::vector<Sample>& out) {
  const Tensor x = normal(51, {4, 2, 12}), h = normal(52, {2, 3}), mask = normal(53, {4, 2, 1});
  out.push_back({"recurrent",
                 {x, normal(54, {12, 3}), h, normal(55, {2, 3}), mask > 0.0, normal(56, {4, 2, 9}),
                  normal(57, {9, 3}), normal(58, {3})},
                 [](TensorSpan in) {
                   const Where here = Where::here();
                   Tensors all = apply_all(kLstmScan, inputs(in[0], in[1], in[2], in[3], in[4]),
                                           kNoAttrs, here);
                   for (const Tensor& t :
                        apply_all(kGruScan, inputs(in[5], in[6], in[7], in[2]), kNoAttrs, here)) {
                     all.push_back(t);
                   }
                   return all;
                 }});
  out.push_back({"attention",
                 {normal(59, {2, 3, 5, 4}), normal(60, {2, 3, 6, 4}), normal(61, {2, 3, 6, 4})},
                 [](TensorSpan in) {
                   return Tensors{nn::scaled_dot_product_attention(in[0], in[1], in[2])};
                 }});
  out.push_back({"cross_entropy", {normal(62, {4, 5}), tensor({1, 0, 4, 2})}, [](TensorSpan in) {
                   const auto f = [&](TensorSpan x) {
                     return Tensors{nn::cross_entropy(x[0], in[1])};
                   };
                   const ValueAndGrad out =
                       value_and_grad_flat(f, in.first(1), Unconnected::kRaise, Where::here());
                   return Tensors{out.value, out.gradients[0]};
                 }});
  out.push_back({"convolution_gradient",
                 {normal(63, {2, 3, 6, 7}), normal(64, {4, 3, 3, 3})},
                 [](TensorSpan in) {
                   const auto f = [](TensorSpan x) {
                     ConvCallAttrs at;
                     at.padding = {1, 1};
                     return Tensors{mean(square(nn::conv2d(x[0], x[1], Tensor(), at)))};
                   };
                   return value_and_grad_flat(f, in, Unconnected::kRaise, Where::here()).gradients;
                 }});
}

}  // namespace weft::graph_def_samples
