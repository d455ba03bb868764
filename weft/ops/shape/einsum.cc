// einsum: sums of products over labelled axes, as permutations, reshapes and matmul.
#include <algorithm>
#include <vector>

#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/shape/einsum_plan.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

struct EinsumAttrs {
  std::string equation;
  static constexpr auto fields =
      fields_of(field("equation", &EinsumAttrs::equation,
                      "subscripts of each operand, and of the result behind \"->\"", kRequired));
};

struct Term {
  Tensor x;
  Labels labels;
};

// "ii": the diagonal, read where both axes have one index.
void take_diagonals(Term& term) {
  for (size_t q = 0; q < term.labels.size(); ++q) {
    const auto p = static_cast<size_t>(
        std::find(term.labels.begin(), term.labels.end(), term.labels[q]) - term.labels.begin());
    if (p == q) continue;
    const auto first = static_cast<int64_t>(p), second = static_cast<int64_t>(q);
    const Tensor along = arange(term.x.dim(first).value());
    term.x = index_at(term.x, Tensors{along, along}, {{first, second}, first}, Where{});
    term.labels.erase(q);
    --q;
  }
}

// Axes of size 1 whose labels are longer in other terms: the one element meets all of theirs, so
// nothing is lost without the axis.
void drop_repeated(Term& term, const std::vector<Term>& terms) {
  const auto is_longer_elsewhere = [&](Label label) {
    return std::ranges::any_of(terms, [&](const Term& other) {
      const auto at = std::find(other.labels.begin(), other.labels.end(), label);
      return at != other.labels.end() && !(other.x.dim(at - other.labels.begin()) == Dim(1));
    });
  };
  Ints axes;
  Labels left;
  for (size_t i = 0; i < term.labels.size(); ++i) {
    const Label label = term.labels[i];
    if (!is_dots(label) && term.x.shape()[i] == Dim(1) && is_longer_elsewhere(label)) {
      axes.push_back(static_cast<int64_t>(i));
    } else {
      left.push_back(label);
    }
  }
  if (axes.empty()) return;
  term.x = squeeze(term.x, axes);
  term.labels = left;
}

// Sums over the axes that `wanted` refuses.
template <class Wanted>
void sum_out(Term& term, Wanted wanted) {
  Ints axes;
  Labels left;
  for (size_t i = 0; i < term.labels.size(); ++i) {
    if (wanted(term.labels[i])) {
      left.push_back(term.labels[i]);
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return;
  const DType dtype = term.x.dtype();
  term.x = cast(sum(term.x, axes), dtype);  // integers wrap in their own width, as products do
  term.labels = left;
}

// The term with its axes in the order of `labels`, all of which it has.
Tensor in_order(const Term& term, const Labels& labels) {
  Ints axes;
  for (Label label : labels) {
    axes.push_back(std::find(term.labels.begin(), term.labels.end(), label) - term.labels.begin());
  }
  return permute_dims(term.x, axes);
}

Shape sizes_of(const Term& term, const Labels& labels) {
  Shape out;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto at = std::find(term.labels.begin(), term.labels.end(), labels[i]);
    out.push_back(term.x.shape()[static_cast<size_t>(at - term.labels.begin())]);
  }
  return out;
}

Labels operator+(const Labels& a, const Labels& b) {
  Labels out = a;
  for (Label label : b) out.push_back(label);
  return out;
}
Shape with(Shape shape, std::initializer_list<Dim> more) {
  for (Dim dim : more) shape.push_back(dim);
  return shape;
}

// What two terms have in common, and what each has alone.
struct Roles {
  Labels batch, summed, left, right;
};
Roles roles_of(const Term& a, const Term& b, const Labels& kept) {
  Roles out;
  for (Label label : a.labels) {
    Labels& role = !contains(b.labels, label) ? out.left
                   : contains(kept, label)    ? out.batch
                                              : out.summed;
    role.push_back(label);
  }
  for (Label label : b.labels) {
    if (!contains(a.labels, label)) out.right.push_back(label);
  }
  return out;
}

// Nothing is summed: a product of elements, each term with size 1 where only the other has an axis.
Tensor outer_product(const Term& a, const Term& b, const Roles& roles) {
  Shape left = sizes_of(a, roles.batch + roles.left), right = sizes_of(b, roles.batch);
  for (size_t i = 0; i < roles.right.size(); ++i) left.push_back(1);
  for (size_t i = 0; i < roles.left.size(); ++i) right.push_back(1);
  for (Dim dim : sizes_of(b, roles.right)) right.push_back(dim);
  const Tensor aligned_b = reshape(in_order(b, roles.batch + roles.right), right);
  return multiply(reshape(in_order(a, roles.batch + roles.left), left), aligned_b);
}

// [batch.., left, summed] @ [batch.., summed, right]
Tensor matrix_product(const Term& a, const Term& b, const Roles& roles) {
  const Shape rows = sizes_of(a, roles.left), columns = sizes_of(b, roles.right);
  const Dim m = num_elements(rows), n = num_elements(columns);
  const Dim k = num_elements(sizes_of(a, roles.summed));
  const Tensor lhs = reshape(in_order(a, roles.batch + roles.left + roles.summed),
                             with(sizes_of(a, roles.batch), {m, k}));
  const Tensor rhs = reshape(in_order(b, roles.batch + roles.summed + roles.right),
                             with(sizes_of(b, roles.batch), {k, n}));
  const Tensor product = matmul(lhs, rhs);
  Shape shape(product.shape().subspan(0, roles.batch.size()));
  for (Dim dim : rows) shape.push_back(dim);
  for (Dim dim : columns) shape.push_back(dim);
  return reshape(product, shape);
}

// One term of two; `kept` are the labels that somebody still needs.
Term contracted(Term a, Term b, const Labels& kept) {
  sum_out(a, [&](Label label) { return contains(kept, label) || contains(b.labels, label); });
  sum_out(b, [&](Label label) { return contains(kept, label) || contains(a.labels, label); });
  const Roles roles = roles_of(a, b, kept);
  const Tensor product =
      roles.summed.empty() ? outer_product(a, b, roles) : matrix_product(a, b, roles);
  return {product, roles.batch + roles.left + roles.right};
}

DType common_dtype(TensorSpan in) {
  DType out = in[0].dtype();
  for (const Tensor& x : in.subspan(1)) {
    const std::optional<DType> joined = promote(out, x.dtype());
    InferCtx{"einsum"}.require_type(joined.has_value(), "promotion", out, " and ", x.dtype(),
                                    " have no common dtype that holds both; cast one of them");
    out = *joined;
  }
  InferCtx{"einsum"}.require_type(out != DType::kBool, "dtype",
                                  "the operands are bool; cast them to a dtype of numbers first");
  return out;
}

Tensors composed(const EinsumAttrs& at, TensorSpan in) {
  const EinsumPlan plan = einsum_plan(at.equation, in);
  const DType dtype = common_dtype(in);
  std::vector<Term> terms;
  std::vector<Labels> labels;
  std::vector<Shape> sizes;
  for (size_t k = 0; k < in.size(); ++k) {
    terms.push_back({cast(in[k], dtype), plan.operands[k]});
    take_diagonals(terms.back());
  }
  for (Term& term : terms) {
    drop_repeated(term, terms);
    labels.push_back(term.labels);
    sizes.emplace_back(term.x.shape());
  }
  for (const Pair pair : contraction_path(labels, sizes, plan.result)) {
    const Term b = terms[pair.second], a = terms[pair.first];
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(pair.second));
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(pair.first));
    Labels kept = plan.result;
    for (const Term& other : terms) kept = kept + other.labels;
    terms.push_back(contracted(a, b, kept));
  }
  Term& last = terms[0];
  sum_out(last, [&](Label label) { return contains(plan.result, label); });
  return {in_order(last, plan.result)};
}

}  // namespace

constinit const CompositeDef kEinsum{
    .name = "einsum",
    .doc =
        "Sums of products over labelled axes: `einsum(\"ij,jk->ik\", a, b)` multiplies matrices. "
        "Each operand has a letter for every axis; letters that are not in the result are summed "
        "over; a letter twice in an operand reads its diagonal; axes of size 1 broadcast; `...` "
        "stands for any number of axes. Without `->` the result has the letters that occur once, "
        "in the order of the "
        "alphabet, behind `...`. Operands are contracted two at a time, by matmul, in an order "
        "that the shapes alone decide: the cheapest of up to five operands, else a greedy one.",
    .inputs = {"xs...: numeric"},
    .outputs = {"out: numeric"},
    .attrs = attrs_type<EinsumAttrs>(),
    .laws = {Law{"equation", "subscripts are letters and \"...\""},
             Law{"operands", "there are subscripts for each operand"},
             Law{"rank", "subscripts name every axis"},
             Law{"ellipsis", "there is one ellipsis, and in the result too"},
             Law{"output", "the result's labels are those of operands, once each"},
             Law{"size", "a label has one size, or 1 where it broadcasts"},
             Law{"dtype", "operands are numbers"},
             Law{"promotion", "operands have a common dtype"}},
    .compose = rule<composed>(),
    .known_as = {Alias{"numpy", "einsum"}, Alias{"torch", "einsum"}, Alias{"jax", "numpy.einsum"},
                 Alias{"tf", "einsum"}},
};

Tensor einsum(std::string equation, TensorSpan xs, Where where) {
  return compose(kEinsum, xs, EinsumAttrs{std::move(equation)}, where);
}

}  // namespace weft
