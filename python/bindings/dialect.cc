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
    {"attn_mask", "mask"},
    {"attention_mask", "mask"},
    {"query", "q"},
    {"training", "train"},
    {"is_training", "training"},
    {"is_training", "train"},
    {"train", "training"},
    {"rate", "p"},
    {"logits", "input"},
    {"labels", "target"},
    {"predictions", "input"},
    {"y_pred", "input"},
    {"y_true", "target"},
    {"epsilon", "eps"},
    {"shifts", "shift"},
    {"diagonal", "k"},
    {"offset", "k"},
    {"k", "offset"},
    {"dim0", "axis1"},
    {"dim1", "axis2"},
    {"dims", "axis"},
    {"p", "ord"},
    {"ord", "p"},
    {"reps", "repetitions"},
    {"multiples", "repetitions"},
    {"split_size_or_sections", "sizes"},
    {"indices_or_sections", "sizes"},
    {"num_or_size_splits", "sizes"},
    {"sorted_sequence", "sorted"},
    {"boundaries", "sorted"},
    {"bins", "sorted"},
    {"a", "x"},
    {"x", "a"},
    {"y", "b"},
    {"src", "values"},
    {"src", "updates"},
    {"strides", "stride"},
    {"dilations", "dilation"},
    {"filters", "weight"},
    {"ksize", "kernel_size"},
    {"window_shape", "kernel_size"},
    {"indexes", "indices"},
    {"N", "n_rows"},
    {"M", "n_cols"},
    {"m", "n_cols"},
    {"value", "fill_value"},
    {"clip_value_min", "min"},
    {"clip_value_max", "max"},
    {"low", "min"},
    {"high", "max"},
    {"probs", "p"},
    {"lam", "rate"},
    {"method", "mode"},
    {"pad_width", "before"},
    {"paddings", "before"},
    {"constant_values", "value"},
    {"rcond", "rtol"},
    {"unitriangular", "unit_diagonal"},
};

// Keywords that ask for what is done otherwise here.
constexpr Word kKeywords[] = {
    {"requires_grad", "gradients are taken of Variables: wf.Variable(x)"},
    {"out", "tensors never change: use what the op gives"},
    {"inplace", "tensors never change: use what the op gives"},
    {"generator", "random numbers are drawn from a key: wf.random.Key(seed)"},
    {"seed", "random numbers are drawn from a key: wf.random.Key(seed)"},
    {"layout", "tensors are dense"},
    {"memory_format",
     "ops take any strides; wf.nn.to_channels_last(x) gives the layout of convolutions"},
    {"normalized_shape",
     "how many of the last axes are normalised is said by axes, as in axes=1; weight and bias have "
     "their shape"},
    {"return_counts", "use wf.unique_counts(x), which gives values and counts"},
    {"return_inverse", "use wf.unique_inverse(x), which gives values and indices"},
    {"return_index", "use wf.unique_all(x), which gives values and all indices"},
    {"UPLO", "both triangles are read: the matrix is taken as (x + x^H) / 2"},
    {"hermitian", "nothing needs to be promised of the matrix"},
    {"compute_uv", "use wf.linalg.svdvals(x) for the singular values alone"},
    {"where", "choose with wf.where(condition, x, other) before"},
    {"initial", "combine it with the result"},
    {"order", "tensors have no order of memory to choose"},
    {"casting", "cast with x.astype(dtype)"},
    {"subok", "there is one class of tensors"},
    {"optimize", "the order of products is always optimised"},
    {"precision", "products are summed in the precision of the dtype, or better"},
    {"interpolation", "quantiles are interpolated linearly"},
    {"kind", "sorting is stable"},
    {"from_logits", "there is a function of logits: binary_cross_entropy_with_logits"},
    {"size_average", "use reduction=\"mean\", or \"sum\""},
    {"name", "ops have no names of their own"},
    {"return_indices", "the op whose name ends in _with_indices gives them, too"},
    {"need_weights", "there is one result"},
    {"mode", "an index out of range raises"},
    {"unique_indices", "nothing needs to be promised of indices"},
    {"indices_are_sorted", "nothing needs to be promised of indices"},
    {"right", "use side=\"right\", or \"left\""},
    {"tol", "rtol is a part of the greatest singular value: rtol = tol / wf.linalg.svdvals(x)[0]"},
    {"lower", "the lower triangle is meant unless upper=True"},
    {"some", "use full_matrices=False for some=True"},
    {"method", "nothing is left to choose: quantiles are interpolated linearly"},
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
