// Elements of datasets as trees of Python objects, and back; Python functions that pipelines call.
#pragma once

#include <nanobind/nanobind.h>

#include "weft/data/dataset.h"

namespace weft::python {

// Tensors, str for texts, nested lists of them for batches of texts; tuples, lists and dicts.
nanobind::object element_to_python(const data::Element& element);
// A tree whose leaves are tensors, numbers, arrays and texts.
data::Element element_from_python(nanobind::handle tree, std::string_view who);

// States as dicts of tensors.
nanobind::dict state_to_python(const data::State& state);
data::State state_from_python(nanobind::dict dict);

// A Python object that threads without the GIL may hold and drop.
class Kept {
 public:
  explicit Kept(nanobind::handle object);
  nanobind::handle get() const { return *object_; }

 private:
  std::shared_ptr<nanobind::handle> object_;
};

// A weak reference to the function of a step. Python's Dataset objects and iterators own it (as a
// `_Function`), where the garbage collector sees it: a function often references its own dataset,
// through the globals of its module, and the cycle must be freed. Threads that outlive the dataset
// and its iterators find no function.
class FunctionOfDataset {
 public:
  explicit FunctionOfDataset(nanobind::handle function);
  nanobind::object get() const;  // with the GIL; raises Error{kInterrupted} if it is gone

 private:
  Kept reference_;
};

// f(*element) if the element is a tuple, else f(element); called with the GIL taken, on any thread.
// Ctrl-C inside of it ends the pass.
nanobind::object call_with_element(const FunctionOfDataset& f, const data::Element& element);

// What the tree of a pipeline calls a function, given as a `_Function`.
std::string name_of_function(nanobind::handle function);

// Lets the functions' own exceptions say which element failed.
void install_element_notes();

}  // namespace weft::python
