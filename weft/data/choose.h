// Steps that only choose among elements (take, skip, shard, repeat, shuffle): written once, for
// elements and for their numbers. On numbers a whole row of such steps reads nothing.
#pragma once

#include "weft/data/skippable.h"

namespace weft::data {

template <class Item>
struct InputOf;
template <>
struct InputOf<Element> {
  using Type = Cursor;
  static std::unique_ptr<Cursor> make(const Node& node, const Context& cx) {
    return node.cursor(cx);
  }
};
template <>
struct InputOf<int64_t> {
  using Type = Indices;
  static std::unique_ptr<Indices> make(const Node& node, const Context& cx) {
    return node.indices(cx);
  }
};
template <class Item>
using InputPtr = std::unique_ptr<typename InputOf<Item>::Type>;

template <class Choice>
class ChoiceCursor final : public Cursor {
 public:
  ChoiceCursor(const Node& node, const Context& cx, Choice choice)
      : Cursor(node, cx), choice_(std::move(choice)) {}
  void save(StateWriter to) const override { choice_.save(to); }
  void restore(StateReader from) override { choice_.restore(from); }
  bool is_small() const override { return choice_.is_small(); }

 protected:
  bool advance(Element& out) override { return choice_.next(out); }

 private:
  Choice choice_;
};

template <class Choice>
class ChoiceIndices : public Indices {
 public:
  explicit ChoiceIndices(Choice choice) : choice_(std::move(choice)) {}
  bool next(int64_t& out) override { return choice_.next(out); }
  void save(StateWriter to) const override { choice_.save(to); }
  void restore(StateReader from) override { choice_.restore(from); }
  bool is_small() const override { return choice_.is_small(); }

 protected:
  Choice choice_;
};
template <class Choice>
class SkippableChoiceIndices final : public ChoiceIndices<Choice>, public Skippable {
 public:
  using ChoiceIndices<Choice>::ChoiceIndices;
  int64_t skip(int64_t count) override { return this->choice_.skip(count); }
};

// A node whose Choice<Item>(node, context, parameters) has next, save, restore and is_small, and
// may have skip.
template <template <class> class Choice, class Parameters>
class Choosing : public Node {
 public:
  Choosing(std::string name, Ptr input, Parameters parameters)
      : Node(std::move(name), {std::move(input)}), parameters_(std::move(parameters)) {}

  std::unique_ptr<Cursor> cursor(const Context& cx) const override {
    if (indexed() != nullptr) return Node::cursor(cx);
    return std::make_unique<ChoiceCursor<Choice<Element>>>(*this, cx,
                                                           Choice<Element>(*this, cx, parameters_));
  }
  const Indexed* indexed() const override { return input().indexed(); }
  std::unique_ptr<Indices> indices(const Context& cx) const override {
    using Numbers = Choice<int64_t>;
    constexpr bool kCanSkip = requires(Numbers choice) { choice.skip(int64_t{}); };
    using Made =
        std::conditional_t<kCanSkip, SkippableChoiceIndices<Numbers>, ChoiceIndices<Numbers>>;
    return std::make_unique<Made>(Numbers(*this, cx, parameters_));
  }
  Spec spec() const override { return input().spec(); }

 protected:
  const Parameters& parameters() const { return parameters_; }

 private:
  const Parameters parameters_;
};

}  // namespace weft::data
