// Functions over trees: what is no tensor among the arguments is part of the signature.
#include "weft/runtime/function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "weft/base/file.h"
#include "weft/base/log.h"
#include "weft/base/test_error.h"
#include "weft/base/test_folder.h"
#include "weft/weft.h"

namespace weft {
namespace {

enum class Mode { kPlain, kTwice };

struct Options {
  double rate = 1;
  Mode mode = Mode::kPlain;
  Tensor offset = {};
  static constexpr auto fields =
      fields_of(field("rate", &Options::rate, ""), field("mode", &Options::mode, ""),
                field("offset", &Options::offset, ""));
};

TEST(Function, another_number_is_another_trace) {
  const auto scaled = function([](const Tensor& x, double rate) { return x * rate; });
  const Tensor x = ones({2});
  EXPECT_EQ(scaled(x, 2.0).to_vector<float>()[0], 2);
  EXPECT_EQ(scaled(x, 3.0).to_vector<float>()[0], 3);
  EXPECT_EQ(scaled(x, 2.0).to_vector<float>()[1], 2);
  EXPECT_EQ(scaled.trace_count(), 2u);
  EXPECT_EQ(scaled(x, 0.0).to_vector<float>()[0], 0);
  EXPECT_TRUE(std::signbit(scaled(x, -0.0).to_vector<float>()[0]));
}

TEST(Function, the_log_shows_what_was_no_tensor) {
  const auto f = function([](const Tensor& x, const Options& at, const std::string& name,
                             const std::vector<int>& sizes, bool is_on) {
    return x * at.rate + static_cast<double>(name.size() + sizes.size()) + (is_on ? 1.0 : 0.0);
  });
  const Tensor x = ones({2});
  f(x, Options{0.5, Mode::kPlain, x}, std::string("a"), std::vector{1, 2}, true);
  f(x, Options{0.25, Mode::kTwice, x}, std::string("a"), std::vector{1, 2}, true);
  f(x, Options{0.25, Mode::kTwice, x}, std::string("b\n"), std::vector{1, 2}, true);
  f(x, Options{0.25, Mode::kTwice, x}, std::string("b\n"), std::vector<int>{}, true);
  f(x, Options{0.25, Mode::kTwice, x}, std::string("b\n"), std::vector<int>{}, false);
  const std::vector<std::string> log = f.trace_log();
  ASSERT_EQ(log.size(), 5U);
  constexpr std::string_view kHint = "; pass numbers that vary as tensors";
  EXPECT_EQ(log[1], text("argument 1 was {rate = 0.5, mode = 0, offset = tensor} and is {rate = "
                         "0.25, mode = 1, offset = tensor}",
                         kHint));
  EXPECT_EQ(log[2], text("argument 2 was \"a\" and is \"b\\n\"", kHint));
  EXPECT_EQ(log[3], text("argument 3 was [1, 2] and is []", kHint));
  EXPECT_EQ(log[4], text("argument 4 was true and is false", kHint));
}

std::vector<std::string> logged;

TEST(Function, the_fifth_trace_warns_with_its_reason) {
  set_log_sink([](LogLevel, std::string_view line) { logged.emplace_back(line); });
  for (const size_t warn_after : {5, 0}) {
    const auto scaled = function([](const Tensor& x, double rate) { return x * rate; },
                                 {.name = "scaled", .warn_after = warn_after});
    for (int rate = 0; rate < 7; ++rate) scaled(ones({2}), double(rate));
  }
  set_log_sink(nullptr);
  EXPECT_EQ(logged, std::vector<std::string>{
                        "scaled: was traced 5 times, the last time because argument 1 was 3.0 and "
                        "is 4.0; pass numbers that vary as tensors; a trace takes as long as many "
                        "calls: see trace_log(), and set the option warn_after to 0 if so many "
                        "are meant [scaled.traces]"});
}

// As without a trace: of numbers, not of the symbols that stand for them.
TEST(Function, errors_are_told_of_the_sizes_of_the_call) {
  const auto product = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  const Tensor x = ones({3, 4}), y = ones({5, 2});
  const auto traced = function(product);
  EXPECT_EQ(error_of([&] { traced(x, y); }), error_of([&] { product(x, y); }));
  // When a trace is there that does not serve the call.
  traced(ones({3, 5}), y);
  EXPECT_EQ(error_of([&] { traced(x, y); }), error_of([&] { product(x, y); }));
  // What is found when it runs.
  const auto chosen = [](const Tensor& t, const Tensor& at) { return take(t, at, 0); };
  const auto traced_choice = function(chosen);
  const std::vector<int64_t> far = {9};
  const Tensor places = Tensor::from_bytes(DType::kI64, Shape{1}, std::as_bytes(std::span(far)));
  EXPECT_EQ(error_of([&] { traced_choice(x, places); }), error_of([&] { chosen(x, places); }));
}

// What an inner function takes for granted of sizes, the trace around it does, too, whether the
// inner one was traced before or inside.
TEST(Function, sizes_of_inner_functions_are_watched) {
  for (const bool is_traced_before : {false, true}) {
    const auto inner = function(
        [](const Tensor& x) { return decide_less(x.dim(0), 5) == Tri::kYes ? x + 1.0 : x * 0.0; });
    if (is_traced_before) inner(ones({2}));
    const auto outer = function([&](const Tensor& x) { return inner(x); });
    for (const int64_t n : {2, 6, 3, 7}) {
      EXPECT_EQ(outer(ones({n})).to_vector<float>(),
                std::vector<float>(static_cast<size_t>(n), n < 5 ? 2.0F : 0.0F));
    }
    EXPECT_EQ(outer.trace_count(), 2u);
  }
}

// A handler takes what an op says of sizes, whichever of them are traced first.
TEST(Function, handlers_decide_for_sizes) {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{2, 7, 2}, {7, 2, 7, 3, 2}}) {
    const auto f = function([](const Tensor& x) {
      try {
        return reshape(x, {7}) + 1.0;
      } catch (const Error&) {
        return x * 0.0;
      }
    });
    for (const int64_t n : sizes) {
      EXPECT_EQ(f(ones({n})).to_vector<float>(),
                std::vector<float>(static_cast<size_t>(n), n == 7 ? 2.0F : 0.0F));
    }
  }
}

TEST(Function, trees_have_numbers_and_names) {
  const auto f = function([](const Options& at, const std::map<std::string, Tensor>& named) {
    Tensor out = at.offset * at.rate;
    for (const auto& [name, value] : named) out = out + value * static_cast<double>(name.size());
    return at.mode == Mode::kTwice ? out * 2.0 : out;
  });
  const Tensor x = ones({2});
  const auto first = [&](double rate, Mode mode, const std::string& name) {
    return f(Options{rate, mode, x}, std::map<std::string, Tensor>{{name, x}})
        .to_vector<float>()[0];
  };
  EXPECT_EQ(first(1, Mode::kPlain, "a"), 2);
  EXPECT_EQ(first(2, Mode::kPlain, "a"), 3);
  EXPECT_EQ(first(2, Mode::kTwice, "a"), 6);
  EXPECT_EQ(first(2, Mode::kTwice, "abc"), 10);
  EXPECT_EQ(first(1, Mode::kPlain, "a"), 2);
  EXPECT_EQ(f.trace_count(), 4u);
}

TEST(Function, max_traces_is_at_least_one) {
  const auto same = [](const Tensor& x) { return x; };
  try {
    function(same, {.max_traces = 0});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "function: max_traces is 0, so that no call could be traced; it is at least 1 "
                 "[function.max_traces]");
  }
}

TEST(Function, a_seed_is_part_of_it) {
  const auto drawn = [](const Tensor& x) {
    const Tensor before = randn({2});
    seed(uint64_t{1} << 40 | 7);
    const Tensor after = randn({2});
    return std::pair{x + before, after};
  };
  const auto traced = function(drawn);
  const auto numbers = [](const auto& f) {
    seed(3);
    std::vector<float> out;
    for (int i = 0; i < 2; ++i) {
      const auto [before, after] = f(zeros({2}));
      for (const Tensor& t : {before, after}) {
        for (const float x : t.to_vector<float>()) out.push_back(x);
      }
    }
    return out;
  };
  EXPECT_EQ(numbers(traced), numbers(drawn));
  EXPECT_EQ(random::generator_state().seed, uint64_t{1} << 40 | 7);
  EXPECT_EQ(random::generator_state().draws, 1u);
}

TEST(Function, a_few_kinds_of_calls_by_turns) {
  const auto total = function([](const Tensor& x) { return sum(x); });
  for (int turn = 0; turn < 3; ++turn) {
    for (int64_t n = 1; n < 12; ++n) {
      EXPECT_EQ(total(ones({n})).item(), n);
      EXPECT_EQ(total(ones({n, 2}, DType::kF64)).item(), 2 * n);
    }
  }
  EXPECT_EQ(total.trace_count(), 4u);
}

// One trace serves all keys, and vmap draws from each of a batch what it gives alone.
TEST(Function, keys_are_trees) {
  using random::Key;
  const auto drawn = [](const Key& key) { return random::normal(key, {3}); };
  const auto next = function([&](const Key& key) { return std::pair{drawn(key), key.fold_in(1)}; });
  const Key key(7);
  const auto [x, after] = next(key);
  EXPECT_EQ(x.to_vector<float>(), drawn(key).to_vector<float>());
  EXPECT_EQ(next(after).first.to_vector<float>(), drawn(key.fold_in(1)).to_vector<float>());
  EXPECT_EQ(next.trace_count(), 1u);

  const Key keys = key.split(2);
  const Tensor each = function(vmap(drawn))(keys);
  EXPECT_EQ(text(each.type()), "f32[2, 3]");
  EXPECT_EQ(select_row(each, 1).to_vector<float>(), drawn(keys[1]).to_vector<float>());
}

TEST(Function, the_value_of_a_variable_is_read_in_each_call) {
  const Variable w(ones({2}));
  const auto f = function([&](const Tensor& x) { return w.value() * x; });
  EXPECT_EQ(f(ones({2})).to_vector<float>()[0], 1);
  w.assign(full({2}, 5.0F));
  EXPECT_EQ(f(ones({2})).to_vector<float>()[0], 5);
  EXPECT_EQ(f.trace_count(), 1u);
  const auto added = function([&] {
    w.assign_add(ones({2}));
    return w.value();
  });
  EXPECT_EQ(added().to_vector<float>()[0], 6);
  EXPECT_EQ(w.value().to_vector<float>()[0], 6);
}

TEST(Function, a_functional_step_trains_the_same_when_it_is_traced) {
  const auto step = [](const Variable& w) {
    w.assign_sub(grad([](const Tensor& x) { return sum(x * x); })(w.value()) * 0.25);
    return w.value();
  };
  const Variable plain(ones({2})), traced(ones({2}));
  const auto traced_step = function([&] { return step(traced); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(step(plain).to_vector<float>(), traced_step().to_vector<float>());
  }
  EXPECT_EQ(traced.value().to_vector<float>()[0], 0.125F);
}

TEST(Function, a_trace_can_be_looked_at) {
  const Variable w(ones({3, 2}), {.name = "w"});
  int calls = 0;
  const auto f = function([&](const Tensor& x, double rate) {
    ++calls;
    const Tensor y = tanh(matmul(x, w)) * 1.0;
    w.assign_sub(ones({3, 2}) * rate);
    return std::pair{y, sum(y)};
  });
  const Tensor x = ones({4, 3});
  const auto trace = f.get_concrete_function(x, 0.5);
  EXPECT_EQ(w.value().to_vector<float>()[0], 1);  // nothing ran
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(trace.reason(), "the first call");
  EXPECT_EQ(f.trace_log(), (std::vector<std::string>{"the first call"}));
  EXPECT_NE(trace.text().find("function @f(%x0: f32[n, m], %w: f32[3, 2])"), std::string::npos)
      << trace.text();
  EXPECT_NE(trace.summary().find("matmul"), std::string::npos);
  EXPECT_TRUE(trace.draw().starts_with("<svg"));

  // Its graph runs by itself, and so does what the passes make of it.
  const Tensor want = tanh(matmul(x, ones({3, 2})));
  const Graph graph = trace.graph(), better = trace.optimized();
  EXPECT_LT(better.operations().size(), graph.operations().size());  // without "* 1.0"
  for (const Graph& one : {graph, better}) {
    const Tensors results = one.collection("results");
    const Feed feeds[] = {{"x0", x}, {"w", ones({3, 2})}};
    EXPECT_EQ(Session(one)
                  .run({results[0], results[1], results[2]}, {feeds[0], feeds[1]})[0]
                  .to_vector<float>(),
              want.to_vector<float>());
  }
  const TestFolder folder;
  trace.optimized(folder.path());
  EXPECT_NE(read_file(folder.path() + "/00_before.ir").find("tanh"), std::string::npos);

  const Planned plan = trace.plan(x, 0.5);
  EXPECT_NE(plan.text().find("product matmul"), std::string::npos) << plan.text();
  EXPECT_TRUE(plan.draw().starts_with("<svg"));
  EXPECT_EQ(w.value().to_vector<float>()[0], 1);
  EXPECT_NE(plan.profile(1).text().find("matmul"), std::string::npos);

  EXPECT_EQ(trace(x, 0.5).first.to_vector<float>(), want.to_vector<float>());
  EXPECT_EQ(w.value().to_vector<float>()[0], 0.5);
  f(x, 0.5);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(w.value().to_vector<float>()[0], 0);
}

TEST(Function, concrete) {
  const auto f =
      function([](const Tensor& x, double rate) { return x * rate; }, {.name = "scaled"});
  const auto trace = f.get_concrete_function(ones({4}), 2.0);
  EXPECT_EQ(trace(ones({7}), 2.0).to_vector<float>(), std::vector<float>(7, 2));
  EXPECT_EQ(error_of([&] { trace(ones({2, 2}), 2.0); }),
            "scaled: the call needs another trace: argument 0 had 1 axes and has 2; call the "
            "function itself, which makes one [scaled.concrete]");
  EXPECT_EQ(error_of([&] { trace.plan(ones({1}), 2.0); }),
            "scaled: the call needs another trace: axis 0 of argument 0 had size n and has 1; "
            "sizes 0 and 1 are traces of their own; call the function itself, which makes one "
            "[scaled.concrete]");
  EXPECT_EQ(error_of([&] { trace(ones({4}), 3.0); }),
            "scaled: the call needs another trace: argument 1 was 2.0 and is 3.0; pass numbers "
            "that vary as tensors; call the function itself, which makes one [scaled.concrete]");
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Function, signature) {
  const Dim batch = Dim::symbol("batch");
  const auto f = function([](const Tensor& x, const Tensor& y) { return matmul(x, y); },
                          {.max_traces = 1,
                           .arguments = {"x", "y"},
                           .signature = {Type{DType::kF32, {batch, 3}}, std::nullopt}});
  EXPECT_NE(f.get_concrete_function(ones({4, 3}), ones({3, 2})).text().find("%x: f32[batch, 3]"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { f(ones({4, 2}), ones({2, 2})); }),
            "f: `x` is f32[4, 2], but the signature says f32[batch, 3] [f.signature]");
  EXPECT_NE(error_of([&] { f(ones({4, 3}), ones({3, 1})); }).find("[f.max_traces]"),
            std::string::npos);
}

}  // namespace
}  // namespace weft
