// Elements: their sizes, and many of them as one.
#include "weft/data/element.h"

#include <algorithm>
#include <cstring>

#include "weft/core/byte_count.h"
#include "weft/core/native.h"
#include "weft/data/rows.h"
#include "weft/op/concrete_value.h"

namespace weft::data {
namespace {

std::string_view place_of(size_t leaf, size_t count, std::string& room) {
  room = count == 1 ? "" : weft::text(" in leaf ", leaf);
  return room;
}

void require_alike(const Element& first, const Element& other, size_t number,
                   std::string_view who) {
  const std::string from =
      other.origin == nullptr ? "" : weft::text(" (", to_string(*other.origin), ")");
  if (!are_equal(*first.form, *other.form)) {
    fail(Code::kInvalid, who, "elements", "element ", number, from, " has the form ",
         to_string(*other.form), " but element 0 has the form ", to_string(*first.form),
         "; the elements of a batch have one form");
  }
  std::string room;
  for (size_t k = 0; k < first.size(); ++k) {
    const Leaf &a = first.leaves[k], &b = other.leaves[k];
    const bool is_alike = a.is_text() == b.is_text() &&
                          (a.is_text() || a.tensor.dtype() == b.tensor.dtype()) &&
                          same(a.shape(), b.shape()) == Tri::kYes;
    if (is_alike) continue;
    fail(Code::kInvalid, who, "elements", "element ", number, from, " is ", to_string(b),
         " but element 0 is ", to_string(a), place_of(k, first.size(), room),
         "; the elements of a batch have one dtype and shape: padded_batch and bucket_by_length "
         "take lengths that differ");
  }
}

Leaf stacked_texts(std::span<const Element> elements, size_t leaf) {
  Texts out{{static_cast<int64_t>(elements.size())}, {}};
  for (const Dim extent : elements[0].leaves[leaf].texts->shape) out.shape.push_back(extent);
  for (const Element& e : elements) {
    const std::vector<std::string>& texts = e.leaves[leaf].texts->texts;
    out.texts.insert(out.texts.end(), texts.begin(), texts.end());
  }
  return Leaf(std::move(out));
}

Leaf stacked_tensors(std::span<const Element> elements, size_t leaf) {
  const Tensor& first = elements[0].leaves[leaf].tensor;
  Shape shape{static_cast<int64_t>(elements.size())};
  for (const Dim extent : first.shape()) shape.push_back(extent);
  Tensor out = Tensor::empty(first.dtype(), shape);
  const int64_t bytes = first.numel() * size_of(first.dtype());
  auto* to = static_cast<std::byte*>(out.writable_data());
  for (const Element& e : elements) {
    copy_to(to, e.leaves[leaf].tensor);
    to += bytes;
  }
  return out;
}

}  // namespace

Element concrete_element(Element element, std::string_view who) {
  std::string room;
  for (size_t k = 0; k < element.size(); ++k) {
    Leaf& leaf = element.leaves[k];
    if (leaf.is_text() || (leaf.tensor.defined() && leaf.tensor.is_concrete())) continue;
    const std::string what = weft::text("the element", place_of(k, element.size(), room));
    leaf.tensor = concrete_value(leaf.tensor, {who, what});
  }
  return element;
}

std::string to_string(const Origin& origin) {
  std::string out = origin.file;
  if (origin.line >= 0) out += weft::text(", line ", origin.line);
  if (origin.offset >= 0) out += weft::text(", offset ", origin.offset);
  return out;
}

int64_t Leaf::bytes() const {
  if (!is_text()) return byte_count(tensor);
  int64_t out = 0;
  for (const std::string& one : texts->texts) {
    out += static_cast<int64_t>(one.size() + sizeof(std::string));
  }
  return out;
}

Element::Element(Tensor tensor) : leaves{Leaf(std::move(tensor))}, form(leaf_form()) {}
Element::Element(std::string text) : leaves{Leaf(std::move(text))}, form(leaf_form()) {}
Element::Element(std::vector<Leaf> given)
    : leaves(std::move(given)), form(tuple_form(leaves.size())) {}
Element::Element(std::initializer_list<Tensor> tensors)
    : leaves(tensors.begin(), tensors.end()), form(tuple_form(leaves.size())) {}

const std::string& Element::text() const {
  if (leaves.size() != 1 || !leaves[0].is_text() || leaves[0].texts->texts.size() != 1) {
    fail(Code::kType, "Element", "text", "has the form ", to_string(*form), " of ", leaves.size(),
         " leaves; only an element that is one text has a text");
  }
  return leaves[0].texts->texts[0];
}

int64_t Element::bytes() const {
  int64_t out = 0;
  for (const Leaf& leaf : leaves) out = sum_of_bytes(out, leaf.bytes());
  return out;
}

void Element::fail_count(size_t wanted) const {
  fail(Code::kType, "Element", "tensors", "has ", leaves.size(), " leaves, but ", wanted,
       " are asked for");
}

std::string to_string(const Leaf& leaf) {
  if (leaf.is_text()) return weft::text("text", leaf.texts->shape);
  return weft::text(name_of(leaf.tensor.dtype()), leaf.tensor.shape());
}

Element stacked(std::span<const Element> elements, std::string_view who) {
  WEFT_ASSERT(!elements.empty(), who);
  Element out;
  out.form = elements[0].form;
  for (size_t i = 1; i < elements.size(); ++i) require_alike(elements[0], elements[i], i, who);
  for (size_t k = 0; k < elements[0].size(); ++k) {
    out.leaves.push_back(elements[0].leaves[k].is_text() ? stacked_texts(elements, k)
                                                         : stacked_tensors(elements, k));
  }
  out.rows = origins_of(elements);
  return out;
}

Shared<const RowOrigins> origins_of(std::span<const Element> elements) {
  const auto is_known = [](const Element& one) { return one.origin != nullptr; };
  if (std::ranges::none_of(elements, is_known)) return nullptr;
  RowOrigins out;
  for (const Element& one : elements) out.origins.push_back(one.origin);
  return new_shared<const RowOrigins>(std::move(out));
}

Element row_of(const Element& batch, int64_t i) {
  Element out;
  out.form = batch.form;
  out.leaves.reserve(batch.size());
  for (const Leaf& leaf : batch.leaves) {
    if (leaf.is_text()) {
      const Texts& all = *leaf.texts;
      Texts one{Shape(all.shape.begin() + 1, all.shape.end()), {}};
      const int64_t count = num_elements(one.shape).value();
      const auto first = all.texts.begin() + i * count;
      one.texts.assign(first, first + count);
      out.leaves.push_back(Leaf(std::move(one)));
    } else {
      const Tensor& t = leaf.tensor;
      out.leaves.push_back(
          t.view(t.shape().subspan(1), t.strides().subspan(1), i * t.strides()[0]));
    }
  }
  return out;
}

int64_t rows_of(const Element& batch, std::string_view who) {
  int64_t out = -1;
  std::string room;
  for (size_t k = 0; k < batch.size(); ++k) {
    const ShapeView shape = batch.leaves[k].shape();
    if (shape.empty()) {
      fail(Code::kInvalid, who, "axis", "has ", to_string(batch.leaves[k]),
           place_of(k, batch.size(), room), "; elements lie along a first axis");
    }
    const int64_t rows = shape[0].value();
    if (out >= 0 && rows != out) {
      fail(Code::kInvalid, who, "axis", "has ", out, " elements in leaf 0 and ", rows, " in leaf ",
           k, "; the first axes are of one length");
    }
    out = rows;
  }
  if (out < 0) fail(Code::kInvalid, who, "axis", "has no leaves; give at least one tensor");
  return out;
}

}  // namespace weft::data
