// Plans: the same bits as eager, whatever shares memory, whoever runs them at once.
#include "weft/runtime/plan.h"

#include <gtest/gtest.h>

#include <thread>

#include "weft/base/error.h"
#include "weft/base/thread_pool.h"
#include "weft/control/control.h"
#include "weft/core/allocator.h"
#include "weft/core/native.h"
#include "weft/op/observe.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/session.h"
#include "weft/runtime/traced.h"
#include "weft/weft.h"

namespace weft {
namespace {

Tensor draw(uint64_t seed, const Shape& shape) { return random::normal(random::Key(seed), shape); }

std::vector<std::byte> bytes_of(const Tensor& t) {
  const Tensor packed = Tensor::empty(t.dtype(), t.shape());
  native::copy(packed, t);
  const auto* const data = static_cast<const std::byte*>(packed.data());
  return {data, data + packed.numel() * size_of(packed.dtype())};
}

void expect_same(TensorSpan have, TensorSpan want, int round) {
  ASSERT_EQ(have.size(), want.size());
  for (size_t k = 0; k < want.size(); ++k) {
    EXPECT_EQ(have[k].type(), want[k].type());
    EXPECT_EQ(bytes_of(have[k]), bytes_of(want[k])) << "result " << k << ", round " << round;
  }
}

// A body traced and run twice gives the bits of the body run eagerly, and so it does observed.
template <class Body>
void expect_same_bits(const Body& body, const Tensors& in) {
  TracedFunction f({.name = "f"});
  const Tensors want = body(TensorSpan(in));
  for (int round = 0; round < 2; ++round) {
    expect_same(f(body, in, "", Where::here()), want, round);
  }
  const Observe observed([](const Observation&) {});
  expect_same(f(body, in, "", Where::here()), want, 2);
}

Tensor network(TensorSpan in, size_t count) {
  Tensor x = in[0];
  for (size_t i = 0; i < count; ++i) {
    x = matmul(x, in[1 + 2 * i]) + in[2 + 2 * i];
    if (i + 1 < count) x = relu(x);
  }
  return x;
}

Tensors network_step(TensorSpan in) {
  const auto loss = [&](TensorSpan w) {
    Tensors all{in[0]};
    for (const Tensor& t : w) all.push_back(t);
    return Tensors{nn::cross_entropy(network(all, 2), in[1])};
  };
  const TensorSpan weights = in.subspan(2);
  const Linearization linear(loss, weights, Where::here());
  const Tensors slopes = linear.pull(inputs(ones({})), true);
  Tensors out{linear.outputs()[0]};
  for (size_t i = 0; i < weights.size(); ++i) out.push_back(weights[i] - slopes[i] * 0.1);
  return out;
}
Tensors network_arguments(int64_t batch) {
  return {draw(1, {batch, 20}), cast(floor(rand({batch}) * 5.0), DType::kI64),
          draw(2, {20, 13}),    draw(3, {13}),
          draw(4, {13, 5}),     draw(5, {5})};
}

TEST(Plan, a_network_gives_the_bits_of_eager) {
  expect_same_bits([](TensorSpan in) { return Tensors{network(in, 3)}; },
                   {draw(1, {3, 4}), draw(2, {4, 16}), draw(3, {16}), draw(4, {16, 16}),
                    draw(5, {16}), draw(6, {16, 2}), draw(7, {2})});
  expect_same_bits(network_step, network_arguments(7));
  expect_same_bits(network_step, network_arguments(300));
}

TEST(Plan, views_of_everything) {
  const Tensor x = draw(1, {6, 4}), y = draw(2, {4, 6});
  expect_same_bits(
      [](TensorSpan in) {
        const Tensor a = in[0] * 2.0, t = permute_dims(a, {1, 0});
        return Tensors{t,  // a view of what is computed
                       reshape(t, {24}),
                       permute_dims(in[0], {1, 0}),
                       in[1],
                       exp(t) + in[1],
                       sum(reshape(a, {2, 12}), Ints{1}),
                       t,
                       matmul(t, a),
                       broadcast_to(sum(a), {3, 3}),
                       flip(a, Ints{0}) + a};
      },
      {x, y});
  // Arguments that are strided themselves.
  expect_same_bits(
      [](TensorSpan in) {
        return Tensors{exp(in[0]) + in[1], matmul(in[1], permute_dims(in[0] + 0.5, {1, 0})),
                       reshape(in[0], {24})};
      },
      {permute_dims(y, {1, 0}), x});
  expect_same_bits([](TensorSpan in) { return Tensors{in[0] + 1.0, sum(in[0])}; },
                   {broadcast_to(Tensor(2.0f) * 1.0, {5, 5})});
}

TEST(Plan, memory_taken_over_is_not_read_again) {
  expect_same_bits(
      [](TensorSpan in) {
        const Tensor a = exp(in[0]), b = a * a, c = b + permute_dims(b, {1, 0}), d = tanh(c);
        const Tensor e = d - sum(d), g = e * e + e;
        return Tensors{sum(g * c), g};
      },
      {draw(3, {9, 9})});
}

TEST(Plan, sizes_of_nothing_and_one) {
  const auto body = [](TensorSpan in) {
    return Tensors{exp(in[0]) * 2.0, sum(in[0]), matmul(in[0], permute_dims(in[0], {1, 0}))};
  };
  expect_same_bits(body, {draw(1, {0, 3})});
  expect_same_bits(body, {draw(1, {1, 1})});
  expect_same_bits(body, {draw(1, {200, 70})});
}

// A loop with a general op in its body, whose carry passes through unchanged, and its gradients.
Tensors scan_and_slopes(TensorSpan in) {
  const auto run = [](TensorSpan all) {
    const ScanResult out = scan_flat(
        [&](TensorSpan s) {
          const Tensor next = tanh(matmul(s[0], all[2]) + s[2]);
          return Tensors{next, s[1], softmax(next) * sum(s[1]), s[2], permute_dims(next, {1, 0})};
        },
        inputs(all[0], all[1]), inputs(all[3]), {}, Where::here());
    Tensor total = sum(out.carry[0]) + sum(out.carry[1]);
    for (const Tensor& t : out.rows) total = total + sum(t * t);
    return Tensors{total};
  };
  const Linearization linear(run, in, Where::here());
  Tensors out(linear.pull(inputs(ones({})), true));
  out.push_back(linear.outputs()[0]);
  return out;
}

Tensors while_and_slopes(TensorSpan in) {
  const auto run = [&](TensorSpan all) {
    const Tensors out = while_flat(
        [&](TensorSpan s) { return Tensors{s[0] < 7}; },
        [&](TensorSpan s) { return Tensors{s[0] + 1, tanh(matmul(s[1], all[1])) + s[2], s[1]}; },
        inputs(Tensor::scalar(DType::kI64, 0), all[0], all[0] * 2.0),
        {.max_saved_bytes = in.size() > 2 ? int64_t{64} : int64_t{1} << 20}, Where::here());
    return Tensors{sum(out[1] * out[2])};
  };
  const Linearization linear(run, in.first(2), Where::here());
  Tensors out(linear.pull(inputs(ones({})), true));
  out.push_back(linear.outputs()[0]);
  return out;
}

TEST(Plan, loops_give_the_bits_of_eager) {
  expect_same_bits(scan_and_slopes,
                   {draw(1, {2, 3}), draw(2, {4}), draw(3, {3, 3}), draw(4, {6, 2, 3})});
  expect_same_bits(while_and_slopes, {draw(1, {2, 3}), draw(2, {3, 3})});
  // With little room only some of the steps are kept, and the others are computed again.
  expect_same_bits(while_and_slopes, {draw(1, {2, 3}), draw(2, {3, 3}), draw(3, {1})});
}

// What a scan carries last and its rows are of one type here: neither lands in the other's slot.
TEST(Plan, results_of_one_type_keep_apart) {
  expect_same_bits(
      [](TensorSpan in) {
        const auto step = [](TensorSpan s) { return Tensors{s[0] * 2.0, sum(s[0]) + s[1]}; };
        const ScanResult out = scan_flat(step, inputs(in[0]), inputs(in[1]), {}, Where::here());
        return Tensors{out.carry[0] + 1.0, out.rows[0] * 3.0};
      },
      {draw(1, {3}), draw(2, {3})});
}

// The number that a branch is folded to stays as it is in every call.
TEST(Plan, folded_branches_keep_their_value) {
  const Tensor numbers = tensor({0.5f, 2.0f, -0.25f});
  expect_same_bits(
      [&](TensorSpan in) {
        const Tensor chosen = cond_flat(
            sum(in[0]) > -1e9, [&](TensorSpan) { return Tensors{sum(numbers)}; },
            [&](TensorSpan) { return Tensors{sum(numbers) * 2.0}; }, {}, Where::here())[0];
        return Tensors{in[0] + chosen};
      },
      {draw(1, {3})});
}

// A constant that is too large to be computed with has views all the same.
TEST(Plan, views_of_large_constants) {
  const Tensor numbers = draw(1, {100, 120}), x = draw(2, {10, 1, 12, 1});
  const Graph graph;
  Tensor place, product;
  {
    const Graph::Scope scope(graph);
    place = graph.placeholder(DType::kF32, Shape(x.shape()), "x");
    product = place * reshape(numbers, {10, 10, 12, 10});
  }
  const Feed feeds[] = {{place, x}};
  const Tensors want{x * reshape(numbers, {10, 10, 12, 10})};
  expect_same(Session(graph).run(inputs(product), feeds), want, 0);
}

TEST(Plan, stops_when_the_user_asks) {
  TracedFunction f({.name = "f"});
  const auto body = [](TensorSpan in) { return Tensors{exp(in[0]) + sum(in[0])}; };
  const Tensor x = draw(1, {5});
  const Tensors want = f(body, inputs(x), "", Where::here());
  set_interrupt_poll([] { return true; });
  try {
    f(body, inputs(x), "", Where::here());
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code, Code::kInterrupted);
  }
  set_interrupt_poll(nullptr);
  expect_same(f(body, inputs(x), "", Where::here()), want, 0);
}

TEST(Plan, values_decide_sizes) {
  expect_same_bits(
      [](TensorSpan in) {
        const Tensor found = nonzero(in[0])[0];
        return Tensors{found, found * 2, sum(found) + 1, in[0] * 2.0};
      },
      {tensor({1.0f, 0.0f, 3.0f, 0.0f, 5.0f})});
}

TEST(Plan, what_variables_keep_stays) {
  const Graph graph;
  const Variable v(tensor({1.0f, 2.0f})), u(tensor({0.0f, 0.0f}));
  Tensor x, y, store, through;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {2}, "x");
    v.assign(x * 2.0);
    y = v.read() + 1.0;
    u.assign(y);
    through = exp(y) * exp(x);
  }
  const Session session(graph);
  std::vector<Operation> effects;
  for (ir::NodeId id = 0; id < graph.staging().graph().nodes().size(); ++id) {
    if (graph.staging().graph().node(id).op->effect == Effect::kWrites) effects.push_back({id});
  }
  const Tensor a = tensor({1.0f, 2.0f}), b = tensor({5.0f, 7.0f});
  const Feed feeds[] = {{x, a}};
  session.run(inputs(y, through), feeds, effects);
  const Tensor held = v.value(), also = u.value();
  const Feed others[] = {{x, b}};
  session.run(inputs(y, through), others, effects);
  EXPECT_EQ(held.to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(also.to_vector<float>(), (std::vector<float>{3, 5}));
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{10, 14}));
  EXPECT_EQ(u.value().to_vector<float>(), (std::vector<float>{11, 15}));
}

TEST(Plan, errors_name_the_line_and_pass) {
  TracedFunction f({.name = "f"});
  const auto body = [](TensorSpan in) { return Tensors{take(exp(in[0]), in[1], 0)}; };
  const Tensor x = draw(1, {5}), good = tensor({1, 4}), bad = tensor({1, 7});
  const Tensors want = f(body, inputs(x, good), "", Where::here());
  try {
    f(body, inputs(x, bad), "", Where::here());
    FAIL();
  } catch (const Error& error) {
    ASSERT_FALSE(error.notes.empty());
    EXPECT_NE(error.notes.back().find("plan_test.cc"), std::string::npos) << error.notes.back();
  }
  const Tensors again = f(body, inputs(x, good), "", Where::here());
  EXPECT_EQ(bytes_of(again[0]), bytes_of(want[0]));
}

TEST(Plan, what_looks_at_contents_runs_each_time) {
  TracedFunction f({.name = "f"});
  const auto body = [](TensorSpan in) { return Tensors{nn::cross_entropy(in[0], in[1])}; };
  const Tensor x = draw(1, {2, 5}), good = tensor({1, 4}), bad = tensor({1, 7});
  f(body, inputs(x, good), "", Where::here());
  EXPECT_THROW(f(body, inputs(x, bad), "", Where::here()), Error);
  f(body, inputs(x, good), "", Where::here());
}

TEST(Plan, observers_see_every_op) {
  TracedFunction f({.name = "f"});
  const auto body = [](TensorSpan in) { return Tensors{exp(in[0]) * in[0]}; };
  const Tensor x = draw(1, {5});
  const Tensors want = f(body, inputs(x), "", Where::here());
  std::vector<std::string> seen;
  {
    const Observe all([&](const Observation& one) { seen.emplace_back(one.op.name); });
    f(body, inputs(x), "", Where::here());
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"exp", "multiply", "call"}));
}

TEST(Plan, many_threads_run_one_function) {
  TracedFunction f({.name = "f"});
  const Tensors in = network_arguments(6), other = network_arguments(9);
  const auto step = [](TensorSpan all) { return network_step(all); };
  const Tensors want = f(step, in, "", Where::here()), wanted = f(step, other, "", Where::here());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const bool first = (i + t) % 3 != 0;
        const Tensors have = f(step, first ? in : other, "", Where::here());
        for (size_t k = 0; k < have.size(); ++k) {
          wrong += bytes_of(have[k]) != bytes_of((first ? want : wanted)[k]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Plan, memory_stays_flat) {
  TracedFunction f({.name = "f"});
  const auto call = [&](int64_t batch) {
    Tensors in{draw(1, {batch, 8}), draw(2, {8, 8}), draw(3, {8})};
    f([](TensorSpan all) { return Tensors{network(all, 1)}; }, in, "", Where::here());
  };
  uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  int64_t after_first = 0;
  for (int i = 0; i < 20000; ++i) {
    call(2 + static_cast<int64_t>(next() >> 33) % 500);
    if (i == 1000) after_first = memory_stats().live + memory_stats().cached;
  }
  const int64_t now = memory_stats().live + memory_stats().cached;
  EXPECT_LE(static_cast<double>(now), 1.05 * static_cast<double>(after_first));
  EXPECT_EQ(f.trace_count(), 1u);
}

}  // namespace
}  // namespace weft
