// The transformations over trees: several arguments, values beside, Jacobians, options of vmap.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>

#include "weft/op/builtin.h"
#include "weft/transform/test_values.h"
#include "weft/weft.h"

namespace weft {
namespace {

Tensor at(const Tensor& x, int64_t row) { return select_row(x, row); }

TEST(Grad, OfSeveralArgumentsIsATuple) {
  const auto f = [](const Tensor& a, const Tensor& b, const Tensor& c) { return a * a * b * c; };
  const auto [da, dc] = grad<0, 2>(f)(scalar(2), scalar(3), scalar(5));
  EXPECT_EQ(da.item(), 60);
  EXPECT_EQ(dc.item(), 12);
  EXPECT_EQ(grad<1>(f)(scalar(2), scalar(3), scalar(5)).item(), 20);
  const auto [value, slopes] = value_and_grad<2, 1>(f)(scalar(2), scalar(3), scalar(5));
  EXPECT_EQ(value.item(), 60);
  EXPECT_EQ(std::get<0>(slopes).item(), 12);
  EXPECT_EQ(std::get<1>(slopes).item(), 20);
}

TEST(Grad, GivesWhatIsBesideTheValue) {
  const auto f = [](const Tensor& x) {
    const Tensor y = x * x;
    return std::pair(sum(y), std::tuple(y, 7, std::string("seven")));
  };
  const auto [slope, aux] = grad(with_aux(f))(tensor({1.0f, 2.0f}));
  EXPECT_EQ(values(slope), (Floats{2, 4}));
  EXPECT_EQ(values(std::get<0>(aux) * 2.0), (Floats{2, 8}));  // it has left the level
  EXPECT_EQ(std::get<1>(aux), 7);
  EXPECT_EQ(std::get<2>(aux), "seven");
  const auto [value, same] = value_and_grad(with_aux(f))(tensor({1.0f, 2.0f}));
  EXPECT_EQ(value.first.item(), 5);
  EXPECT_EQ(values(std::get<0>(value.second)), (Floats{1, 4}));
  const auto [y, pull, beside] = vjp(with_aux(f), tensor({1.0f, 2.0f}));
  EXPECT_EQ(values(pull(scalar(3))), (Floats{6, 12}));
  EXPECT_EQ(values(std::get<0>(beside)), (Floats{1, 4}));
  EXPECT_EQ(values(same), values(slope));
}

TEST(Grad, OverMapsStructsAndVariables) {
  using Weights = std::map<std::string, Tensor>;
  const auto f = [](const Weights& w) { return sum(w.at("a") * w.at("b")); };
  const Weights slope = grad(f)(Weights{{"a", tensor({1.0f})}, {"b", tensor({5.0f})}});
  EXPECT_EQ(values(slope.at("a")), (Floats{5}));
  EXPECT_EQ(values(slope.at("b")), (Floats{1}));
  const auto g = [](const Layer& l) { return sum(l.weight * l.bias); };
  const Layer layer{tensor({2.0f}), tensor({3.0f}), 64};
  EXPECT_EQ(values(grad(g)(layer).weight), (Floats{3}));
  EXPECT_EQ(grad(g)(layer).units, 64);
  const auto frozen = [](const Layer& l) { return sum(stop_gradient(l).weight * l.weight); };
  EXPECT_EQ(values(grad(frozen, Unconnected::kZero)(layer).weight), (Floats{2}));
}

TEST(Grad, OfAVariableIsSeenByTapesAround) {
  const Variable x(scalar(3));
  EXPECT_EQ(grad([](const Tensor& t) { return t * t; })(x).item(), 6);
  GradientTape tape;
  const Tensor slope = grad([](const Tensor& t) { return t * t * t; })(x);
  tape.stop();
  EXPECT_EQ(tape.gradient(slope, x).item(), 18);
  const Tensor doubled = vmap([](const Tensor& t) { return t * 2.0; })(Variable(tensor({1.0f})));
  EXPECT_EQ(law_of([&] { backward(sum(doubled)); }), "no error");
}

TEST(Jvp, OfSeveralPrimals) {
  const auto f = [](const Tensor& a, const Tensor& b) { return std::pair(a * b, b); };
  const auto [y, dy] =
      jvp(f, std::tuple(scalar(2), scalar(3)), std::tuple(scalar(10), scalar(100)));
  EXPECT_EQ(y.first.item(), 6);
  EXPECT_EQ(dy.first.item(), 230);
  EXPECT_EQ(dy.second.item(), 100);
  const auto constant = [](const Tensor&) { return tensor({1.0f, 2.0f}); };
  EXPECT_EQ(values(jvp(constant, scalar(1), scalar(1)).second), (Floats{0, 0}));
  EXPECT_EQ(law_of([&] { jvp(constant, scalar(1), tensor({1.0f, 2.0f})); }), "jvp.tangent");
}

TEST(Vjp, OfSeveralPrimals) {
  const auto f = [](const Tensor& a, const Tensor& b) { return std::vector<Tensor>{a * b, b}; };
  const auto [y, pull] = vjp(f, std::tuple(scalar(2), scalar(3)));
  const auto [da, db] = pull({scalar(1), scalar(10)});
  EXPECT_EQ(da.item(), 3);
  EXPECT_EQ(db.item(), 12);
  EXPECT_EQ(std::get<0>(pull({scalar(0), scalar(1)})).item(), 0);  // as often as one likes
  EXPECT_EQ(y[0].item(), 6);
  EXPECT_EQ(law_of([&, &pull = pull] { pull({scalar(1), tensor({1.0f})}); }), "vjp.cotangent");
}

TEST(Linearize, RunsTheFunctionOnce) {
  int calls = 0;
  const auto f = [&](const Tensor& a, const Tensor& b) {
    ++calls;
    return a * a * b;
  };
  const auto [y, push] = linearize(f, std::tuple(scalar(2), scalar(3)));
  EXPECT_EQ(y.item(), 12);
  EXPECT_EQ(push(std::tuple(scalar(1), scalar(0))).item(), 12);
  EXPECT_EQ(push(std::tuple(scalar(0), scalar(1))).item(), 4);
  EXPECT_EQ(calls, 1);
  const auto [z, along] = linearize([](const Tensor& x) { return sin(x); }, scalar(0));
  EXPECT_EQ(along(scalar(3)).item(), 3);
  EXPECT_EQ(z.item(), 0);
}

TEST(Jacobian, BothModesAgree) {
  const auto f = [](const Tensor& x) {
    return stack(inputs(at(x, 0) * at(x, 1), sum(x * x), at(x, 2)), 0);
  };
  const Tensor x = tensor({1.0f, 2.0f, 3.0f});
  const Floats expected{2, 1, 0, 2, 4, 6, 0, 0, 1};
  EXPECT_EQ(values(jacrev(f)(x)), expected);
  EXPECT_EQ(values(jacfwd(f)(x)), expected);
  EXPECT_EQ(jacrev(f)(x).rank(), 2);
}

TEST(Jacobian, OfTrees) {
  const auto f = [](const Tensor& a, const Tensor& b) { return std::pair(a * b, sum(a)); };
  const Tensor a = tensor({1.0f, 2.0f}), b = tensor({3.0f, 4.0f});
  // One tensor argument: like the value.
  EXPECT_EQ(values(jacrev<1>(f)(a, b).first), (Floats{1, 0, 0, 2}));
  EXPECT_EQ(values(jacfwd<1>(f)(a, b).second), (Floats{0, 0}));
  // Several: one tree like the arguments for each leaf of the value.
  const auto rows = jacrev<0, 1>(f)(a, b);
  const auto same = jacfwd<0, 1>(f)(a, b);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(values(std::get<0>(rows[0])), (Floats{3, 0, 0, 4}));
  EXPECT_EQ(values(std::get<0>(rows[1])), (Floats{1, 1}));
  EXPECT_EQ(values(std::get<1>(rows[1])), (Floats{0, 0}));
  EXPECT_EQ(values(std::get<0>(same[0])), (Floats{3, 0, 0, 4}));
  // A tensor as the value: like the arguments.
  const auto g = [](const Layer& l) { return l.weight * l.bias; };
  const Layer blocks = jacrev(g)(Layer{a, b, 2});
  EXPECT_EQ(values(blocks.weight), (Floats{3, 0, 0, 4}));
  EXPECT_EQ(values(blocks.bias), (Floats{1, 0, 0, 2}));
  const auto whole = [](const Tensor& x) { return floor(x) == x; };
  EXPECT_EQ(law_of([&] { jacrev(whole)(a); }), "jacrev.dtype");
  EXPECT_EQ(law_of([&] { jacfwd(whole)(a); }), "jacfwd.dtype");
}

TEST(Hessian, AndItsProducts) {
  const auto f = [](const Tensor& x) { return sum(x * x * x); };
  const Tensor x = tensor({1.0f, 2.0f});
  EXPECT_EQ(values(hessian(f)(x)), (Floats{6, 0, 0, 12}));
  EXPECT_EQ(values(hvp(f, x, tensor({1.0f, 10.0f}))), (Floats{6, 120}));
  const auto g = [](const Tensor& a, const Tensor& b) { return a * a * b; };
  const auto [pa, pb] = hvp(g, std::tuple(scalar(2), scalar(3)), std::tuple(scalar(1), scalar(1)));
  EXPECT_EQ(pa.item(), 10);  // 2 b + 2 a
  EXPECT_EQ(pb.item(), 4);   // 2 a
  const auto second = hessian<0, 1>(g)(scalar(2), scalar(3));
  EXPECT_EQ(std::get<0>(second[0]).item(), 6);
  EXPECT_EQ(std::get<1>(second[0]).item(), 4);
  EXPECT_EQ(std::get<1>(second[1]).item(), 0);
  const Tensor batch = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}});
  EXPECT_EQ(values(vmap(hessian(f))(batch)), (Floats{6, 0, 0, 12, 18, 0, 0, 24}));
}

TEST(Detach, IsAConstantEverywhere) {
  const Variable v(scalar(3));
  EXPECT_TRUE(detach(v * v).is_concrete());
  EXPECT_TRUE(detach(Layer{v, v * v}).bias.is_concrete());
  EXPECT_EQ(grad([](const Tensor& x) { return detach(x) * x; })(scalar(3)).item(), 3);
  EXPECT_EQ(jvp([](const Tensor& x) { return detach(x) * x; }, scalar(3), scalar(1)).second.item(),
            3);
  EXPECT_EQ(law_of([] { detach(Tensor()); }), "detach.input");
}

TEST(Vmap, NamesWhoAskedForAnAxis) {
  EXPECT_EQ(law_of([] { axis_index("rows"); }), "axis_index.axis_name");
  EXPECT_EQ(law_of([] { psum(scalar(1), "rows"); }), "psum.axis_name");
  EXPECT_EQ(law_of([] { pmean(scalar(1), "rows"); }), "pmean.axis_name");
}

TEST(Variable, CanBeFrozen) {
  const Variable a(scalar(2)), b(scalar(3));
  const Tensor before = a * b;
  a.set_trainable(false);
  EXPECT_FALSE(a.trainable());
  backward(a * b);
  EXPECT_FALSE(a.grad().defined());
  EXPECT_EQ(values(b.grad().value()), Floats{2});
  backward(before);  // recorded when it was followed
  EXPECT_EQ(values(a.grad().value()), Floats{3});
  a.set_trainable(true);
  backward(a * b);
  EXPECT_EQ(values(a.grad().value()), Floats{6});
}

TEST(Tape, SaysWhyThereIsNoGradient) {
  const Variable used(scalar(2)), unused(tensor({1.0f, 2.0f})), count(Tensor(int64_t{3}));
  GradientTape tape({.persistent = true});
  const Tensor y = used * used * cast(count, DType::kF32);
  tape.stop();
  const auto why = [&](const Variable& source) -> std::string {
    try {
      tape.gradient(y, source);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(why(unused).find("nothing that the tape recorded used it"), std::string::npos);
  EXPECT_NE(why(count).find("it has dtype int64, which has no derivatives"), std::string::npos);
  EXPECT_EQ(law_of([&] { tape.watch(count); }), "GradientTape.watch.dtype");
  const Tensor leaf = tape.leaf_of(unused);
  EXPECT_EQ(values(tape.gradient({&y, 1}, {&leaf, 1}, {}, Unconnected::kZero)[0]), (Floats{0, 0}));
}

TEST(NoGrad, AsAFunction) {
  const Variable x(scalar(2));
  const auto f = [&](const Tensor& t) { return t * x.read(); };
  EXPECT_TRUE(no_grad(f)(scalar(3)).is_concrete());
  EXPECT_FALSE(f(scalar(3)).is_concrete());
}

TEST(NoGrad, EndsInAnyOrder) {
  const Variable x(scalar(2));
  const auto is_recorded = [&] { return !multiply(x, 2.0).is_concrete(); };
  auto first = std::make_unique<NoGrad>(), second = std::make_unique<NoGrad>();
  first.reset();
  EXPECT_FALSE(is_recorded());
  second.reset();
  EXPECT_TRUE(is_recorded());
}

TEST(Tape, JacobiansAndTreesOfSources) {
  Tensor x = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}});
  const Variable w(tensor({1.0f, 10.0f}));
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = x * x * w;
  tape.stop();
  const Tensor whole = tape.jacobian(y, x);
  EXPECT_EQ(whole.rank(), 4);
  EXPECT_EQ(values(tape.batch_jacobian(y, x)), (Floats{2, 0, 0, 40, 6, 0, 0, 80}));
  EXPECT_EQ(values(tape.jacobian(y, w)), (Floats{1, 0, 0, 4, 9, 0, 0, 16}));
  EXPECT_EQ(values(sum(whole, Ints{0, 1})), (Floats{2, 40, 6, 80}));
  const auto [dx] = tape.gradient(y, std::tuple(x));
  EXPECT_EQ(values(dx), (Floats{2, 40, 6, 80}));
  EXPECT_EQ(values(tape.gradient(y, std::vector<Variable>{w})[0]), (Floats{10, 20}));
  EXPECT_EQ(law_of([&] { tape.batch_jacobian(sum(y), x); }), "GradientTape.batch_jacobian.batch");
}

}  // namespace
}  // namespace weft
