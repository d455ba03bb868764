// Samples of einsum.
#include <map>

#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

// Letters for every axis: "..." becomes '1', '2', ... counted from the right.
static std::string letters_of(const std::string& term, size_t rank) {
  std::string out;
  const size_t dots = term.find("...");
  const size_t named = dots == std::string::npos ? term.size() : term.size() - 3;
  for (size_t i = 0; i < term.size(); ++i) {
    if (i != dots) {
      out += term[i];
      continue;
    }
    for (size_t d = rank - named; d > 0; --d) out += static_cast<char>('0' + d);
    i += 2;
  }
  return out;
}

static std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == at) {
      out.emplace_back();
    } else if (c != ' ') {
      out.back() += c;
    }
  }
  return out;
}

static ScalarValue multiplied(const ScalarValue& a, const ScalarValue& b) {
  const auto whole = static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i);
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, static_cast<int64_t>(whole)};
}

// Over every value of every label.
static Arrays reference(const Attrs& at, const Arrays& in) {
  const std::string& equation = at.get<std::string>("equation");
  const size_t arrow = equation.find("->");
  const std::vector<std::string> terms = split(equation.substr(0, arrow), ',');
  std::vector<std::string> labels;
  std::map<char, int64_t> sizes, times;
  for (size_t k = 0; k < in.size(); ++k) {
    labels.push_back(letters_of(terms[k], in[k].shape.size()));
    for (size_t i = 0; i < labels[k].size(); ++i) {
      int64_t& size = sizes.try_emplace(labels[k][i], in[k].shape[i]).first->second;
      if (size == 1) size = in[k].shape[i];
      ++times[labels[k][i]];
    }
  }
  std::string result, all;
  size_t dots = 0;
  for (const auto& [label, size] : sizes) {
    all += label;
    if (label < 'A') dots = static_cast<size_t>(label - '0');
  }
  if (arrow != std::string::npos) {
    const std::string term = split(equation.substr(arrow + 2), ',')[0];
    const bool open = term.find("...") != std::string::npos;
    result = letters_of(term, open ? term.size() - 3 + dots : term.size());
  } else {
    result = letters_of("...", dots);
    for (char label : all) {
      if (label >= 'A' && times[label] == 1) result += label;
    }
  }
  Places whole, shape;
  for (char label : all) whole.push_back(sizes[label]);
  for (char label : result) shape.push_back(sizes[label]);
  Array out = like(in[0], shape);
  for (int64_t i = 0; i < count(whole); ++i) {
    const Places value = unravel(i, whole);
    ScalarValue product{1, 0, 1};
    for (size_t k = 0; k < in.size(); ++k) {
      Places place;
      for (size_t d = 0; d < labels[k].size(); ++d) {
        place.push_back(in[k].shape[d] == 1 ? 0 : value[all.find(labels[k][d])]);
      }
      product = multiplied(product, in[k].values[static_cast<size_t>(ravel(place, in[k].shape))]);
    }
    Places to;
    for (char label : result) to.push_back(value[all.find(label)]);
    ScalarValue& sum = out.values[static_cast<size_t>(ravel(to, shape))];
    sum = {sum.re + product.re, sum.im + product.im,
           static_cast<int64_t>(static_cast<uint64_t>(sum.i) + static_cast<uint64_t>(product.i))};
  }
  return {out};
}

WEFT_OP_TEST(einsum) {
  t.skip("symbolic", "diagonals are counted");
  t.skip("special", "infinities and NaN of its products and sums are those of matmul and multiply");
  t.skip("zero", "0 * inf in a sum of products is NaN, in the gradient as in the product");
  t.sample({in({2, 3}), in({3, 4})}, "equation=\"ij,jk->ik\"");
  t.sample({in({2, 3}), in({3, 4})}, "equation=\"ij, jk\"");
  t.sample({in({2, 2, 3}), in({2, 3, 2})}, "equation=\"bij,bjk->bki\"");
  t.sample({in({3}), in({2})}, "equation=\"i,j->ji\"");
  t.sample({in({3, 3})}, "equation=\"ii\"");
  t.sample({in({3, 2, 3})}, "equation=\"iji->ij\"");
  t.sample({in({2, 3, 2})}, "equation=\"ijk->j\"");
  t.sample({in({2, 1, 2, 3}), in({2, 3, 2})}, "equation=\"...ij,...jk->...ik\"");
  t.sample({in({2, 3}), in({3})}, "equation=\"...j,j\"");
  t.sample({in({2, 3}), in({3, 2}), in({2, 2})}, "equation=\"ij,jk,kl->il\"");
  t.sample({in({2, 3}), in({2, 3}), in({3})}, "equation=\"ij,ij,j->\"");
  t.sample({in({2, 3, 2}), in({3, 2, 2})}, "equation=\"abc,bcd->ad\"");
  t.sample({in({2, 3}), in({2})}, "equation=\"ab,c->c\"");
  t.sample({in({}), in({2})}, "equation=\",i->i\"");
  t.sample({in({3, 1}), in({4})}, "equation=\"ab,b->a\"");
  t.sample({in({1, 2}), in({3, 1}), in({1, 1})}, "equation=\"ab,ab,ab->ba\"");
  t.large({in({8, 60, 70}), in({8, 70, 50})}, "equation=\"bij,bjk->bik\"");
  t.reference(reference);
  t.tolerance(4, "products of several factors are summed");
  t.error("equation", {in({2, 3})}, "equation=\"i1->i\"",
          "einsum: the equation \"i1->i\" has '1' in \"i1\"; subscripts are letters and one "
          "\"...\" [einsum.equation]");
  t.error("operands", {in({2, 3})}, "equation=\"ij,jk->ik\"",
          "einsum: the equation \"ij,jk->ik\" has 2 operands, but got 1 [einsum.operands]");
  t.error("rank", {in({2, 3})}, "equation=\"i->i\"",
          "einsum: operand 0 has shape [2, 3] of rank 2, but its subscripts \"i\" name 1 axes "
          "[einsum.rank]");
  t.error("ellipsis", {in({2, 3})}, "equation=\"...i->i\"",
          "einsum: the result of \"...i->i\" has no ellipsis, but 1 axes of the operands are in "
          "one; write ... in the result [einsum.ellipsis]");
  t.error("output", {in({2, 3})}, "equation=\"ij->ik\"",
          "einsum: label k stands 1 times in the result of \"ij->ik\" and not in an operand; each "
          "of its labels is one of an operand, once [einsum.output]");
  t.error("size", {in({2, 3}), in({4, 2})}, "equation=\"ij,jk->ik\"",
          "einsum: label j has size 3 in operand 0 and 4 in operand 1; they must be equal, "
          "or 1 in one of the operands [einsum.size]");
  t.error("size", {in({1, 3})}, "equation=\"ii->i\"",
          "einsum: label i has size 1 in operand 0 and 3 in operand 0; they must be equal "
          "[einsum.size]");
  t.error("dtype", {typed(in({2}), DType::kBool)}, "equation=\"i\"",
          "einsum: the operands are bool; cast them to a dtype of numbers first [einsum.dtype]");
  t.error("promotion", {typed(in({2}, 0, 1), DType::kU64), typed(in({2}, 0, 1), DType::kI64)},
          "equation=\"i,i\"",
          "einsum: uint64 and int64 have no common dtype that holds both; cast one of them "
          "[einsum.promotion]");
}
