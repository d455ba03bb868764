// Padding: a batch as long as its longest element on every axis.
#include "weft/data/padding.h"

#include <cstring>

#include "weft/data/rows.h"
#include "weft/kernels/copy.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/op/scope.h"
#include "weft/ops/math/math.h"

namespace weft::data {
namespace {

std::string from(const Element& e) {
  return e.origin == nullptr ? "" : text(" (", to_string(*e.origin), ")");
}

// The shape that leaf k of every element is padded to.
Shape common_shape(std::span<const Element> elements, size_t k, const PaddedBatchOptions& options,
                   std::string_view who) {
  const Tensor& first = elements[0].leaves[k].tensor;
  Shape out(static_cast<size_t>(first.rank()), Dim(0));
  const Shape* const asked = options.padded_shapes.empty() ? nullptr : &options.padded_shapes[k];
  if (asked != nullptr && asked->size() != out.size()) {
    fail(Code::kInvalid, who, "shape", "the shape to pad to is ", *asked, " but element 0 is ",
         to_string(elements[0].leaves[k]), "; they have one rank");
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    const Leaf& leaf = elements[i].leaves[k];
    if (leaf.is_text() || leaf.tensor.dtype() != first.dtype() ||
        leaf.tensor.rank() != first.rank()) {
      fail(Code::kInvalid, who, "elements", "element ", i, from(elements[i]), " is ",
           to_string(leaf), " but element 0 is ", to_string(elements[0].leaves[k]),
           "; padding makes sizes alike, not dtypes and ranks");
    }
    for (size_t axis = 0; axis < out.size(); ++axis) {
      const int64_t size = leaf.shape()[axis].value();
      const int64_t most = asked == nullptr ? -1 : (*asked)[axis].value();
      if (most >= 0 && size > most) {
        fail(Code::kInvalid, who, "shape", "element ", i, from(elements[i]), " is ",
             to_string(leaf), ", longer on axis ", axis, " than the shape ", *asked,
             " that it is padded to");
      }
      out[axis] = std::max(out[axis].value(), most >= 0 ? most : size);
    }
  }
  return out;
}

// As the leaf has it, and not a number near it. A fraction or a number out of range would be
// another one there; that a float rounds is known.
Tensor padding_value(const Tensor& given, DType dtype, std::string_view who) {
  if (given.numel() != 1) {
    fail(Code::kInvalid, who, "padding_values", "the padding of a leaf is ", given.type(),
         "; it is one number");
  }
  const Tensor value = cast(given, dtype);
  const bool may_round = is_floating(dtype) || is_complex(dtype);
  if (may_round && is_complex(dtype) >= is_complex(given.dtype())) return value;
  if (equal(cast(value, given.dtype()), given).item() != 0) return value;
  fail(Code::kInvalid, who, "padding_values", "the padding is ", to_string(given),
       " but the elements are ", dtype, ", which has no such number");
}

Tensor padded_leaf(std::span<const Element> elements, size_t k, const PaddedBatchOptions& options,
                   std::string_view who) {
  const Tensor& first = elements[0].leaves[k].tensor;
  const Shape each = common_shape(elements, k, options, who);
  Shape shape{static_cast<int64_t>(elements.size())};
  for (const Dim extent : each) shape.push_back(extent);
  Tensor out = Tensor::empty(first.dtype(), shape);
  if (options.padding_values.empty() || !options.padding_values[k].defined()) {
    std::memset(out.writable_data(), 0, static_cast<size_t>(out.numel() * size_of(out.dtype())));
  } else {
    const Tensor value = padding_value(options.padding_values[k], first.dtype(), who);
    kernels::fill(kernels::operand_of(out), value.data());
  }
  const Ints strides = contiguous_strides(shape);
  for (size_t i = 0; i < elements.size(); ++i) {
    const Tensor& t = elements[i].leaves[k].tensor;
    const Tensor place =
        out.view(t.shape(), std::span(strides).subspan(1), static_cast<int64_t>(i) * strides[0]);
    kernels::copy(kernels::operand_of(place), kernels::operand_of(t));
  }
  return out;
}

}  // namespace

Element padded(std::span<const Element> elements, const PaddedBatchOptions& options,
               std::string_view who) {
  const OutsideLevels outside;
  Element out;
  out.form = elements[0].form;
  const size_t count = elements[0].size();
  const auto require_count = [&](size_t given, std::string_view name) {
    if (given == 0 || given == count) return;
    fail(Code::kInvalid, who, name, name, " has ", given, " entries but elements have ", count,
         " leaves; give one for each");
  };
  require_count(options.padded_shapes.size(), "padded_shapes");
  require_count(options.padding_values.size(), "padding_values");
  for (size_t i = 1; i < elements.size(); ++i) {
    if (are_equal(*elements[i].form, *out.form)) continue;
    fail(Code::kInvalid, who, "elements", "element ", i, from(elements[i]), " has the form ",
         to_string(*elements[i].form), " but element 0 has the form ", to_string(*out.form),
         "; the elements of a batch have one form");
  }
  for (size_t k = 0; k < count; ++k) {
    if (elements[0].leaves[k].is_text()) {
      std::vector<Element> texts;
      for (const Element& e : elements) texts.push_back({{e.leaves[k]}, leaf_form()});
      out.leaves.push_back(stacked(texts, who).leaves[0]);
    } else {
      out.leaves.emplace_back(padded_leaf(elements, k, options, who));
    }
  }
  out.rows = origins_of(elements);
  return out;
}

Spec padded_spec(Spec one, const PaddedBatchOptions& options, Dim rows) {
  for (size_t k = 0; k < one.leaves.size(); ++k) {
    Shape shape{rows};
    for (size_t axis = 0; axis < one.leaves[k].shape.size(); ++axis) {
      const bool is_given = k < options.padded_shapes.size() &&
                            axis < options.padded_shapes[k].size() &&
                            options.padded_shapes[k][axis].value() >= 0;
      shape.push_back(is_given ? options.padded_shapes[k][axis] : varying());
    }
    one.leaves[k].shape = shape;
  }
  return one;
}

}  // namespace weft::data
