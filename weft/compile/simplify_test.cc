// Every rewrite of the table: the function before and after gives the same bits on special values.
#include "weft/compile/simplify.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>

#include "weft/compile/passes.h"
#include "weft/control/ops.h"
#include "weft/core/literal.h"
#include "weft/ir/print.h"
#include "weft/ir/verify.h"
#include "weft/state/state.h"
#include "weft/weft.h"

namespace weft::compile {
namespace {

// Which entries of the table change the function.
std::set<std::string_view> applied(const ir::Function& function) {
  std::set<std::string_view> out;
  Rewrite rewrite(function);
  for (ir::NodeId id = 0; id < function.graph.nodes().size(); ++id) {
    bool done = false;
    for (const Rewriting& one : rewritings()) {
      done = function.graph.node(id).outputs.size() == 1 && one.apply(rewrite, id);
      if (done) out.insert(one.name);
      if (done) break;
    }
    if (!done) rewrite.copy(id);
  }
  return out;
}

Tensor specials(DType dtype, const Shape& shape) {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<float> values;
  const float some[] = {0.0f,
                        -0.0f,
                        1.0f,
                        -1.0f,
                        static_cast<float>(inf),
                        static_cast<float>(-inf),
                        std::numeric_limits<float>::quiet_NaN(),
                        1e-45f,
                        -1e-45f,
                        3.4e38f,
                        0.3f,
                        -2.5f};
  int64_t count = 1;
  for (const Dim dim : shape) count *= dim.value();
  for (int64_t i = 0; i < count; ++i) values.push_back(some[static_cast<size_t>(i) % 12]);
  const Tensor flat =
      Tensor::from_bytes(DType::kF32, Shape{count}, std::as_bytes(std::span(values)));
  const Tensor numbers = is_floating(dtype) ? flat : where(isfinite(flat), flat, 3.0);
  return reshape(
      cast(clip(numbers, is_floating(dtype) ? -inf : -100.0, is_floating(dtype) ? inf : 100.0),
           dtype),
      shape);
}

std::vector<uint8_t> bits_of(const Tensor& t) {
  const Tensor packed = reshape(t, Shape{t.numel()});
  const Tensor whole = packed.is_contiguous() ? packed : concat({&packed, 1}, 0);
  const auto* const data = static_cast<const uint8_t*>(whole.data());
  return {data, data + whole.numel() * size_of(whole.dtype())};
}

// `lines` computes %y of %x: T[3, 4].
void expect_exact(std::string_view name, DType dtype, const std::string& lines,
                  const std::string& type) {
  register_state_ops();
  register_control_ops();
  const std::string t(short_name_of(dtype));
  std::string source = text("weft 1\n\nfunction @f(%x: ", t, "[3, 4]) -> (", type, ") {\n", lines,
                            "  return %y\n}\n");
  for (size_t at; (at = source.find("T[")) != std::string::npos;) source.replace(at, 1, t);
  for (size_t at; (at = source.find('#')) != std::string::npos;) {
    const size_t end = source.find('#', at + 1);
    std::string literal;
    append_literal(literal, Tensor::scalar(dtype, std::stod(source.substr(at + 1, end - at - 1))));
    source.replace(at, end - at + 1, literal);
  }
  const ir::Document document = ir::parse(source);
  const ir::Function& before = *document.main();
  ir::verify(before);
  EXPECT_TRUE(applied(before).contains(name)) << name << "\n" << source;
  const FunctionPtr after = dead_code(*simplify(before));
  ir::verify(*after);
  EXPECT_LT(after->graph.nodes().size(), before.graph.nodes().size()) << name;
  const Tensor x = specials(dtype, {3, 4});
  const Tensor want = ir::inlined(before, {&x, 1}, Where())[0];
  const Tensor have = ir::inlined(*after, {&x, 1}, Where())[0];
  EXPECT_EQ(have.type(), want.type()) << name;
  EXPECT_EQ(bits_of(have), bits_of(want)) << name << " in " << t;
}

struct Proof {
  std::string_view name;
  std::string lines, type;
  std::vector<DType> dtypes;
};

const std::vector<DType> kFloats{DType::kF32, DType::kF64, DType::kF16, DType::kBF16};
const std::vector<DType> kNumbers{DType::kF32,  DType::kF64, DType::kF16,
                                  DType::kBF16, DType::kI32, DType::kI64};

// A constant of the dtype at hand: #1# is that number.
std::string number(std::string_view value) {
  return text("  %c = constant() {value=#", value, "#} : T[]\n");
}

std::vector<Proof> proofs() {
  const std::string all = "T[3, 4]";
  const auto unary = [](std::string_view op) {
    return text("  %a = ", op, "(%x) : T[3, 4]\n  %y = ", op, "(%a) : T[3, 4]\n");
  };
  return {
      {"x * 1 -> x", number("1") + "  %y = multiply(%x, %c) : T[3, 4]\n", all, kNumbers},
      {"1 * x -> x", number("1") + "  %y = multiply(%c, %x) : T[3, 4]\n", all, kNumbers},
      {"x / 1 -> x", number("1") + "  %y = divide(%x, %c) : T[3, 4]\n", all, kFloats},
      {"x - 0 -> x", number("0") + "  %y = subtract(%x, %c) : T[3, 4]\n", all, kNumbers},
      {"x + -0 -> x", number("-0.0") + "  %y = add(%x, %c) : T[3, 4]\n", all, kFloats},
      {"integer x + 0 -> x", number("0") + "  %y = add(%x, %c) : T[3, 4]\n", all, {DType::kI32}},
      {"-(-x) -> x", unary("negative"), all, kNumbers},
      {"not not x -> x",
       "  %a = logical_not(%x) : T[3, 4]\n  %y = logical_not(%a) : T[3, 4]\n",
       all,
       {DType::kBool}},
      {"abs(abs(x)) -> abs(x)", unary("abs"), all, kNumbers},
      {"floor(floor(x)) -> floor(x)", unary("floor"), all, kFloats},
      {"identity(x) -> x", "  %y = identity(%x) : T[3, 4]\n", all, kNumbers},
      {"cast to the dtype it has -> x", "  %y = cast(%x) {dtype=T} : T[3, 4]\n", all, kNumbers},
      {"reshape to the shape it has -> x", "  %y = reshape(%x) {shape=[3, 4]} : T[3, 4]\n", all,
       kNumbers},
      {"broadcast_to the shape it has -> x", "  %y = broadcast_to(%x) {shape=[3, 4]} : T[3, 4]\n",
       all, kNumbers},
      {"reshape of a reshape -> one reshape",
       "  %a = reshape(%x) {shape=[12]} : T[12]\n  %y = reshape(%a) {shape=[2, 6]} : T[2, 6]\n",
       "T[2, 6]", kNumbers},
      {"permute_dims of nothing -> x", "  %y = permute_dims(%x) {axes=[0, 1]} : T[3, 4]\n", all,
       kNumbers},
      {"permute_dims twice -> once, or x",
       "  %a = permute_dims(%x) {axes=[1, 0]} : T[4, 3]\n"
       "  %y = permute_dims(%a) {axes=[1, 0]} : T[3, 4]\n",
       all, kNumbers},
  };
}

// The result is bool, whatever the type that it began with.
TEST(Simplify, keeps_not_not_of_numbers) {
  register_state_ops();
  for (const DType dtype : {DType::kF32, DType::kI64, DType::kC64}) {
    const ir::Document document =
        ir::parse(text("weft 1\n\nfunction @f(%x: ", short_name_of(dtype),
                       "[3]) -> (bool[3]) {\n  %a = logical_not(%x) : bool[3]\n"
                       "  %y = logical_not(%a) : bool[3]\n  return %y\n}\n"));
    EXPECT_TRUE(applied(*document.main()).empty()) << short_name_of(dtype);
  }
}

TEST(Simplify, every_rewrite_keeps_the_bits) {
  std::set<std::string_view> proven;
  for (const Proof& proof : proofs()) {
    for (const DType dtype : proof.dtypes) {
      std::string lines = proof.lines;
      const std::string t(short_name_of(dtype));
      for (size_t at; (at = lines.find("dtype=T}")) != std::string::npos;) {
        lines.replace(at + 6, 1, t);
      }
      expect_exact(proof.name, dtype, lines, proof.type);
    }
    proven.insert(proof.name);
  }
  for (const Rewriting& one : rewritings()) EXPECT_TRUE(proven.contains(one.name)) << one.name;
}

TEST(Simplify, leaves_what_is_not_exact) {
  register_state_ops();
  const ir::Document document = ir::parse(
      "weft 1\n\nfunction @f(%x: f32[n], %z: c64[n]) -> (f32[n], f32[n], c64[n]) {\n"
      "  %zero = constant() {value=f32[] [0.0]} : f32[]\n"
      "  %minus = constant() {value=f32[] [-0.0]} : f32[]\n"
      "  %a = add(%x, %zero) : f32[n]\n"
      "  %b = subtract(%x, %minus) : f32[n]\n"
      "  %one = constant() {value=c64[] 0x0000803f00000000} : c64[]\n"
      "  %c = multiply(%z, %one) : c64[n]\n"
      "  return %a, %b, %c\n}\n");
  EXPECT_EQ(ir::to_text(*simplify(*document.main())), ir::to_text(*document.main()));
}

}  // namespace
}  // namespace weft::compile
