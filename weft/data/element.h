// Element: what a dataset gives at a time: leaves, and the form of the tree that they make.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "weft/base/error.h"
#include "weft/base/shared.h"
#include "weft/data/form.h"

namespace weft::data {

// Texts of one shape, in row-major order: of rank 0 it is one text, of [n] what `batch` made of n.
struct Texts {
  Shape shape;
  std::vector<std::string> texts;
};

// A tensor or texts.
struct Leaf {
  Tensor tensor;
  Shared<const Texts> texts;  // null: it is a tensor

  Leaf() = default;
  Leaf(Tensor tensor) : tensor(std::move(tensor)) {}  // NOLINT(google-explicit-constructor)
  explicit Leaf(std::string text) : texts(new_shared<const Texts>(Texts{{}, {std::move(text)}})) {}
  explicit Leaf(Texts all) : texts(new_shared<const Texts>(std::move(all))) {}

  bool is_text() const { return texts != nullptr; }
  ShapeView shape() const { return is_text() ? ShapeView(texts->shape) : tensor.shape(); }
  int64_t bytes() const;
};

// Where an element was read.
struct Origin {
  std::string file;
  int64_t line = -1;    // the first is 1
  int64_t offset = -1;  // in bytes
};
std::string to_string(const Origin& origin);  // data.csv, line 3, offset 17

// Where the rows of a batch come from: their numbers in the source, or where each was read. What is
// not known is empty.
struct RowOrigins {
  std::vector<int64_t> numbers;
  std::vector<Shared<const Origin>> origins;
};

struct Element {
  std::vector<Leaf> leaves;
  Shared<const Form> form;
  Shared<const Origin> origin;
  Shared<const RowOrigins> rows;  // of a batch
  int64_t number = 0;             // among those of a step that counts them

  Element() = default;
  Element(Tensor tensor);  // NOLINT(google-explicit-constructor)
  explicit Element(std::string text);
  explicit Element(std::vector<Leaf> leaves);      // a tuple
  Element(std::initializer_list<Tensor> tensors);  // a tuple
  Element(std::vector<Leaf> leaves, Shared<const Form> form)
      : leaves(std::move(leaves)), form(std::move(form)) {}

  size_t size() const { return leaves.size(); }
  // Raises [Element.tensors] beyond the last.
  const Tensor& operator[](size_t i) const {
    if (i >= leaves.size()) fail_count(i + 1);
    return leaves[i].tensor;
  }
  // `const auto [x, y] = element.tensors<2>();`
  template <size_t N>
  std::array<Tensor, N> tensors() const {
    if (leaves.size() != N) fail_count(N);
    std::array<Tensor, N> out;
    for (size_t i = 0; i < N; ++i) out[i] = leaves[i].tensor;
    return out;
  }
  const std::string& text() const;  // of one leaf that is one text

  int64_t bytes() const;

 private:
  [[noreturn]] void fail_count(size_t wanted) const;
};

// The same with all tensors in memory. Raises [who.concrete] and [who.gradient].
Element concrete_element(Element element, std::string_view who);

// What a leaf is, for messages: float32[2, 3], or text[].
std::string to_string(const Leaf& leaf);

// One element of those, with a new first axis. Raises [who.elements] for elements that differ in
// form, dtype or shape.
Element stacked(std::span<const Element> elements, std::string_view who);
// Where the elements of a batch come from; null if that is not known.
Shared<const RowOrigins> origins_of(std::span<const Element> elements);
// Element i along the first axis.
Element row_of(const Element& batch, int64_t i);
// How long the first axis of all leaves is. Raises [who.axis] if they differ or have none.
int64_t rows_of(const Element& batch, std::string_view who);

}  // namespace weft::data
