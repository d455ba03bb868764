// The door: what it refuses before a composite or an op sees its inputs, and the levels.
#include "weft/op/apply.h"

#include <gtest/gtest.h>

#include "weft/base/error.h"
#include "weft/op/registry.h"
#include "weft/weft.h"

namespace weft {
namespace {

// What calling the op with its default attributes raises, without the caller's line.
std::string raised_by(std::string_view name, TensorSpan in) {
  const OpEntry& entry = *find_op(name);
  const AnyAttrs attrs(entry.attrs);
  try {
    if (entry.op != nullptr) {
      apply_all(*entry.op, in, attrs.data(), Where{});
    } else {
      compose_all(*entry.composite, in, attrs.data(), Where{});
    }
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(0, what.find('\n'));
  }
  return "nothing";
}

TEST(Apply, ChecksTheNumberOfInputs) {
  const Tensor x = ones({2, 3});
  EXPECT_EQ(raised_by("exp", {}), "exp: takes 1 input, but got 0 [exp.count]");
  EXPECT_EQ(raised_by("concat", {}),
            "concat: needs at least one input, but got none [concat.count]");
  EXPECT_EQ(raised_by("exp", inputs(x, x)), "exp: takes 1 input, but got 2 [exp.count]");
  EXPECT_EQ(raised_by("exp", Tensors(1)),
            "exp: input 0 is an undefined tensor; pass a value [exp.count]");
}

TEST(Compose, ChecksTheNumberOfInputs) {
  const Tensor x = ones({2, 3});
  EXPECT_EQ(raised_by("mean", {}), "mean: takes 1 input, but got 0 [mean.count]");
  EXPECT_EQ(raised_by("mean", inputs(x, x)), "mean: takes 1 input, but got 2 [mean.count]");
  EXPECT_EQ(raised_by("zeros_like", inputs(x, x)),
            "zeros_like: takes 1 input, but got 2 [zeros_like.count]");
  EXPECT_EQ(raised_by("eye", inputs(x)), "eye: takes 0 inputs, but got 1 [eye.count]");
  EXPECT_EQ(raised_by("linspace", inputs(x)),
            "linspace: takes 2 inputs, but got 1 [linspace.count]");
  EXPECT_EQ(raised_by("arange", {}), "arange: takes 1 to 3 inputs, but got 0 [arange.count]");
}

TEST(Compose, RefusesUndefinedInputsThatAreNotOptional) {
  const Tensor x = ones({}), nothing;
  EXPECT_EQ(raised_by("mean", Tensors(1)), "mean: takes 1 input, but got 0 [mean.count]");
  EXPECT_EQ(raised_by("linspace", inputs(nothing, x)),
            "linspace: input 0 is an undefined tensor; pass a value [linspace.count]");
  EXPECT_EQ(raised_by("linspace", inputs(x, nothing)),
            "linspace: takes 2 inputs, but got 1 [linspace.count]");
  EXPECT_EQ(raised_by("nn.layer_norm", inputs(nothing, x, x)),
            "layer_norm: input 0 is an undefined tensor; pass a value [layer_norm.count]");
}

// Every composite survives undefined inputs in every place.
TEST(Compose, NoUndefinedInputIsLookedInto) {
  for (const OpEntry* entry : registered_ops()) {
    if (entry->composite == nullptr) continue;
    const AnyAttrs attrs(entry->attrs);
    const size_t most = std::min<size_t>(entry->inputs.size(), 4);
    for (unsigned defined = 0; defined < 1u << most; ++defined) {
      Tensors in(most);
      for (size_t i = 0; i < most; ++i) {
        const bool is_key = entry->inputs[i].class_name == "key";
        if (defined >> i & 1) in[i] = is_key ? random::Key(1).words() : ones({});
      }
      try {
        compose_all(*entry->composite, in, attrs.data(), Where{});
      } catch (const Error& error) {
        EXPECT_FALSE(error.law.empty()) << error.what();
      }
    }
  }
}

TEST(Compose, OptionalInputsMayBeLeftOut) {
  const random::Key key(3);
  const Tensor nothing;
  const auto drawn = [&](std::string_view name, const Tensor& a, const Tensor& b) {
    const OpEntry& entry = *find_op(name);
    AnyAttrs attrs = parse_attrs(*entry.attrs, "shape=[4]");
    return compose_all(*entry.composite, inputs(key.words(), a, b), attrs.data(), Where{})[0]
        .to_vector<float>();
  };
  EXPECT_EQ(drawn("random.uniform", nothing, Tensor(1.0)), drawn("random.uniform", 0.0, 1.0));
  EXPECT_EQ(drawn("random.normal", nothing, Tensor(2.0)), drawn("random.normal", 0.0, 2.0));
  const Tensor x = reshape(cast(arange(6), DType::kF32), {2, 3}), bias = ones({3});
  EXPECT_EQ(nn::layer_norm(x, nothing, bias).to_vector<float>(),
            nn::layer_norm(x, ones({3}), bias).to_vector<float>());
}

TEST(Compose, ErrorsNameThePartAndTheComposite) {
  const Tensor x = ones({2, 3});
  try {
    mean(x, Ints{2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.op, "mean");
    EXPECT_EQ(error.law, "axis");
  }
}

}  // namespace
}  // namespace weft
