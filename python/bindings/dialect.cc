// The words of other libraries for arguments; those for ops are in their definitions (known_as).
#include "bindings/dialect.h"

#include "weft/base/error.h"
#include "weft/op/registry.h"

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

// Names that are no ops anywhere: what to write instead.
constexpr Word kNames[] = {
    {"from_numpy", "use wf.asarray(array)"},
    {"array", "use wf.tensor(data), or wf.asarray(data)"},
    {"Parameter", "use wf.Variable(value)"},
    {"constant", "use wf.tensor(data)"},
    {"dot", "use a @ b, or wf.matmul(a, b)"},
    {"mm", "use a @ b, or wf.matmul(a, b)"},
    {"bmm", "use a @ b, or wf.matmul(a, b)"},
    {"mv", "use a @ b, or wf.matmul(a, b)"},
    {"flatten", "use x.reshape(-1)"},
    {"ravel", "use x.reshape(-1)"},
    {"t", "use x.T"},
    {"masked_fill", "use wf.where(mask, value, x)"},
    {"moveaxis", "use wf.permute_dims(x, axes)"},
    {"movedim", "use wf.permute_dims(x, axes)"},
    {"swapaxes", "use wf.permute_dims(x, axes), or x.mT for the last two"},
    {"einsum", "it does not exist yet; use @, permute_dims and sum"},
    {"jit", "there is no compiler yet: ops run as they are called"},
    {"function", "there is no compiler yet: ops run as they are called"},
    {"compile", "there is no compiler yet: ops run as they are called"},
    {"PRNGKey", "use wf.random.Key(seed)"},
    {"key", "use wf.random.Key(seed)"},
    {"default_rng", "use wf.random.Key(seed)"},
    {"enable_grad", "recording is on unless wf.no_grad() turns it off"},
    {"requires_grad", "only a Variable has it: wf.Variable(x)"},
    {"is_leaf", "what gradients are taken of are Variables: isinstance(x, wf.Variable)"},
    {"grad_fn", "wf.draw(x) shows what led to a tensor"},
    {"data", "use v.value() of a Variable; a tensor is its value itself"},
    {"device_put", "the only device is the CPU"},
    {"to", "use x.astype(dtype); the only device is the CPU"},
    {"type", "use x.dtype, or x.astype(dtype)"},
    {"functional", "the functions are in wf.nn itself"},
    {"Module", "modules do not exist yet; keep weights in Variables and write functions"},
    {"Linear", "layers do not exist yet; write x @ w + b with Variables w and b"},
    {"Dense", "layers do not exist yet; write x @ w + b with Variables w and b"},
    {"Sequential", "modules do not exist yet; call one function after the other"},
    {"as_tensor", "use wf.asarray(data)"},
    {"numel", "use x.size"},
    {"dim", "use x.ndim"},
    {"rank", "use x.ndim"},
    {"float", "use x.astype(wf.float32), or the dtype wf.float32"},
    {"double", "use x.astype(wf.float64), or the dtype wf.float64"},
    {"half", "use x.astype(wf.float16), or the dtype wf.float16"},
    {"long", "use x.astype(wf.int64), or the dtype wf.int64"},
    {"int", "use x.astype(wf.int32), or the dtype wf.int32"},
    {"cpu", "tensors are on the CPU"},
    {"cuda", "the only device is the CPU"},
    {"contiguous", "nothing needs it: ops take any strides"},
    {"clone", "tensors never change: use x itself"},
    {"copy", "tensors never change: use x itself"},
    {"manual_seed", "use wf.seed(value)"},
    {"set_seed", "use wf.seed(value)"},
};

bool ends_with_name(std::string_view path, std::string_view name) {
  return path == name || (path.size() > name.size() && path.ends_with(name) &&
                          path[path.size() - name.size() - 1] == '.');
}

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

std::string name_hint(std::string_view name) {
  for (const Word& word : kNames) {
    if (word.theirs == name) return std::string(word.ours);
  }
  if (name.size() > 1 && name.ends_with('_') && !name.starts_with('_')) {  // x.add_(1)
    const std::string_view base = name.substr(0, name.size() - 1);
    const std::string instead =
        find_op(base) != nullptr ? text("x = wf.", base, "(x, ...)") : std::string("x = ...");
    return text("tensors never change: write ", instead, ", or keep it in a Variable, which has ",
                "assign, assign_add and assign_sub");
  }
  for (const OpEntry* entry : registered_ops()) {
    if (entry->name == name && !entry->module.empty()) return "it is wf." + entry->qualified_name();
    for (const Alias& alias : entry->known_as) {
      if (ends_with_name(alias.name, name) && entry->name != name) {
        return "weft calls this " + entry->qualified_name();
      }
    }
  }
  return {};
}

}  // namespace weft::python
