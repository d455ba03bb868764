// Nested: the dataset that a function made of an element, as it is read.
#pragma once

#include "weft/data/ahead.h"
#include "weft/data/call.h"
#include "weft/data/dataset.h"

namespace weft::data {

using DatasetFunction = std::function<Dataset(const Element&)>;

class Nested {
 public:
  // `workers` > 0: it is read ahead, by a thread of its own.
  Nested(const Node& maker, const Context& cx, const DatasetFunction& f, Element element,
         bool reads_ahead)
      : element_(std::move(element)),
        dataset_(called(maker, Draws(maker, cx), element_, [&] { return f(element_); })) {
    const Context inner = cx.inside(maker, dataset_.node()).round(element_.number + 1);
    cursor_ = dataset_.node()->cursor(inner);
    if (reads_ahead) {
      cursor_ =
          std::make_unique<Ahead>(*dataset_.node(), inner, std::move(cursor_), AheadOptions{});
    }
  }
  // The same function of the same element gives it again.
  Nested(const Node& maker, const Context& cx, const DatasetFunction& f, bool reads_ahead,
         StateReader from)
      : Nested(maker, cx, f, numbered(from.element("element"), from.position("number")),
               reads_ahead) {
    cursor_->restore(from.at("inner"));
  }

  bool next(Element& out) { return cursor_->next(out); }
  void save(StateWriter to) const {
    to.put("element", element_);
    to.put("number", element_.number);
    cursor_->save(to.at("inner"));
  }

 private:
  static Element numbered(Element element, int64_t number) {
    element.number = number;
    return element;
  }

  Element element_;
  Dataset dataset_;
  std::unique_ptr<Cursor> cursor_;
};

}  // namespace weft::data
