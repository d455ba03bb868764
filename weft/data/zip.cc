// zip: tuples of one element of each dataset, until one of them ends.
#include <algorithm>

#include "weft/data/dataset.h"

namespace weft::data {
namespace {

class Zip final : public Node {
 public:
  explicit Zip(std::vector<Ptr> inputs) : Node("zip", std::move(inputs)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override;
  int64_t cardinality() const override {
    int64_t out = kInfinite;
    for (const Ptr& input : inputs()) {
      const int64_t one = input->cardinality();
      if (one == kUnknown) return kUnknown;
      if (one != kInfinite) out = out == kInfinite ? one : std::min(out, one);
    }
    return out;
  }
  Spec spec() const override {
    Spec out;
    std::vector<Shared<const Form>> forms;
    for (const Ptr& input : inputs()) {
      const Spec one = input->spec();
      forms.push_back(one.form);
      out.leaves.insert(out.leaves.end(), one.leaves.begin(), one.leaves.end());
    }
    out.form = tuple_form(std::move(forms));
    return out;
  }
};

class ZipCursor final : public Cursor {
 public:
  ZipCursor(const Zip& node, const Context& cx) : Cursor(node, cx) {
    for (const Node::Ptr& input : node.inputs()) inputs_.push_back(input->cursor(cx));
  }

  void save(StateWriter to) const override {
    to.put("has_ended", static_cast<int64_t>(has_ended_));
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i]->save(to.at(text(i)));
  }
  void restore(StateReader from) override {
    has_ended_ = from.integer("has_ended") != 0;
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i]->restore(from.at(text(i)));
  }
  bool is_small() const override {
    return std::ranges::all_of(inputs_, [](const auto& input) { return input->is_small(); });
  }

 protected:
  bool advance(Element& out) override {
    if (has_ended_) return false;
    Element whole, one;
    std::vector<Shared<const Form>> forms;
    for (const std::unique_ptr<Cursor>& input : inputs_) {
      if (!input->next(one)) {
        has_ended_ = true;
        return false;
      }
      whole.leaves.insert(whole.leaves.end(), one.leaves.begin(), one.leaves.end());
      if (whole.origin == nullptr) whole.origin = one.origin;
      forms.push_back(one.form);
    }
    whole.form = form_of(std::move(forms));
    out = std::move(whole);
    return true;
  }

 private:
  // The same tuple again, as long as its parts are.
  Shared<const Form> form_of(std::vector<Shared<const Form>> forms) {
    if (form_ == nullptr || !std::ranges::equal(form_->children, forms)) {
      form_ = tuple_form(std::move(forms));
    }
    return form_;
  }

  std::vector<std::unique_ptr<Cursor>> inputs_;
  Shared<const Form> form_;
  bool has_ended_ = false;
};

std::unique_ptr<Cursor> Zip::cursor(const Context& cx) const {
  return std::make_unique<ZipCursor>(*this, cx);
}

}  // namespace

Dataset Dataset::zip(std::vector<Dataset> datasets) {
  if (datasets.empty()) fail(Code::kInvalid, "zip", "datasets", "needs at least one dataset");
  std::vector<Node::Ptr> inputs;
  for (const Dataset& one : datasets) inputs.push_back(one.node());
  return Dataset(new_shared<const Zip>(std::move(inputs)));
}

}  // namespace weft::data
