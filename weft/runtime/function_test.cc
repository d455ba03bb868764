// Functions over trees: what is no tensor among the arguments is part of the signature.
#include "weft/runtime/function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

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

}  // namespace
}  // namespace weft
