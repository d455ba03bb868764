// Observers, pictures of a tape, fingerprints.
#include "weft/op/observe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "weft/transform/backward.h"
#include "weft/transform/draw.h"
#include "weft/transform/fingerprint.h"
#include "weft/weft.h"

namespace weft {
namespace {

TEST(Observe, SeesEveryOpForwardAndBackward) {
  const Variable x(tensor({1.0f, 2.0f}), {.name = "x"});
  std::vector<std::string> names;
  {
    const Observe seen([&](const Observation& o) {
      names.emplace_back(o.op.name);
      EXPECT_FALSE(o.outputs.empty());
      EXPECT_GE(o.nanoseconds, 0);
    });
    const Tensor y = exp(x) * x;
    EXPECT_EQ(names, (std::vector<std::string>{"exp", "multiply"}));
    backward(sum(y));
  }
  const auto count = [&](std::string_view prefix) {
    return std::count_if(names.begin(), names.end(),
                         [&](const std::string& name) { return name.starts_with(prefix); });
  };
  EXPECT_EQ(count("exp.vjp"), 1);
  EXPECT_EQ(count("multiply.vjp"), 1);
  const size_t before = names.size();
  exp(x);
  EXPECT_EQ(names.size(), before);
}

TEST(Observe, SaysWhereAndHowMuch) {
  const Tensor x = tensor({1.0f, 2.0f, 3.0f});
  int64_t bytes = 0;
  std::string line;
  const Observe seen([&](const Observation& o) {
    bytes = o.bytes;
    line = to_string(o.where);
    exp(o.outputs[0]);  // not observed
  });
  const int here = __LINE__ + 1;
  tanh(x);
  EXPECT_EQ(bytes, 24);
  EXPECT_TRUE(line.ends_with(text("observe_test.cc:", here))) << line;
}

TEST(Observe, ObserversNestAndMayStopTheProgram) {
  int outer = 0, inner = 0;
  const Observe first([&](const Observation&) { ++outer; });
  {
    const Observe second([&](const Observation& o) {
      ++inner;
      if (std::isnan(o.outputs[0].item())) fail(Code::kInvalid, o.op.name, "nan", "gives NaN");
    });
    EXPECT_THROW(log(tensor({-1.0f})), Error);
  }
  exp(tensor({1.0f}));
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 1);  // the latest observer goes first
}

TEST(Observe, GivesTheSameBits) {
  const auto run = [] {
    const Variable w(random::normal(random::Key(1), {8, 3}));
    backward(sum(tanh(matmul(random::normal(random::Key(0), {4, 8}), w)) * 0.1 + sum(w)));
    return fingerprint(w.grad().value());
  };
  const std::string expected = run();
  const Observe seen([](const Observation&) {});
  EXPECT_EQ(run(), expected);
}

TEST(Draw, ShowsBothSidesOfTheTape) {
  const Variable w(tensor({{1.0f, 2.0f}, {3.0f, 4.0f}}), {.name = "weight"});
  const Tensor x = tensor({{1.0f, 1.0f}});
  const Tensor loss = sum(tanh(matmul(x, w)), Ints{1});
  const std::vector<DrawnRecord> records = records_behind(loss);
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].name, "weight");
  EXPECT_EQ(records[1].name, "constant");
  EXPECT_EQ(records[2].name, "matmul");
  EXPECT_EQ(records[2].type, "float32[1, 2]");
  EXPECT_TRUE(records[2].line.starts_with("observe_test.cc:"));
  EXPECT_TRUE(records[3].reads_output);  // tanh's slope comes from its value
  EXPECT_EQ(records[4].attrs, "axis=[1]");
  const std::string dot = draw_dot(loss), svg = draw_svg(loss);
  for (const char* part : {"weight.grad", "tanh backward", "float32[1, 2]"}) {
    EXPECT_NE(dot.find(part), std::string::npos) << part;
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  }
  EXPECT_THROW(draw_dot(loss, 2), Error);
  backward(sum(loss));
  EXPECT_THROW(draw_svg(loss), Error);
  EXPECT_THROW(draw_svg(x), Error);
}

TEST(Draw, KeepsBoxesApart) {
  const Variable x(Tensor::scalar(DType::kF32, 2), {.name = "x"});
  Tensor y = x;
  for (int i = 0; i < 12; ++i) y = y * x + sin(y);
  const std::string svg = draw_svg(y);
  std::vector<std::array<double, 4>> boxes;
  for (size_t at = svg.find("<rect class"); at != std::string::npos;
       at = svg.find("<rect class", at + 1)) {
    std::array<double, 4> box;
    const char* const names[] = {" x='", " y='", " width='", " height='"};
    for (size_t k = 0; k < 4; ++k)
      box[k] = std::stod(svg.substr(svg.find(names[k], at) + std::strlen(names[k]), 12));
    boxes.push_back(box);
  }
  EXPECT_EQ(boxes.size(), 2u * 37);
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const auto [x0, y0, w0, h0] = boxes[i];
      const auto [x1, y1, w1, h1] = boxes[j];
      EXPECT_TRUE(x0 + w0 <= x1 || x1 + w1 <= x0 || y0 + h0 <= y1 || y1 + h1 <= y0);
    }
  }
}

TEST(Fingerprint, DependsOnDtypeShapeBitsAndOrder) {
  const Tensor a = tensor({1.0f, 2.0f});
  EXPECT_EQ(fingerprint(a), "80d47c14e54a9cb46e32214b62d103d6");  // as hashlib says
  EXPECT_EQ(fingerprint(Variable(a)), fingerprint(a));
  const Tensor row = ones({6}), written = row + zeros({6});  // a view of one number, and six
  EXPECT_EQ(fingerprint(row), fingerprint(written));
  EXPECT_NE(fingerprint(reshape(a, {2, 1})), fingerprint(a));
  EXPECT_NE(fingerprint(cast(a, DType::kF64)), fingerprint(a));
  const Tensor b = tensor({1.0f, -2.0f});
  EXPECT_NE(fingerprint(std::vector{a, b}), fingerprint(std::vector{b, a}));
  const Tensor m = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}});
  EXPECT_EQ(fingerprint(permute_dims(m, Ints{1, 0})),
            fingerprint(tensor({{1.0f, 3.0f}, {2.0f, 4.0f}})));
}

}  // namespace
}  // namespace weft
