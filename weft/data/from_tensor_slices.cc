// from_tensor_slices and from_tensors: elements in memory.
#include "weft/data/dataset.h"
#include "weft/data/rows.h"
#include "weft/data/source.h"

namespace weft::data {
namespace {

class Slices final : public IndexedNode {
 public:
  explicit Slices(Element slices)
      : IndexedNode("from_tensor_slices"),
        slices_(concrete_element(std::move(slices), name())),
        size_(rows_of(slices_, name())) {
    for (Leaf& leaf : slices_.leaves) {
      if (!leaf.is_text()) leaf.tensor = contiguous(leaf.tensor);
    }
  }

  int64_t size() const override { return size_; }
  Element get(int64_t index) const override { return row_of(slices_, index); }
  bool can_gather() const override { return true; }
  Element gather(std::span<const int64_t> indices) const override {
    Element out;
    out.form = slices_.form;
    out.leaves.reserve(slices_.size());
    for (const Leaf& leaf : slices_.leaves) {
      if (leaf.is_text()) {
        out.leaves.push_back(gathered_texts(*leaf.texts, indices));
      } else {
        out.leaves.emplace_back(gathered(leaf.tensor, indices));
      }
    }
    return out;
  }
  std::string text() const override {
    std::string out = "from_tensor_slices(";
    for (size_t k = 0; k < slices_.size(); ++k) {
      out += weft::text(k == 0 ? "" : ", ", to_string(slices_.leaves[k]));
    }
    return out + ")";
  }
  Spec spec() const override {
    Spec out = spec_of(slices_);
    for (LeafSpec& leaf : out.leaves) leaf.shape = Shape(leaf.shape.begin() + 1, leaf.shape.end());
    return out;
  }

 private:
  static Leaf gathered_texts(const Texts& all, std::span<const int64_t> indices) {
    Texts out{all.shape, {}};
    out.shape[0] = static_cast<int64_t>(indices.size());
    const auto each =
        static_cast<int64_t>(all.texts.size()) / std::max<int64_t>(1, all.shape[0].value());
    for (const int64_t i : indices) {
      const auto first = all.texts.begin() + i * each;
      out.texts.insert(out.texts.end(), first, first + each);
    }
    return Leaf(std::move(out));
  }

  Element slices_;
  const int64_t size_;
};

class One final : public IndexedNode {
 public:
  explicit One(Element element)
      : IndexedNode("from_tensors"), element_(concrete_element(std::move(element), name())) {}
  int64_t size() const override { return 1; }
  Element get(int64_t) const override { return element_; }
  Spec spec() const override { return spec_of(element_); }

 private:
  const Element element_;
};

}  // namespace

Dataset Dataset::from_tensor_slices(Element slices) {
  return Dataset(new_shared<const Slices>(std::move(slices)));
}

Dataset Dataset::from_tensors(Element element) {
  return Dataset(new_shared<const One>(std::move(element)));
}

}  // namespace weft::data
