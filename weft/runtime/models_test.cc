// Plans of whole training steps: the bits of eager, and arenas near the least that is possible.
#include <gtest/gtest.h>

#include <algorithm>

#include "weft/compile/passes.h"
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
    const Tensor value = linear.outputs()[0];
    const Tensors slopes = linear.pull(inputs(ones_like(value)), true);
    Tensors out{value};
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

// Letters in the first row, those that follow them in the second: a loop over a time that only the
// run knows.
Tensor language_model(const Tensor& x, TensorSpan w) {
  const int64_t hidden = w[4].shape()[0].value();
  const auto step = [&](const std::pair<Tensor, Tensor>& state, const Tensor& letter) {
    const Tensor in = reshape(index(w[0], {letter}), {1, hidden});
    const Tensors next = nn::lstm_cell(in, state.first, state.second, w[1], w[2], w[3]);
    return std::pair{std::pair{next[0], next[1]}, index(matmul(next[0], w[4]), {0})};
  };
  const std::pair start{zeros({1, hidden}), zeros({1, hidden})};
  return nn::cross_entropy(scan(step, start, select_row(x, 0)).second, select_row(x, 1));
}

// The same model by the op for whole sequences, a batch of one.
Tensor language_model_by_layers(const Tensor& x, TensorSpan w) {
  const int64_t hidden = w[4].shape()[0].value();
  const Tensor in = expand_dims(nn::embedding(select_row(x, 0), w[0]), 1);
  const Tensor none = zeros({1, 1, hidden});
  const Tensor out = nn::lstm(in, none, none, inputs(w[1], w[2], w[3], w[3]))[0];
  return nn::cross_entropy(matmul(squeeze(out, Ints{1}), w[4]), select_row(x, 1));
}

// Images; all of them show a three.
Tensor le_net(const Tensor& x, TensorSpan w) {
  const auto pooled = [](const Tensor& t) { return nn::max_pool2d(t, {.kernel_size = {2}}); };
  Tensor h = pooled(relu(nn::conv2d(x, w[0], w[1], {.padding = {2}})));
  h = pooled(relu(nn::conv2d(h, w[2], w[3], {})));
  h = relu(matmul(reshape(h, {-1, 144}), w[4]) + w[5]);
  h = relu(matmul(h, w[6]) + w[7]);
  return nn::cross_entropy(matmul(h, w[8]) + w[9], full({x.shape()[0]}, 3, DType::kI64));
}

// Eccentricities of orbits, from where bodies are at given times: Newton's method solves Kepler's
// equation in as many steps as it needs, and is differentiated through.
Tensor newton(const Tensor& mean_anomaly, TensorSpan w) {
  const auto goes_on = [](const Tensor&, const Tensor& step) { return max(abs(step)) > 1e-12; };
  const auto improved = [&](const Tensor& angle, const Tensor&) {
    const Tensor error = angle - w[0] * sin(angle) - mean_anomaly;
    const Tensor slope = 1.0 - w[0] * cos(angle);
    const Tensor step = error / slope;
    return std::tuple{angle - step, step};
  };
  const std::tuple start{mean_anomaly + w[0], ones_like(mean_anomaly)};
  return mean(square(cos(std::get<0>(while_loop(goes_on, improved, start))) - w[1]));
}

// A step of a pendulum by Heun's method, as long as its speed allows: time, position, speed.
std::tuple<Tensor, Tensor, Tensor> advanced(const Tensor& time, const Tensor& position,
                                            const Tensor& speed, const Tensor& friction) {
  const Tensor wish = 0.05 + 0.1 * abs(stop_gradient(speed));
  const Tensor step = minimum(wish, 2.0 - time);
  const Tensor pull = -position - 2.0 * friction * speed;
  const Tensor next = position + step * speed;
  const Tensor faster = speed + step * pull;
  const Tensor later = -next - 2.0 * friction * faster;
  const Tensor moved = position + 0.5 * step * (speed + faster);
  return {time + step, moved, speed + 0.5 * step * (pull + later)};
}

// Where pendulums began, from where they are: written for one pendulum and vmapped.
Tensor ode(const Tensor& friction, TensorSpan w) {
  const auto solve = [](const Tensor& start, const Tensor& drag) {
    const auto goes_on = [](const Tensor& time, const Tensor&, const Tensor&) {
      return time < 2.0;
    };
    const auto advance = [&](const Tensor& time, const Tensor& position, const Tensor& speed) {
      return advanced(time, position, speed, drag);
    };
    const Tensor zero = zeros_like(start);
    return std::get<1>(while_loop(goes_on, advance, std::tuple(zero, start, zero)));
  };
  return mean(square(vmap(solve)(2.0 * tanh(w[0]), friction) - w[1]));
}

// What its loop runs, and runs backwards.
Tensor ode_step(const Tensor& friction, TensorSpan w) {
  const auto [time, position, speed] = advanced(w[0], w[1], w[2], friction);
  const Tensor square_speed = square(speed);
  return mean(square(position) + square_speed + time);
}

std::vector<TraceParameter> parameters_like(const Tensors& in) {
  std::vector<TraceParameter> out;
  for (size_t i = 0; i < in.size(); ++i) out.push_back({in[i].type(), text("x", i), {}});
  return out;
}

std::vector<double> numbers_of(const Tensor& t) { return cast(t, DType::kF64).to_vector<double>(); }

// The bits of eager, in an arena within 1.10 of what lives at once; passes leave a graph that means
// something, each of them.
template <class Step>
void expect_good_plan(const Step& step, const Tensors& in,
                      const std::vector<TraceParameter>& parameters,
                      const std::vector<DimBinding>& hints = {}) {
  const Trace trace = trace_flat(step, parameters, {.hints = hints, .stands_alone = true});
  EXPECT_NO_THROW(compile::optimize(*trace.function, {.verifies = true}));
  const Tensors want = step(TensorSpan(in));
  for (const bool optimizes : {false, true}) {
    const Executable executable(*trace.function, optimizes);
    const Shared<const RunPlan> plan = executable.plan_for(in);
    const auto arena = static_cast<double>(plan->arena.bytes);
    EXPECT_GT(plan->arena.lower_bound, 0);
    EXPECT_LE(arena, 1.10 * static_cast<double>(plan->arena.lower_bound));
    for (int round = 0; round < 2; ++round) {
      const Tensors have = executable.run(in);
      ASSERT_EQ(have.size(), want.size());
      for (size_t k = 0; k < want.size(); ++k) {
        EXPECT_EQ(numbers_of(have[k]), numbers_of(want[k])) << k;
      }
    }
  }
}

template <class Step>
void expect_good_plan(const Step& step, const Tensors& in) {
  expect_good_plan(step, in, parameters_like(in));
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

TEST(Models, le_net) {
  expect_good_plan(step_of(le_net),
                   {draw(1, {10, 1, 20, 20}), draw(2, {6, 1, 5, 5}), draw(3, {6}),
                    draw(4, {16, 6, 5, 5}), draw(5, {16}), draw(6, {144, 120}), draw(7, {120}),
                    draw(8, {120, 84}), draw(9, {84}), draw(10, {84, 10}), draw(11, {10})});
}

TEST(Models, a_language_model_of_any_length) {
  const Dim time = Dim::symbol("time");
  for (const auto& model : {language_model, language_model_by_layers}) {
    for (const int64_t length : {7, 40}) {
      const Tensor letters = random::randint(random::Key(1), 0, 28, {2, length});
      const Tensors in{letters,           draw(2, {28, 24}), draw(3, {96, 24}),
                       draw(4, {96, 24}), draw(5, {96}),     draw(6, {24, 28})};
      std::vector<TraceParameter> parameters = parameters_like(in);
      parameters[0].type.shape[1] = time;
      expect_good_plan(step_of(model), in, parameters, {{time, Dim(length)}});
    }
  }
}

TEST(Profile, tells_what_loops_and_branches_execute) {
  const auto f = [](TensorSpan in) {
    const Tensor start = in[0];
    const Tensor x = fori_loop(
        0, 5,
        [](const Tensor&, const Tensor& x) {
          return cond(
              sum(x) > 0.0, [](const Tensor& x) { return matmul(x, x); },
              [](const Tensor& x) { return tanh(x); }, x);
        },
        start);
    return Tensors{exp(x)};
  };
  const Tensors in{draw(1, {4, 4})};
  const Trace trace = trace_flat(f, parameters_like(in), {.stands_alone = true});
  const Executable executable(*trace.function);
  const Profile seen = profile(executable, in, 3);
  EXPECT_EQ(seen.instructions.size(), seen.plan->instructions.size());
  const auto row_of = [](const std::vector<InstructionTime>& rows, std::string_view op) {
    const auto found = std::ranges::find(rows, op, &InstructionTime::op);
    EXPECT_NE(found, rows.end()) << op;
    return found == rows.end() ? InstructionTime{} : *found;
  };
  const InstructionTime loop = row_of(seen.instructions, "scan");
  const InstructionTime branch = row_of(loop.inside, "switch");
  const InstructionTime product = row_of(branch.inside, "matmul");
  EXPECT_EQ(loop.count, 1);
  EXPECT_EQ(branch.count, 5);
  EXPECT_EQ(product.count, 5);
  EXPECT_LE(product.nanoseconds, branch.nanoseconds);
  EXPECT_LE(branch.nanoseconds, loop.nanoseconds);
  EXPECT_NE(seen.text().find("\n  switch                    5       "), std::string::npos)
      << seen.text();
  EXPECT_NE(seen.text().find("\n    matmul                  5       "), std::string::npos)
      << seen.text();
  EXPECT_NE(chrome_trace(seen).find("\"times\": 5"), std::string::npos);
}

TEST(Models, newton) {
  const Tensor e = random::uniform(random::Key(1), {100}, DType::kF64) * 0.9;
  const Tensor times = random::uniform(random::Key(2), {100}, DType::kF64) * 3.0;
  expect_good_plan(step_of(newton), {times, e, cos(times)});
}

TEST(Models, ode) {
  const Tensor friction = random::uniform(random::Key(1), {100}, DType::kF64) * 0.9;
  const Tensor start = random::uniform(random::Key(2), {100}, DType::kF64) + 0.5;
  expect_good_plan(step_of(ode), {friction, start, start * 0.1});
  expect_good_plan(step_of(ode_step), {friction, start * 0.3, start, start * 0.1});
}

TEST(Profile, tells_time_and_memory) {
  const Tensors in{draw(1, {8, 10}), draw(2, {10, 6}), draw(3, {6})};
  const Trace trace = trace_flat(step_of(network), parameters_like(in), {.stands_alone = true});
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
