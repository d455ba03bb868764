// switch_case, fori_loop and map: one meaning now, in a graph and in a function; derivatives,
// batches, nesting, laws.
#include <gtest/gtest.h>

#include <map>

#include "weft/weft.h"

namespace weft {
namespace {

using Flat = std::function<Tensors(TensorSpan)>;

std::string message_of(auto call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(error.what()).substr(0, std::string(error.what()).find('\n'));
  }
  return "no error";
}

Tensors in_session(const Flat& f, TensorSpan in) {
  const Graph graph;
  Tensors given, out;
  std::vector<Feed> feeds;
  {
    const Graph::Scope scope(graph);
    for (const Tensor& t : in) {
      Shape shape;
      for (size_t k = 0; k < t.shape().size(); ++k) {
        shape.push_back(Dim::symbol("n" + std::to_string(given.size()) + std::to_string(k)));
      }
      given.push_back(graph.placeholder(t.dtype(), shape, "x"));
      feeds.push_back({given.back(), t});
    }
    out = f(given);
  }
  return Session(graph).run(out, feeds);
}

// The value now; a session and a function must give its bits.
Tensors three_ways(const Flat& f, TensorSpan in) {
  const Tensors now = f(in);
  const std::string bits = fingerprint_flat(now);
  EXPECT_EQ(fingerprint_flat(in_session(f, in)), bits);
  const auto traced = function([&](const std::vector<Tensor>& all) {
    const Tensors out = f(Tensors(all.begin(), all.end()));
    return std::vector<Tensor>(out.begin(), out.end());
  });
  const std::vector<Tensor> out = traced(std::vector<Tensor>(in.begin(), in.end()));
  EXPECT_EQ(fingerprint_flat(Tensors(out.begin(), out.end())), bits);
  return now;
}

std::vector<float> floats(const Tensor& t) { return t.to_vector<float>(); }

// f(x), its slope and bend, and its change along 1, all three ways.
Tensors with_derivatives(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  const auto total = [&](const Tensor& y) { return sum(f(y)); };
  return three_ways(
      [&](TensorSpan in) {
        const auto slope = [&](const Tensor& y) { return sum(grad(total)(y)); };
        const auto [value, change] = jvp(total, in[0], ones_like(in[0]));
        return Tensors{value, grad(total)(in[0]), grad(slope)(in[0]), change};
      },
      inputs(x));
}

Tensor chosen(const Tensor& i, const Tensor& x) {
  return switch_case(
      i,
      std::tuple([](const Tensor& y) { return y * y; }, [](const Tensor& y) { return y * y * y; },
                 [&](const Tensor&) { return x * 2.0; }),
      x);
}

TEST(SwitchCase, takes_the_branch_of_that_number) {
  const Tensor x = tensor({2.0f, -3.0f});
  const std::vector<float> expected[] = {{4, 9}, {8, -27}, {4, -6}, {4, -6}, {4, -6}};
  for (const int64_t i : {0, 1, 2, 7, -1}) {
    const Tensors out = three_ways([](TensorSpan in) { return Tensors{chosen(in[1], in[0])}; },
                                   inputs(x, Tensor::scalar(DType::kI64, double(i))));
    EXPECT_EQ(floats(out[0]), expected[i == -1 ? 4 : std::min<int64_t>(i, 3)]) << i;
  }
}

TEST(SwitchCase, of_functions_of_one_type_and_trees) {
  using Pair = std::pair<Tensor, std::map<std::string, Tensor>>;
  std::vector<std::function<Pair(const Tensor&)>> branches;
  for (const double by : {1.0, 10.0}) {
    branches.push_back([by](const Tensor& x) { return Pair{x * by, {{"sum", sum(x) * by}}}; });
  }
  const Tensors out = three_ways(
      [&](TensorSpan in) {
        const auto [all, named] = switch_case(in[0], branches, in[1]);
        return Tensors{all, named.at("sum")};
      },
      inputs(tensor(1), tensor({1.0f, 2.0f})));
  EXPECT_EQ(floats(out[0]), (std::vector<float>{10, 20}));
  EXPECT_EQ(out[1].item(), 30.0);
}

TEST(SwitchCase, differentiates) {
  const Variable scale(tensor(3.0f), {.name = "scale"});
  const auto f = [&](const Tensor& x) {
    return switch_case(tensor(1), std::tuple([&] { return x; }, [&] { return x * x * scale; }));
  };
  const Tensors out = with_derivatives(f, tensor({2.0f, -1.0f}));
  EXPECT_EQ(out[0].item(), 15.0);
  EXPECT_EQ(floats(out[1]), (std::vector<float>{12, -6}));
  EXPECT_EQ(floats(out[2]), (std::vector<float>{6, 6}));
  EXPECT_EQ(out[3].item(), 6.0);
}

TEST(SwitchCase, batches) {
  const Tensor x = tensor({2.0f, 3.0f, 4.0f, 5.0f}), i = tensor({0, 1, 9, 0});
  const Tensors out = three_ways(
      [](TensorSpan in) {
        const auto slope = [](const Tensor& one, const Tensor& y) {
          return grad([&](const Tensor& z) { return chosen(one, z); })(y);
        };
        return Tensors{vmap(chosen)(in[0], in[1]), vmap(slope)(in[0], in[1])};
      },
      inputs(i, x));
  EXPECT_EQ(floats(out[0]), (std::vector<float>{4, 27, 8, 25}));
  EXPECT_EQ(floats(out[1]), (std::vector<float>{4, 27, 2, 10}));
}

TEST(SwitchCase, laws) {
  const Tensor x = tensor({1.0f});
  const auto same = [](const Tensor& y) { return y; };
  const auto both = std::tuple(same, same);
  EXPECT_EQ(message_of([&] { switch_case(x, both, x); }),
            "switch_case: the index has shape [1]; it must be one number, of rank 0 "
            "[switch_case.index]");
  EXPECT_EQ(message_of([&] { switch_case(tensor(1.0f), both, x); }),
            "switch_case: the index is of dtype float32; it must be an integer: cast it, or use "
            "cond for a choice of two [switch_case.index]");
  const std::vector<std::function<Tensor(const Tensor&)>> none;
  EXPECT_EQ(message_of([&] { switch_case(tensor(0), none, x); }),
            "switch_case: there are no branches; give at least one [switch_case.branches]");
  const auto staged = [&](auto call) { return message_of([&] { function(call)(x); }); };
  EXPECT_EQ(staged([&](const Tensor& y) {
              const auto other = [](const Tensor& z) { return cast(z, DType::kF64); };
              return switch_case(tensor(0), std::tuple(same, other), y);
            }),
            "switch_case: result 0 is f32[1] of branch0 and f64[1] of branch1; branches give "
            "values of the same dtype and shape: cast or reshape one [switch_case.type]");
  using List = std::vector<Tensor>;
  EXPECT_EQ(staged([&](const Tensor& y) {
              const auto one = [](const Tensor& z) { return List{z}; };
              const auto two = [](const Tensor& z) { return List{z, z}; };
              return switch_case(tensor(0), std::tuple(one, two), y);
            }),
            "switch_case: branch0 gives 1 values and branch1 2; branches give as many "
            "[switch_case.results]");
}

// x to the n.
template <class Count>
Tensor power(const Tensor& x, const Count& n) {
  return fori_loop(0, n, [&](const Tensor&, const Tensor& r) { return r * x; }, ones_like(x));
}

TEST(ForiLoop, counts) {
  for (const int64_t n : {4, 1, 0, -2}) {
    const Tensor count = Tensor::scalar(DType::kI64, double(n));
    const auto number = [&](TensorSpan in) { return Tensors{power(in[0], n)}; };
    const auto tensors = [](TensorSpan in) { return Tensors{power(in[0], in[1])}; };
    const Tensor x = tensor({2.0f, -3.0f});
    const std::vector<float> expected = n == 4   ? std::vector<float>{16, 81}
                                        : n == 1 ? std::vector<float>{2, -3}
                                                 : std::vector<float>{1, 1};
    EXPECT_EQ(floats(three_ways(number, inputs(x))[0]), expected) << n;
    EXPECT_EQ(floats(three_ways(tensors, inputs(x, count))[0]), expected) << n;
  }
}

TEST(ForiLoop, goes_from_lower_to_upper_over_any_tree) {
  using State = std::pair<Tensor, std::vector<Tensor>>;
  const auto add = [](const Tensor& i, const State& at) {
    return State{at.first + i, {at.second[0] * 2.0, i}};
  };
  const auto f = [&](const auto& lower, const auto& upper) {
    const State out = fori_loop(lower, upper, add, State{tensor(0), {tensor(1.0f), tensor(0)}});
    return Tensors{out.first, out.second[0], out.second[1]};
  };
  for (const Tensors& out :
       {three_ways([&](TensorSpan) { return f(2, 5); }, {}),
        three_ways([&](TensorSpan in) { return f(2, in[0]); }, inputs(tensor(5))),
        three_ways([&](TensorSpan in) { return f(in[0], 5); }, inputs(tensor(2)))}) {
    EXPECT_EQ(out[0].item_int(), 2 + 3 + 4);
    EXPECT_EQ(out[1].item(), 8.0);
    EXPECT_EQ(out[2].item_int(), 4);
  }
}

TEST(ForiLoop, goes_up_to_a_size_and_a_variable) {
  const Variable limit(tensor(3), {.name = "limit"});
  const Tensors out = three_ways(
      [&](TensorSpan in) {
        const auto doubled = [](const Tensor&, const Tensor& r) { return r * 2.0; };
        return Tensors{fori_loop(0, in[0].dim(0), doubled, tensor(1.0f)),
                       fori_loop(0, limit, doubled, tensor(1.0f))};
      },
      inputs(zeros({5})));
  EXPECT_EQ(out[0].item(), 32.0);
  EXPECT_EQ(out[1].item(), 8.0);
}

TEST(ForiLoop, differentiates) {
  const Tensor n = tensor(3);
  for (const auto& f : {std::function([](const Tensor& x) { return power(x, 3); }),
                        std::function([&](const Tensor& x) { return power(x, n); })}) {
    const Tensors out = with_derivatives(f, tensor({2.0f, -1.0f}));
    EXPECT_EQ(out[0].item(), 7.0);
    EXPECT_EQ(floats(out[1]), (std::vector<float>{12, 3}));
    EXPECT_EQ(floats(out[2]), (std::vector<float>{12, -6}));
    EXPECT_EQ(out[3].item(), 15.0);
  }
}

TEST(ForiLoop, batches) {
  const Tensor x = tensor({2.0f, 3.0f, 0.5f}), n = tensor({1, 3, 0});
  const auto slope = [](const Tensor& y, const Tensor& m) {
    return grad([&](const Tensor& z) { return power(z, m); })(y);
  };
  const Tensors out = three_ways(
      [&](TensorSpan in) {
        return Tensors{vmap(power<Tensor>)(in[0], in[1]), vmap(slope)(in[0], in[1])};
      },
      inputs(x, n));
  EXPECT_EQ(floats(out[0]), (std::vector<float>{2, 27, 1}));
  EXPECT_EQ(floats(out[1]), (std::vector<float>{1, 27, 0}));
}

TEST(ForiLoop, writes_variables) {
  const Variable total(tensor(0.0f), {.name = "total"});
  const auto f = function([&](const Tensor& x) {
    return fori_loop(
        0, 3,
        [&](const Tensor& i, const Tensor& r) {
          total.assign_add(x);
          return r + i;
        },
        tensor(0));
  });
  EXPECT_EQ(f(tensor(2.0f)).item_int(), 3);
  EXPECT_EQ(total.value().item(), 6.0);
}

TEST(ForiLoop, laws) {
  const Tensor x = tensor({1.0f, 2.0f});
  const auto same = [](const Tensor&, const Tensor& y) { return y; };
  EXPECT_EQ(message_of([&] { fori_loop(0, tensor(2.5f), same, x); }),
            "fori_loop: the bounds are i64[] and f32[]; they must be integers of rank 0 "
            "[fori_loop.bounds]");
  EXPECT_EQ(message_of([&] { fori_loop(tensor({1, 2}), 3, same, x); }),
            "fori_loop: the bounds are i64[2] and i64[]; they must be integers of rank 0 "
            "[fori_loop.bounds]");
  EXPECT_EQ(message_of([&] { fori_loop(0, Tensor(), same, x); }),
            "fori_loop: a bound is undefined [fori_loop.bounds]");
  using List = std::vector<Tensor>;
  const auto grows = [](const Tensor&, List all) {
    all.push_back(all[0]);
    return all;
  };
  const auto widens = [](const Tensor&, const Tensor& y) { return cast(y, DType::kF64); };
  const auto nothing = [](const Tensor&, const Tensor&) { return Tensor(); };
  for (const Tensor& n : {Tensor(3), tensor(3)}) {
    const auto each = [&](auto body, auto init) {
      const std::string now = message_of([&] { fori_loop(0, 3, body, init); });
      EXPECT_EQ(message_of([&] { fori_loop(0, n, body, init); }), now);
      return now;
    };
    EXPECT_EQ(each(grows, List{x}),
              "fori_loop: the body gives 2 values for 1 that are carried; it must give as many "
              "[fori_loop.body]");
    EXPECT_EQ(each(widens, x),
              "fori_loop: carried value 0 is f32[2] before and f64[2] after the body; it must keep "
              "its dtype and shape: cast or reshape it [fori_loop.type]");
    EXPECT_EQ(each(nothing, x),
              "fori_loop: value 0 that the body gives is undefined [fori_loop.body]");
  }
}

TEST(Map, stacks_what_rows_give) {
  const Tensor x = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}), n = tensor({1, 2, 3});
  using Rows = std::pair<Tensor, Tensor>;
  const Tensors out = three_ways(
      [](TensorSpan in) {
        const auto f = [](const Rows& row) {
          return std::array{sum(row.first), row.first * cast(row.second, DType::kF32)};
        };
        const auto [sums, products] = map(f, Rows{in[0], in[1]});
        return Tensors{sums, products};
      },
      inputs(x, n));
  EXPECT_EQ(floats(out[0]), (std::vector<float>{3, 7, 11}));
  EXPECT_EQ(floats(out[1]), (std::vector<float>{1, 2, 6, 8, 15, 18}));
  const Tensor none = map([](const Tensor& row) { return row * 2.0; }, zeros({0, 4}));
  EXPECT_EQ(Shape(none.shape()), (Shape{0, 4}));
}

TEST(Map, differentiates) {
  const Tensor a = tensor(2.0f);
  const auto f = [&](const Tensor& x) {
    return map([&](const Tensor& row) { return row * row * row * a; }, x);
  };
  const Tensors out = with_derivatives(f, tensor({2.0f, -1.0f}));
  EXPECT_EQ(out[0].item(), 14.0);
  EXPECT_EQ(floats(out[1]), (std::vector<float>{24, 6}));
  EXPECT_EQ(floats(out[2]), (std::vector<float>{24, -12}));
  EXPECT_EQ(out[3].item(), 30.0);
}

TEST(Map, batches) {
  const auto f = [](const Tensor& x, const Tensor& by) {
    return map([&](const Tensor& row) { return row * by; }, x);
  };
  const Tensors out =
      three_ways([&](TensorSpan in) { return Tensors{vmap(f)(in[0], in[1])}; },
                 inputs(tensor({{1.0f, 2.0f}, {3.0f, 4.0f}}), tensor({10.0f, 100.0f})));
  EXPECT_EQ(floats(out[0]), (std::vector<float>{10, 20, 300, 400}));
}

TEST(Map, laws) {
  using List = std::vector<Tensor>;
  const auto first = [](const List& rows) { return rows[0]; };
  EXPECT_EQ(message_of([&] { map(first, List{}); }),
            "map: there is nothing to go through; give it a tensor [map.rows]");
  EXPECT_EQ(message_of([&] { map(first, List{zeros({2}), tensor(1.0f)}); }),
            "map: input 1 has rank 0 and no rows; go through the rows of a tensor of rank 1 or "
            "more [map.rows]");
  EXPECT_EQ(message_of([&] { map(first, List{zeros({2}), zeros({3})}); }),
            "map: the inputs' numbers of rows must be equal, but are 3 and 2 [map.length]");
}

// Loops of a function that read a Variable: what they save is recorded for the Variable as well,
// with derivatives of derivatives and batches of them.
TEST(While, that_reads_a_variable_differentiates_twice) {
  const Variable w(tensor(2.0f), {.name = "w"});
  const auto grown = [&](const Tensor& x, const Tensor& from) {  // w^3 x^3 from
    const auto step = [&](const Tensor& i, const Tensor& s) {
      return std::tuple(i + 1, s * w * x);
    };
    const auto more = [](const Tensor& i, const Tensor&) { return i < 3; };
    return std::get<1>(while_loop(more, step, std::tuple(tensor(0), from)));
  };
  const auto one = [&](const Tensor& x) { return grown(x, x); };
  const auto nested = [&](const Tensor& x) {  // w^6 x^8: the steps of one loop are loops
    const auto step = [&](const Tensor& i, const Tensor& s) {
      return std::tuple(i + 1, grown(x, s));
    };
    const auto more = [](const Tensor& i, const Tensor&) { return i < 2; };
    return std::get<1>(while_loop(more, step, std::tuple(tensor(0), x * x)));
  };
  const auto chosen = [&](const Tensor& x) {
    return cond(x > 0.0f, [&] { return one(x); }, [&] { return x * w; });
  };
  struct Row {
    std::function<Tensor(const Tensor&)> f;
    float first, second, third;  // at 1/2
    float at_two;                // first derivative
  };
  const Row rows[] = {{one, 4, 24, 96, 256}, {nested, 4, 56, 672, 65536}, {chosen, 4, 24, 96, 256}};
  const Tensor x = tensor(0.5f), xs = tensor({0.5f, 2.0f});
  for (const Row& row : rows) {
    const auto f = function(row.f);
    const auto slope = grad(f);
    const auto bend = grad(slope);
    EXPECT_EQ(slope(x).item(), row.first);
    EXPECT_EQ(bend(x).item(), row.second);
    EXPECT_EQ(grad(bend)(x).item(), row.third);
    EXPECT_EQ(function(bend)(x).item(), row.second);
    EXPECT_EQ(jvp(slope, x, tensor(2.0f)).second.item(), 2 * row.second);
    const std::vector<float> slopes{row.first, row.at_two};
    EXPECT_EQ(floats(vmap(slope)(xs)), slopes);
    EXPECT_EQ(floats(function(vmap(slope))(xs)), slopes);
    const auto total = [&](const Tensor& y) { return sum(vmap(slope)(y)); };
    EXPECT_EQ(floats(grad(total)(xs))[0], row.second);
  }
}

std::string* printed_text = nullptr;

// Derivatives run the steps of loops again, and branches whose sizes they cannot save: what was
// printed is not printed again, whatever the order, the mode, and what stands around it.
TEST(Print, happens_once_for_each_step_that_is_differentiated) {
  const auto steps = [](const Tensor& x) {  // x^4
    const auto more = [](const Tensor& i, const Tensor&) {
      print_values("? ", {});
      return i < 3;
    };
    const auto step = [&](const Tensor& i, const Tensor& s) {
      print_values("{:d} ", inputs(i));
      return std::tuple(i + 1, s * x);
    };
    return std::get<1>(while_loop(more, step, std::tuple(tensor(0), x)));
  };
  const auto rows = [](const Tensor& x) {
    const auto row = [&](const Tensor& y) {
      return cond(
          y > 0.0f,
          [&] {
            print_values("+ ", {});
            return y * x;
          },
          [&] { return y - x; });
    };
    return sum(map(row, reshape(x, {1}) * tensor({1.0f, -1.0f})));
  };
  struct Row {
    std::function<Tensor(const Tensor&)> f;
    std::string expected;
  };
  const Row table[] = {{steps, "? 0 ? 1 ? 2 ? "}, {rows, "+ "}};
  std::string text;
  printed_text = &text;
  set_print_text([](const std::string& one) { *printed_text += one; });
  const Tensor x = tensor(2.0f);
  const auto check = [&](const Row& row, const auto& call) {
    text.clear();
    call();
    EXPECT_EQ(text, row.expected);
  };
  for (const Row& row : table) {
    const auto f = function(row.f);
    const auto slope = grad(f);
    const auto bend = grad(slope);
    check(row, [&] { f(x); });
    check(row, [&] { slope(x); });
    check(row, [&] { bend(x); });
    check(row, [&] { grad(bend)(x); });
    check(row, [&] { jvp(f, x, tensor(1.0f)); });
    check(row, [&] { jvp(slope, x, tensor(1.0f)); });
    check(row, [&] { function(grad(row.f))(x); });
    check(row, [&] { function(grad(grad(row.f)))(x); });
    check(row, [&] { grad(row.f)(x); });
    check(row, [&] {
      const auto both = [&](TensorSpan in) {
        const auto [value, gradient] = value_and_grad(row.f)(in[0]);
        return Tensors{value, gradient};
      };
      in_session(both, inputs(x));
    });
  }
  set_print_text(nullptr);
  printed_text = nullptr;
}

// For each row x: to the i-th, either plus x or times x, as the parity of i says.
TEST(Control, nests) {
  const auto f = [](const Tensor& xs) {
    return map(
        [](const Tensor& x) {
          const auto step = [&](const Tensor& i, const Tensor& r) {
            const auto plus = [&] { return r + x; };
            const auto times = [&] { return r * x; };
            return switch_case(remainder(i, 2), std::tuple(plus, times));
          };
          return fori_loop(0, 4, step, x);
        },
        xs);
  };
  // ((2 x) x + x) x = 2 x^3 + x^2
  const Tensors out = with_derivatives(f, tensor({2.0f, -1.0f}));
  EXPECT_EQ(out[0].item(), 20.0 - 1.0);
  EXPECT_EQ(floats(out[1]), (std::vector<float>{28, 4}));
  EXPECT_EQ(floats(out[2]), (std::vector<float>{26, -10}));
  EXPECT_EQ(out[3].item(), 32.0);
}

}  // namespace
}  // namespace weft
