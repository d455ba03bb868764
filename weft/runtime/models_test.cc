// Plans of whole training steps: the bits of eager, and arenas near the least that is possible.
#include <gtest/gtest.h>

#include <algorithm>

#include "weft/ops/nn/conv_call.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/frame.h"
#include "weft/runtime/profile.h"
#include "weft/trace/trace.h"
#include "weft/weft.h"

namespace weft {
namespace {

Tensor draw(uint64_t seed, const Shape& shape) {
  return random::normal(random::Key(seed), shape) * 0.2;
}

// A loss, its gradients, and the weights after a step; the first input is the data.
template <class Loss>
auto step_of(const Loss& loss) {
  return [loss](TensorSpan in) {
    const auto f = [&](TensorSpan weights) { return Tensors{loss(in[0], weights)}; };
    const TensorSpan weights = in.subspan(1);
    const Linearization linear(f, weights, Where::here());
    const Tensors slopes = linear.pull(inputs(ones({})), true);
    Tensors out{linear.outputs()[0]};
    for (size_t i = 0; i < weights.size(); ++i) out.push_back(weights[i] - slopes[i] * 0.1);
    return out;
  };
}

Tensor network(const Tensor& x, TensorSpan w) {
  Tensor h = x;
  for (size_t i = 0; i + 1 < w.size(); i += 2) h = relu(matmul(h, w[i]) + w[i + 1]);
  return mean(h * h);
}

Tensor conv_network(const Tensor& x, TensorSpan w) {
  ConvCallAttrs padded, strided;
  padded.padding = strided.padding = {1};
  strided.stride = {2};
  const Tensor a = relu(nn::conv2d(x, w[0], w[1], padded));
  const Tensor b = relu(nn::conv2d(a, w[2], w[3], strided));
  const Tensor c = reshape(b, Shape{b.shape()[0], num_elements(b.shape().subspan(1))});
  return mean(square(matmul(c, w[4])));
}

Tensor transformer(const Tensor& x, TensorSpan w) {
  Tensor h = x;
  for (int layer = 0; layer < 3; ++layer) {
    const Tensor n = nn::layer_norm(h, w[0], w[1]);
    const Tensor q = matmul(n, w[2]), k = matmul(n, w[3]), v = matmul(n, w[4]);
    const Tensor scores = softmax(matmul(q, permute_dims(k, {0, 2, 1})) * 0.25);
    h = h + matmul(matmul(scores, v), w[5]);
    h = h + matmul(gelu(matmul(nn::layer_norm(h, w[0], w[1]), w[6])), w[7]);
  }
  return mean(h * h);
}

template <class Step>
void expect_good_plan(const Step& step, const Tensors& in) {
  std::vector<Parameter> parameters;
  for (const Tensor& t : in) parameters.push_back({t.type(), "x", {}});
  const Trace trace = trace_flat(step, parameters, {.stands_alone = true});
  const Tensors want = step(TensorSpan(in));
  for (const bool optimizes : {false, true}) {
    const Executable executable(*trace.function, optimizes);
    const Shared<const Plan> plan = executable.plan_for(in);
    const auto arena = static_cast<double>(plan->arena.bytes);
    EXPECT_LE(arena, 1.10 * static_cast<double>(plan->arena.lower_bound));
    for (int round = 0; round < 2; ++round) {
      const Tensors have = executable.run(in);
      ASSERT_EQ(have.size(), want.size());
      for (size_t k = 0; k < want.size(); ++k) {
        EXPECT_EQ(have[k].to_vector<float>(), want[k].to_vector<float>()) << k;
      }
    }
  }
}

TEST(Models, a_network_of_layers) {
  expect_good_plan(step_of(network),
                   {draw(1, {32, 100}), draw(2, {100, 64}), draw(3, {64}), draw(4, {64, 32}),
                    draw(5, {32}), draw(6, {32, 10}), draw(7, {10})});
}

TEST(Models, a_network_of_convolutions) {
  expect_good_plan(step_of(conv_network),
                   {draw(1, {4, 3, 12, 12}), draw(2, {8, 3, 3, 3}), draw(3, {8}),
                    draw(4, {16, 8, 3, 3}), draw(5, {16}), draw(6, {576, 10})});
}

TEST(Models, a_transformer) {
  expect_good_plan(step_of(transformer), {draw(1, {2, 16, 24}), draw(2, {24}), draw(3, {24}),
                                          draw(4, {24, 24}), draw(5, {24, 24}), draw(6, {24, 24}),
                                          draw(7, {24, 24}), draw(8, {24, 96}), draw(9, {96, 24})});
}

TEST(Profile, tells_time_and_memory) {
  const Tensors in{draw(1, {8, 10}), draw(2, {10, 6}), draw(3, {6})};
  std::vector<Parameter> parameters;
  for (const Tensor& t : in) parameters.push_back({t.type(), "x", {}});
  const Trace trace = trace_flat(step_of(network), parameters, {.stands_alone = true});
  const Executable executable(*trace.function);
  const Profile seen = profile(executable, in);
  EXPECT_EQ(seen.instructions.size(), seen.plan->instructions.size());
  EXPECT_NE(seen.text().find("matmul"), std::string::npos) << seen.text();
  const std::string trace_text = chrome_trace(seen);
  EXPECT_NE(trace_text.find("\"name\": \"matmul\""), std::string::npos);
  EXPECT_NE(trace_text.find("models_test.cc"), std::string::npos);
  const std::string picture = draw_memory(*seen.plan);
  EXPECT_TRUE(picture.starts_with("<svg")) << picture;
  EXPECT_NE(picture.find("<rect x="), std::string::npos);
  const std::vector<int64_t> live = live_bytes(*seen.plan);
  EXPECT_EQ(*std::max_element(live.begin(), live.end()), seen.plan->arena.lower_bound);
}

}  // namespace
}  // namespace weft
