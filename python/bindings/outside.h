// What a trace read outside of its arguments, and whether it is as it was.
#pragma once

#include <string>
#include <vector>

#include "bindings/python.h"

namespace weft::python {

// Places, in a Python list of tuples (kind, owner, name, value, text) that somebody else holds:
//   "item"       owner[name], of a dict: a global
//   "cell"       what a closure's cell holds
//   "attribute"  owner.name, as objects look it up that change nothing about this
//   "method"     name in the class `owner`: a method, or a value that the class has
//   "has"        whether owner.name is there, True or False
//   "no item"    a name that the dict `owner` has not: a global that is not there yet
//   "no cell"    a closure's cell that is empty
//   "function"   (code, defaults, keyword defaults) of the function `owner`
//   "contents"   what the container or array `owner` holds, against a plain copy: a list for a list
//                or deque, a tuple, a dict, a set, bytes for what has a buffer
class Outside {
 public:
  explicit Outside(PyObject* places);

  // No code of the user's runs for it: only numbers, texts and containers of them are compared, all
  // else is the same object or not.
  bool is_as_it_was() const;
  bool is_as_it_was(size_t place) const { return holds(places_[place]); }
  // "`rate` was 0.5 and is 0.25": the first place that holds something else now.
  std::string what_changed() const;

 private:
  enum class Kind : uint8_t {
    kItem,
    kCell,
    kAttribute,
    kMethod,
    kClass,
    kHas,
    kNoItem,
    kNoCell,
    kFunction,
    kContents
  };
  struct Place {
    Kind kind;
    PyObject *owner, *name, *value, *text;  // borrowed
  };
  static Ref now_at(const Place& place);  // null: nothing is there any more
  static bool holds(const Place& place);
  static Kind kind_of(std::string_view word);

  std::vector<Place> places_;
};

// Two values that a trace cannot tell apart: the same object, equal numbers or texts of one type,
// or containers of such.
bool is_same_value(PyObject* a, PyObject* b);

}  // namespace weft::python
