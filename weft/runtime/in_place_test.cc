// Variables written in place by functions and sessions: the bits of eager code, other holders keep
// what they have, and nothing is left half done.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "weft/base/thread_pool.h"
#include "weft/core/allocator.h"
#include "weft/runtime/executable.h"
#include "weft/runtime/plan.h"
#include "weft/state/state.h"
#include "weft/weft.h"

namespace weft {
namespace {

enum class Mode { kEager, kFunction, kSession };
constexpr Mode kModes[] = {Mode::kEager, Mode::kFunction, Mode::kSession};

using Variables = std::vector<Variable>;
using Program = std::function<void(const Variables& v, const Tensor& x)>;

const void* memory_of(const Variable& v) { return v.value().data(); }

// Everything that assigns, as one operation.
Operation all_assignments(const Graph& graph) {
  std::vector<Operation> out;
  const ir::Graph& nodes = graph.staging().graph();
  for (ir::NodeId id = 0; id < nodes.nodes().size(); ++id) {
    if (nodes.node(id).op == &kAssignVariable) out.push_back({id});
  }
  return graph.group(out);
}

// A program that writes Variables, to be run in one of the modes.
class Step {
 public:
  Step(Mode mode, Variables variables, Program program, const Tensor& like)
      : mode_(mode), variables_(std::move(variables)), program_(std::move(program)) {
    if (mode == Mode::kFunction) {
      traced_.emplace(
          [this](const Tensor& x) {
            program_(variables_, x);
            return Tensor(0.0);
          },
          TracedOptions{});
    }
    if (mode != Mode::kSession) return;
    const Graph::Scope scope(graph_);
    x_ = graph_.placeholder(like.dtype(), Shape(like.shape()), "x");
    program_(variables_, x_);
    all_ = all_assignments(graph_);
  }
  void operator()(const Tensor& x) {
    const NoGrad off;
    switch (mode_) {
      case Mode::kEager: return program_(variables_, x);
      case Mode::kFunction: (*traced_)(x); return;
      case Mode::kSession: return session_.run(all_, {{x_, x}});
    }
  }

 private:
  const Mode mode_;
  const Variables variables_;
  const Program program_;
  std::optional<Traced<std::function<Tensor(const Tensor&)>>> traced_;
  const Graph graph_;
  const Session session_{graph_};
  Tensor x_;
  Operation all_;
};

std::vector<std::string> prints_of(const Variables& variables) {
  std::vector<std::string> out;
  for (const Variable& v : variables) out.push_back(fingerprint(v.value()));
  return out;
}

// Three steps in each mode: the same bits. Of the first Variable it says whether its memory stayed
// where it was in the last two (a graph keeps the values that it met first).
struct Found {
  bool stays_in_function = false, stays_in_session = false;
};
Found expect_same_bits(const std::function<Variables()>& make, const Program& program,
                       const Tensor& x = ones({64, 3})) {
  Found out;
  std::vector<std::string> eager;
  for (const Mode mode : kModes) {
    const Variables variables = make();
    Step step(mode, variables, program, x);
    step(x);
    const void* const before = memory_of(variables[0]);
    bool stays = true;
    for (int i = 0; i < 2; ++i) {
      step(x * 1.5);
      stays = stays && memory_of(variables[0]) == before;
    }
    if (mode == Mode::kEager) eager = prints_of(variables);
    EXPECT_EQ(prints_of(variables), eager) << static_cast<int>(mode);
    if (mode == Mode::kFunction) out.stays_in_function = stays;
    if (mode == Mode::kSession) out.stays_in_session = stays;
  }
  return out;
}

void expect_in_place(const std::function<Variables()>& make, const Program& program,
                     const Tensor& x = ones({64, 3})) {
  const Found found = expect_same_bits(make, program, x);
  EXPECT_TRUE(found.stays_in_function);
  EXPECT_TRUE(found.stays_in_session);
}

void expect_moved(const std::function<Variables()>& make, const Program& program,
                  const Tensor& x = ones({64, 3})) {
  const Found found = expect_same_bits(make, program, x);
  EXPECT_FALSE(found.stays_in_function);
  EXPECT_FALSE(found.stays_in_session);
}

Variable matrix(double scale = 1.0) {
  return Variable(reshape(arange(192.0), {64, 3}) * scale / 192.0);
}
Variables one() { return {matrix()}; }
Variables two() { return {matrix(), matrix(2.0)}; }

TEST(InPlace, sums) {
  expect_in_place(one, [](const Variables& v, const Tensor& x) { v[0].assign_add(x); });
  expect_in_place(one, [](const Variables& v, const Tensor& x) { v[0].assign_sub(x * 0.1); });
}

TEST(InPlace, formulas) {
  expect_in_place(one, [](const Variables& v, const Tensor& x) { v[0].assign(v[0] * 0.9 + x); });
  expect_in_place(one, [](const Variables& v, const Tensor& x) {
    v[0].assign(tanh(v[0].read() * v[0].read() - x) * v[0].read());
  });
}

TEST(InPlace, values_of_another_layout_and_dtype) {
  expect_in_place(one, [](const Variables& v, const Tensor& x) {
    v[0].assign(cast(cast(v[0], DType::kF64) * 0.3 + cast(x, DType::kF64), DType::kF32));
  });
  expect_in_place(one, [](const Variables& v, const Tensor& x) {
    v[0].assign(v[0] + index(x, {5}));  // a row for all rows
  });
  expect_in_place(one, [](const Variables& v, const Tensor& x) { v[0].assign(v[0] + sum(x)); });
}

// Its own elements are wanted elsewhere: they are not written before they were read.
TEST(InPlace, elements_that_are_read_elsewhere) {
  const auto square_one = [] { return Variables{Variable(reshape(arange(4096.0), {64, 64}))}; };
  const Tensor x = ones({64, 64}) / 64.0;
  expect_moved(
      square_one,
      [](const Variables& v, const Tensor& x) {
        v[0].assign(v[0] * x + permute_dims(v[0], {1, 0}));
      },
      x);
  expect_moved(
      square_one,
      [](const Variables& v, const Tensor& x) { v[0].assign(v[0] * x + index(v[0], {3})); }, x);
  expect_moved(
      square_one, [](const Variables& v, const Tensor& x) { v[0].assign(matmul(v[0], x)); }, x);
  expect_in_place(
      square_one, [](const Variables& v, const Tensor& x) { v[0].assign(matmul(v[0], x) * x); }, x);
}

TEST(InPlace, an_old_value_that_is_read_later) {
  expect_moved(two, [](const Variables& v, const Tensor& x) {
    const Tensor old = v[0].read();
    v[0].assign(old * 0.5 + x);
    v[1].assign(v[1] + old);
  });
}

TEST(InPlace, a_new_value_that_is_read_later) {
  expect_in_place(two, [](const Variables& v, const Tensor& x) {
    v[0].assign(v[0] * 0.5 + x);
    v[1].assign(v[1] * 0.9 + v[0] * 0.1);
  });
  expect_same_bits(one, [](const Variables& v, const Tensor& x) {
    v[0].assign(v[0] * 0.5 + x);
    v[0].assign(v[0] * 0.5 + x);
  });
}

TEST(InPlace, swapped) {
  expect_same_bits([] { return Variables{matrix(), matrix(2.0), matrix(3.0)}; },
                   [](const Variables& v, const Tensor& x) {
                     const Tensor a = v[0], b = v[1];
                     v[0].assign(b);
                     v[1].assign(a);
                     v[2].assign_add(x);
                   });
  expect_same_bits(two, [](const Variables& v, const Tensor& x) {
    const Tensor a = v[0], b = v[1];
    v[0].assign(b + x);
    v[1].assign(a + x);
  });
}

TEST(InPlace, one_value_for_two) {
  expect_same_bits(two, [](const Variables& v, const Tensor& x) {
    const Tensor sum = v[0] + v[1] * x;
    v[0].assign(sum);
    v[1].assign(sum);
  });
}

TEST(InPlace, two_of_one_value) {
  const auto tied = [] {
    const Variable a = matrix();
    return Variables{a, Variable(a.value())};
  };
  expect_same_bits(tied, [](const Variables& v, const Tensor& x) { v[0].assign(v[0] * 0.5 + x); });
  expect_same_bits(tied, [](const Variables& v, const Tensor& x) {
    v[0].assign(v[0] * 0.5 + v[1]);
    v[1].assign(v[1] * 0.25 + x);
  });
}

TEST(InPlace, values_that_are_broadcast) {
  expect_same_bits(one, [](const Variables& v, const Tensor& x) {
    v[0].assign(broadcast_to(sum(x * v[0], Ints{0}), {64, 3}));
  });
}

TEST(InPlace, what_branches_and_loops_give) {
  expect_in_place(one, [](const Variables& v, const Tensor& x) {
    const Tensor scale = cond(
        sum(x) > 250.0, [](const Tensor& t) { return sum(t); },
        [](const Tensor& t) { return sum(t * 2.0); }, x);
    v[0].assign_sub(x * scale);
  });
  expect_same_bits(two, [](const Variables& v, const Tensor& x) {
    cond(
        sum(x) > 250.0,
        [&](const Tensor& t) {
          v[0].assign_add(t);
          return t;
        },
        [&](const Tensor& t) {
          v[1].assign(v[1] * 0.5 + t);
          return t;
        },
        x);
  });
  expect_same_bits(one, [](const Variables& v, const Tensor& x) {
    fori_loop(
        0, 3,
        [&](const Tensor&, const Tensor& t) {
          v[0].assign(v[0] * 0.5 + t);
          return t;
        },
        x);
  });
}

TEST(InPlace, optimizers) {
  const auto make = [] {
    const Variable w = matrix(), b(ones({3}));
    return Variables{w, b};
  };
  for (const Mode mode : kModes) {
    const Variables v = make(), same = make();
    optim::AdamW adam(v, {.lr = 0.1}), eager(same, {.lr = 0.1});
    const auto update = [](optim::AdamW& optimizer, const Variables& p, const Tensor& x) {
      const Tensor slope = x * p[0];
      optimizer.apply_gradients(inputs(slope, sum(x, Ints{0})));
    };
    Step step(
        mode, v, [&](const Variables& p, const Tensor& x) { update(adam, p, x); }, ones({64, 3}));
    step(ones({64, 3}));
    update(eager, same, ones({64, 3}));
    const void* const before[] = {memory_of(v[0]), memory_of(v[1])};
    for (int i = 0; i < 3; ++i) {
      step(ones({64, 3}) * 2.0);
      update(eager, same, ones({64, 3}) * 2.0);
    }
    EXPECT_EQ(memory_of(v[0]), before[0]) << static_cast<int>(mode);
    EXPECT_EQ(memory_of(v[1]), before[1]) << static_cast<int>(mode);
    EXPECT_EQ(prints_of(v), prints_of(same)) << static_cast<int>(mode);
    EXPECT_EQ(fingerprint(adam.state_dict()), fingerprint(eager.state_dict()));
  }
}

// Whoever has the value, or a view of it, keeps it.
TEST(InPlace, others_keep_what_they_hold) {
  for (const Mode mode : {Mode::kFunction, Mode::kSession}) {
    const Variables v = one();
    Step step(
        mode, v, [](const Variables& p, const Tensor& x) { p[0].assign_sub(x * 0.1); },
        ones({64, 3}));
    const Tensor x = ones({64, 3});
    step(x);
    step(x);
    for (const bool is_view : {false, true}) {
      const Tensor held = is_view ? index(v[0].value(), {2}) : v[0].value();
      const std::string before = fingerprint(held);
      const void* const memory = memory_of(v[0]);
      step(x);
      EXPECT_NE(memory_of(v[0]), memory);
      step(x);
      EXPECT_EQ(fingerprint(held), before);
    }
  }
}

TEST(InPlace, fetched_values_stay) {
  const Variable w(full({64}, 1.0));
  const Graph graph;
  Tensor old, next;
  {
    const Graph::Scope scope(graph);
    old = w.read();
    next = graph.assign(w, old * 2.0);
  }
  const Session session(graph);
  const std::string plan = session.plan({next}).text();
  EXPECT_NE(plan.find("multiply %Multiply : f32[64] in fresh or in place"), std::string::npos)
      << plan;
  session.run({next});
  const Tensors first = session.run({old, next});
  const Tensors second = session.run({old, next});
  EXPECT_EQ(first[0].to_vector<float>()[63], 2.0f);
  EXPECT_EQ(first[1].to_vector<float>()[63], 4.0f);
  EXPECT_EQ(second[0].to_vector<float>()[63], 4.0f);
  EXPECT_EQ(second[1].to_vector<float>()[63], 8.0f);
}

// A feed in the place of a read, and one that is the Variable's own value.
TEST(InPlace, fed_values_stay) {
  const Variable w(full({64}, 1.0));
  const Graph graph;
  Tensor x, old, next;
  {
    const Graph::Scope scope(graph);
    x = graph.placeholder(DType::kF32, {64}, "x");
    old = w.read();
    next = graph.assign(w, old * 2.0 + x);
  }
  const Session session(graph);
  const Operation step = graph.operation_of(next);
  session.run(step, {{x, zeros({64})}});
  const Tensor held = w.value();
  session.run(step, {{x, held}});
  EXPECT_EQ(held.to_vector<float>()[0], 2.0f);
  EXPECT_EQ(w.value().to_vector<float>()[0], 6.0f);
  session.run(step, {{x, w.value()}});
  EXPECT_EQ(w.value().to_vector<float>()[0], 18.0f);
  session.run(step, {{x, zeros({64})}, {old, full({64}, 3.0)}});
  EXPECT_EQ(w.value().to_vector<float>()[0], 6.0f);
}

TEST(InPlace, a_function_that_fails_changes_nothing) {
  const Variable w(ones({4})), u(ones({4}));
  auto step = function([&](const Tensor& x, const Tensor& where) {
    w.assign_sub(x);
    u.assign(u * 0.5);
    return detach(take(w.read(), where, 0));  // of the new value
  });
  const NoGrad off;
  const Tensor x = ones({4});
  step(x, tensor({0, 3}));
  const std::vector<std::string> before = prints_of({w, u});
  EXPECT_THROW(step(x, tensor({0, 7})), Error);
  EXPECT_EQ(prints_of({w, u}), before);
  optim::SGD sgd({w}, {.lr = 0.5, .momentum = 0.9});
  auto update = function([&](const Tensor& x, const Tensor& where) {
    const Tensor loss = sgd.minimize([&] { return sum(w * x); });
    return take(w.read(), where, 0) + loss;
  });
  const auto state = fingerprint(sgd.state_dict());
  EXPECT_THROW(update(x, tensor({0, 7})), Error);
  EXPECT_EQ(prints_of({w, u}), before);
  EXPECT_EQ(fingerprint(sgd.state_dict()), state);
}

// What was assigned before the op that fails is assigned, the rest is as it was.
TEST(InPlace, a_session_that_fails_stops_there) {
  const Variable a(ones({64})), b(ones({64})), c(ones({64}));
  const Graph graph;
  Tensor i, last;
  {
    const Graph::Scope scope(graph);
    i = graph.placeholder(DType::kI64, {}, "i");
    Tensor next = graph.assign_add(a, ones({64}));
    const Tensor early = c.read() * 0.5;  // made before, stored behind
    const Graph::After first(graph, {graph.operation_of(next)});
    next = graph.assign(b, b * 2.0 + take(b.read(), i, 0));
    const Graph::After second(graph, {graph.operation_of(next)});
    last = graph.assign(c, early);
  }
  const Session session(graph);
  const auto run = [&](int64_t at) { session.run({last}, {{i, Tensor::scalar(DType::kI64, at)}}); };
  run(3);
  run(3);
  const std::vector<std::string> before = prints_of({b, c});
  EXPECT_THROW(run(64), Error);
  EXPECT_EQ(a.value().to_vector<float>()[5], 4.0f);
  EXPECT_EQ(prints_of({b, c}), before);
  run(3);
  EXPECT_EQ(b.value().to_vector<float>()[5], 27.0f);
  EXPECT_EQ(c.value().to_vector<float>()[5], 0.125f);
}

// Ctrl-C at any poll: all assignments that follow each other, or none.
std::atomic<int> polls_left{0};

TEST(InPlace, an_interrupt_leaves_no_half) {
  for (const Mode mode : {Mode::kFunction, Mode::kSession}) {
    const Variables v{Variable(zeros({300000})), Variable(zeros({300000}))};
    Step step(
        mode, v,
        [](const Variables& p, const Tensor& x) {
          const Tensor g = exp(x) * 0.0 + 1.0;
          p[0].assign_add(g);
          p[1].assign_add(g);
        },
        ones({300000}));
    const Tensor x = ones({300000});
    step(x);
    step(x);
    int interrupted = 0;
    for (int k = 0; k < 12; ++k) {
      polls_left = k;
      set_interrupt_poll([] { return polls_left.fetch_sub(1) <= 0; });
      try {
        step(x);
      } catch (const Error&) {
        ++interrupted;
      }
      set_interrupt_poll(nullptr);
      for (const Variable& one : v) {
        const std::vector<float> now = one.value().to_vector<float>();
        EXPECT_EQ(now.front(), v[0].value().to_vector<float>()[0]);
        EXPECT_EQ(now.front(), now.back());
      }
    }
    EXPECT_GT(interrupted, 0);
  }
}

// Three of eight megabytes do not fit behind each other: the step takes no more than it needs.
TEST(InPlace, peak_memory) {
  constexpr int64_t kCount = 2'000'000, kBytes = kCount * 4;
  for (const Mode mode : {Mode::kFunction, Mode::kSession}) {
    const Variables v{Variable(ones({kCount})), Variable(ones({kCount}))};
    Step step(
        mode, v,
        [](const Variables& p, const Tensor& x) {
          for (const Variable& one : p) one.assign_sub(one * x);
        },
        ones({}));
    const Tensor x = Tensor::scalar(DType::kF32, 0.5);
    step(x);
    step(x);
    const int64_t before = memory_stats().live;
    reset_peak_memory();
    step(x);
    const int64_t more = memory_stats().peak - before;
    EXPECT_LT(more, kBytes / 8) << static_cast<int>(mode);
  }
}

// What writes comes last, and what is made for it alone comes with it, one Variable after another.
TEST(InPlace, arena) {
  Variables v, momenta;
  for (int i = 0; i < 8; ++i) {
    v.push_back(Variable(arange(1000.0) * 1.0));
    momenta.push_back(Variable(arange(1000.0) * 0.5));
  }
  const auto program = [&](TensorSpan in) {
    for (size_t i = 0; i < v.size(); ++i) {
      momenta[i].assign(momenta[i] * 0.9 + in[0]);
      v[i].assign_sub(momenta[i] * 0.1);
    }
    return Tensors{sum(in[0])};
  };
  const TraceParameter parameter{Type{DType::kF32, {1000}}, "x"};
  const Trace trace = trace_flat(program, std::span(&parameter, 1));
  const NoGrad off;
  Tensors arguments{ones({1000}) * 2.0};
  for (const Tensor& t : trace.captured_values()) arguments.push_back(t);
  const Shared<const RunPlan> plan = executable_of(*trace.function).plan_for(arguments);
  ASSERT_EQ(plan->stretches.size(), 1u);
  EXPECT_EQ(plan->stretches[0].places.size(), 16u);
  EXPECT_EQ(plan->stretches[0].last, plan->instructions.size());
  EXPECT_LT(plan->arena.bytes, 3 * 4096);
}

// Where there is no memory for what others make necessary, nothing is written.
TEST(InPlace, no_memory) {
  constexpr int64_t kCount = 4'000'000;
  const Variables v{Variable(ones({kCount})), Variable(ones({kCount}))};
  Step step(
      Mode::kFunction, v,
      [](const Variables& p, const Tensor& x) {
        p[0].assign(p[0] * x);
        p[1].assign(p[1] * x);
      },
      ones({}));
  const Tensor x = Tensor::scalar(DType::kF32, 0.5);
  step(x);
  step(x);
  const Tensor held = v[1].value();
  const std::vector<std::string> before = prints_of(v);
  const int64_t limit = memory_limit();
  trim_memory();
  set_memory_limit(memory_stats().live + 1'000'000);
  EXPECT_THROW(step(x), Error);
  set_memory_limit(limit);
  EXPECT_EQ(prints_of(v), before);
  step(x);
  EXPECT_NE(prints_of(v), before);
  EXPECT_EQ(fingerprint(held), before[1]);
}

// Readers on other threads see whole values, whichever run they meet.
TEST(InPlace, readers_beside_writers) {
  constexpr int kRuns = 60;
  for (const Mode mode : {Mode::kFunction, Mode::kSession}) {
    const Variables v{Variable(zeros({50000})), Variable(zeros({50000}))};
    Step step(
        mode, v,
        [](const Variables& p, const Tensor& x) {
          p[0].assign_add(x);
          p[1].assign_sub(x);
        },
        ones({50000}));
    const Graph graph;
    Tensor spread;
    {
      const Graph::Scope scope(graph);
      spread = max(v[0]) - min(v[0]) + (max(v[1]) - min(v[1]));
    }
    const Tensor x = ones({50000});
    step(x);
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (int k = 0; k < 2; ++k) {
      threads.emplace_back([&, k] {
        const Session session(graph);
        const auto traced = function([&] { return max(v[0]) - min(v[0]); });
        const NoGrad off;
        while (!done.load()) {
          const Tensor held = v[k].value();
          const float first = held.to_vector<float>()[0];
          EXPECT_EQ(session.run({spread})[0].item(), 0.0);
          EXPECT_EQ(traced().item(), 0.0);
          const std::vector<float> now = held.to_vector<float>();
          EXPECT_EQ(now.front(), first);
          EXPECT_EQ(now.back(), first);
        }
      });
    }
    std::thread eager([&] {
      for (int i = 0; i < kRuns; ++i) v[0].assign_add(x);
    });
    for (int i = 0; i < kRuns; ++i) step(x);
    eager.join();
    done = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(v[1].value().to_vector<float>()[7], -1.0f - kRuns);
  }
}

// What a step gives beside is as the op made it, whatever later steps write.
TEST(InPlace, results_are_not_written_by_later_steps) {
  const Variable w(ones({3}));
  optim::SGD sgd({w}, {.lr = 0.5});
  auto step = function([&] {
    sgd.minimize([&] { return sum(w * w); });
    return detach(w.read());
  });
  const Tensor first = step(), second = step();
  EXPECT_EQ(to_string(first), "tensor([0., 0., 0.], dtype=float32)");
  w.assign(ones({3}) * 4.0);
  const Tensor third = step();
  EXPECT_EQ(to_string(third), to_string(first));
  EXPECT_EQ(to_string(second), to_string(first));
  EXPECT_NE(first.data(), third.data());
}

// The gradient of each is the other one.
TEST(InPlace, a_gradient_may_be_what_is_updated) {
  const auto run = [](bool is_function) {
    const Variable a(ones({3}) * 2.0), b(ones({3}) * 3.0);
    optim::SGD sgd({a, b}, {.lr = 0.5});
    const auto plain = [&] { return sgd.minimize([&] { return sum(a * b); }); };
    auto traced = function(plain);
    for (int i = 0; i < 2; ++i) is_function ? traced() : plain();
    return prints_of({a, b});
  };
  EXPECT_EQ(run(true), run(false));
}

}  // namespace
}  // namespace weft
