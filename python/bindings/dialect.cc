// The words of other libraries for arguments; those for names are in name_hints.cc.
#include "bindings/dialect.h"

namespace weft::python {
namespace {

struct Word {
  std::string_view theirs, ours;
};
constexpr Word kWords[] = {
    {"dim", "axis"},
    {"dims", "axes"},
    {"keepdim", "keepdims"},
    {"keep_dims", "keepdims"},
    {"input", "x"},
    {"tensor", "x"},
    {"tensors", "xs"},
    {"arrays", "xs"},
    {"ddof", "correction"},
    {"unbiased", "correction"},
    {"size", "shape"},
    {"newshape", "shape"},
    {"perm", "axes"},
    {"sections", "indices"},
    {"index", "indices"},
    {"axis", "axes"},
    {"axes", "axis"},
    {"repeats", "repeats"},
    {"steps", "num"},
    {"steps", "step"},
    {"classes", "num_classes"},
    {"depth", "num_classes"},
    {"minval", "low"},
    {"maxval", "high"},
    {"a_min", "min"},
    {"a_max", "max"},
    {"loc", "mean"},
    {"scale", "std"},
    {"stddev", "std"},
    {"mat2", "b"},
    {"other", "b"},
    {"x1", "a"},
    {"x2", "b"},
    {"dtype_", "dtype"},
};

// Keywords that ask for what is done otherwise here.
constexpr Word kKeywords[] = {
    {"requires_grad", "gradients are taken of Variables: wf.Variable(x)"},
    {"out", "tensors never change: use what the op gives"},
    {"inplace", "tensors never change: use what the op gives"},
    {"generator", "random numbers are drawn from a key: wf.random.Key(seed)"},
    {"seed", "random numbers are drawn from a key: wf.random.Key(seed)"},
    {"layout", "tensors are dense"},
    {"memory_format", "tensors are dense, and ops take any strides"},
};

}  // namespace

bool is_word_for(std::string_view theirs, std::string_view ours) {
  for (const Word& word : kWords) {
    if (word.theirs == theirs && word.ours == ours) return true;
  }
  return false;
}

std::string_view keyword_hint(std::string_view name) {
  for (const Word& word : kKeywords) {
    if (word.theirs == name) return word.ours;
  }
  return {};
}

}  // namespace weft::python
