// Reading an einsum equation.
#include "weft/ops/shape/einsum_plan.h"

#include <algorithm>

namespace weft {
namespace {

const InferCtx kWho{"einsum"};

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

// One operand's subscripts as written: letters, and kDots for "...".
Labels read_term(std::string_view equation, std::string_view term) {
  Labels out;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ') continue;
    const bool dots = term.substr(i).starts_with("...");
    kWho.require(dots || is_letter(term[i]), "equation", "the equation \"", equation, "\" has '",
                 std::string(1, term[i]), "' in \"", term,
                 "\"; subscripts are letters and one \"...\"");
    out.push_back(dots ? kDots : term[i]);
    if (dots) i += 2;
  }
  kWho.require(std::count(out.begin(), out.end(), kDots) <= 1, "ellipsis", "\"", term,
               "\" in the equation \"", equation, "\" has several ellipses; one is enough");
  return out;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  for (;;) {
    const size_t end = text.find(at);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

// kDots replaced by the axes it stands for.
Labels expanded(const Labels& written, int64_t dots) {
  Labels out;
  for (Label label : written) {
    if (label != kDots) out.push_back(label);
    for (int64_t d = dots; d > 0 && label == kDots; --d) out.push_back(kDots - d);
  }
  return out;
}

// The axes of x that an ellipsis stands for.
int64_t dots_of(const Labels& written, const Tensor& x, size_t operand, std::string_view term) {
  const bool has_dots = contains(written, kDots);
  const auto named = static_cast<int64_t>(written.size()) - (has_dots ? 1 : 0);
  kWho.require(has_dots ? named <= x.rank() : named == x.rank(), "rank", "operand ", operand,
               " has shape ", x.shape(), " of rank ", x.rank(), ", but its subscripts \"", term,
               "\" name ", named, " axes", has_dots ? "; they may name at most that many" : "");
  return has_dots ? x.rank() - named : 0;
}

std::string shown(Label label) {
  return is_dots(label) ? text("axis ", label - kDots, " of the ellipsis")
                        : text("label ", std::string(1, static_cast<char>(label)));
}

struct Seen {
  Label label;
  Dim size;
  size_t operand;
};
void require_same(const Seen& a, const Seen& b, std::string_view what_is_right) {
  kWho.require(decide_same(a.size, b.size) != Tri::kNo, "size", shown(a.label), " has size ",
               a.size, " in operand ", a.operand, " and ", b.size, " in operand ", b.operand,
               "; they must be equal", what_is_right);
}

// One size for each label, or 1, which broadcasts; but a diagonal has two equal sides.
void check_sizes(const EinsumPlan& plan, TensorSpan xs) {
  std::vector<Seen> all;
  for (size_t k = 0; k < xs.size(); ++k) {
    const Labels& labels = plan.operands[k];
    for (size_t i = 0; i < labels.size(); ++i) {
      const Seen mine{labels[i], xs[k].shape()[i], k};
      const auto first =
          static_cast<size_t>(std::find(labels.begin(), labels.end(), mine.label) - labels.begin());
      require_same({mine.label, xs[k].shape()[first], k}, mine, "");
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const Seen& seen) { return seen.label == mine.label; });
      if (found == all.end()) {
        all.push_back(mine);
      } else if (found->size == Dim(1)) {
        *found = mine;
      } else if (!(mine.size == Dim(1))) {
        require_same(*found, mine, ", or 1 in one of the operands");
      }
    }
  }
}

// Letters that occur once, in the order of the alphabet, behind the ellipsis.
Labels implied_result(const std::vector<Labels>& operands, int64_t dots) {
  Labels all, out = expanded({kDots}, dots);
  for (const Labels& labels : operands) {
    for (Label label : labels) {
      if (!is_dots(label)) all.push_back(label);
    }
  }
  std::sort(all.begin(), all.end());
  for (Label label : all) {
    if (std::count(all.begin(), all.end(), label) == 1) out.push_back(label);
  }
  return out;
}

void check_result(std::string_view equation, const EinsumPlan& plan, int64_t dots) {
  for (Label label : plan.result) {
    const bool known = std::any_of(plan.operands.begin(), plan.operands.end(),
                                   [&](const Labels& in) { return contains(in, label); });
    const auto times = std::count(plan.result.begin(), plan.result.end(), label);
    kWho.require(known && times == 1, "output", shown(label), " stands ", times,
                 " times in the result of \"", equation, "\" and ", known ? "" : "not ",
                 "in an operand; each of its labels is one of an operand, once");
  }
  kWho.require(dots == 0 || contains(plan.result, kDots - 1), "ellipsis", "the result of \"",
               equation, "\" has no ellipsis, but ", dots,
               " axes of the operands are in one; write ... in the result");
}

}  // namespace

bool contains(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

EinsumPlan einsum_plan(std::string_view equation, TensorSpan xs) {
  const size_t arrow = equation.find("->");
  const std::vector<std::string_view> terms = split(equation.substr(0, arrow), ',');
  kWho.require(terms.size() == xs.size(), "operands", "the equation \"", equation, "\" has ",
               terms.size(), " operands, but got ", xs.size());
  EinsumPlan plan;
  int64_t dots = 0;
  for (size_t k = 0; k < xs.size(); ++k) {
    const Labels written = read_term(equation, terms[k]);
    const int64_t own = dots_of(written, xs[k], k, terms[k]);
    plan.operands.push_back(expanded(written, own));
    dots = std::max(dots, own);
  }
  check_sizes(plan, xs);
  plan.result = arrow == std::string_view::npos
                    ? implied_result(plan.operands, dots)
                    : expanded(read_term(equation, equation.substr(arrow + 2)), dots);
  check_result(equation, plan, dots);
  return plan;
}

}  // namespace weft
