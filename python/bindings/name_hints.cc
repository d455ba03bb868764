// What to write for a name of another library that weft does not have.
#include "bindings/dialect.h"
#include "weft/base/text.h"
#include "weft/op/registry.h"

namespace weft::python {
namespace {

struct Name {
  std::string_view theirs, instead;
};

// Things that are done in another way here.
constexpr Name kOtherwise[] = {
    {"from_numpy", "use wf.asarray(array)"},
    {"convert_to_tensor", "use wf.asarray(data)"},
    {"array", "use wf.tensor(data), or wf.asarray(data)"},
    {"Parameter", "use wf.Variable(value)"},
    {"constant", "use wf.tensor(data)"},
    {"dot", "use a @ b, or wf.matmul(a, b)"},
    {"mm", "use a @ b, or wf.matmul(a, b)"},
    {"bmm", "use a @ b, or wf.matmul(a, b)"},
    {"mv", "use a @ b, or wf.matmul(a, b)"},
    {"t", "use x.T"},
    {"PRNGKey", "use wf.random.Key(seed)"},
    {"key", "use wf.random.Key(seed)"},
    {"default_rng", "use wf.random.Key(seed)"},
    {"enable_grad", "recording is on unless wf.no_grad() turns it off"},
    {"requires_grad", "only a Variable has it: wf.Variable(x)"},
    {"is_leaf", "what gradients are taken of are Variables: isinstance(x, wf.Variable)"},
    {"grad_fn", "wf.draw(x) shows what led to a tensor"},
    {"data", "use v.value() of a Variable; a tensor is its value itself"},
    {"device_put", "the only device is the CPU"},
    {"device", "the only device is the CPU"},
    {"to", "use x.astype(dtype); the only device is the CPU"},
    {"type", "use x.dtype, or x.astype(dtype)"},
    {"functional", "the functions are in wf.nn itself"},
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
    {"custom_vjp", "use wf.custom_gradient(f), or wf.Function with forward and backward"},
    {"autograd", "it is in wf itself: wf.grad(f), loss.backward(), wf.GradientTape, wf.Function"},
    {"remat", "use wf.checkpoint(f)"},
    {"jacobian", "use wf.jacrev(f) or wf.jacfwd(f)"},
    {"vectorize", "use wf.vmap(f)"},
    {"pmap", "there is one device; use wf.vmap(f)"},
    {"inference_mode", "use wf.no_grad()"},
    {"set_grad_enabled", "use wf.no_grad()"},
    {"tree_map", "use wf.tree.map(f, tree)"},
    {"tree_util", "use wf.tree"},
    {"is_tensor", "use isinstance(x, wf.Tensor)"},
    {"ndarray", "use wf.Tensor"},
    {"optimizers", "use wf.optim"},
    {"lr_scheduler", "set optimizer.lr between steps"},
    {"clip_grad_norm_", "scale the gradients: v.grad *= min(1, most / norm) for every v"},
    {"cond", "use Python's if, or wf.where for one choice per element"},
    {"while_loop", "use Python's while: what runs is recorded"},
    {"fori_loop", "use Python's for: what runs is recorded"},
    {"scan", "use Python's for: what runs is recorded"},
    {"watched_variables", "a tape follows every trainable Variable that is read while it records"},
};

// Things that may come, and what to do until then. An op of the name, or one that is known_as it,
// goes before this table: a line that is left behind says nothing any more.
constexpr Name kNotYet[] = {
    {"einsum", "use @, permute_dims and sum"},
    {"jit", "ops run as they are called"},
    {"function", "ops run as they are called"},
    {"compile", "ops run as they are called"},
    {"Module", "keep weights in Variables and write functions"},
    {"Linear", "write x @ w + b with Variables w and b"},
    {"Dense", "write x @ w + b with Variables w and b"},
    {"Sequential", "call one function after the other"},
    {"DataLoader", "slice the arrays: x[i:i + batch]"},
    {"moveaxis", "use wf.permute_dims(x, axes)"},
    {"movedim", "use wf.permute_dims(x, axes)"},
    {"swapaxes", "use wf.permute_dims(x, axes), or x.mT for the last two"},
    {"flatten", "use x.reshape(-1)"},
    {"ravel", "use x.reshape(-1)"},
    {"cross_entropy", "use -(wf.nn.one_hot(labels, n) * wf.log_softmax(x)).sum(-1).mean()"},
    {"mse_loss", "use wf.square(a - b).mean()"},
    {"softplus", "use wf.logaddexp(x, 0.0)"},
    {"silu", "use x * wf.sigmoid(x)"},
    {"leaky_relu", "use wf.where(x > 0, x, slope * x)"},
    {"outer", "use a[:, None] * b"},
    {"inner", "use a @ b.T"},
    {"tile", "use wf.concat([x] * n), or wf.broadcast_to"},
    {"repeat", "use wf.take(x, indices, axis=axis)"},
    {"roll", "use wf.concat((x[-n:], x[:-n]))"},
    {"tril", "use wf.where(rows[:, None] >= columns, x, 0), both made by wf.arange"},
    {"triu", "use wf.where(rows[:, None] <= columns, x, 0), both made by wf.arange"},
    {"allclose", "use numpy.allclose(a.numpy(), b.numpy())"},
    {"isclose", "use wf.abs(a - b) <= tolerance"},
    {"sort", "use wf.asarray(numpy.sort(x.numpy()))"},
    {"argsort", "use wf.asarray(numpy.argsort(x.numpy()))"},
    {"topk", "use wf.asarray(numpy.argsort(x.numpy()))"},
    {"unique", "use wf.asarray(numpy.unique(x.numpy()))"},
    {"nonzero", "use numpy.nonzero(x.numpy())"},
    {"save", "use pickle.dump(tree, file), which takes trees of tensors and Variables"},
    {"load", "use pickle.load(file)"},
    {"AdamW", "use wf.optim.Adam, whose weight_decay is added to the gradient"},
    {"RMSprop", "use wf.optim.Adam"},
    {"Adagrad", "use wf.optim.Adam"},
    {"pmax", "use the maximum of what vmap gives"},
    {"pmin", "use the minimum of what vmap gives"},
    {"all_gather", "use what vmap gives"},
};

bool ends_with_name(std::string_view path, std::string_view name) {
  return path == name || (path.size() > name.size() && path.ends_with(name) &&
                          path[path.size() - name.size() - 1] == '.');
}

std::string_view find(std::span<const Name> names, std::string_view name) {
  for (const Name& known : names) {
    if (known.theirs == name) return known.instead;
  }
  return {};
}

bool is_public(std::string_view name) {
  return !name.ends_with("_draws") && name.find('.') == std::string_view::npos;
}

std::string op_named(std::string_view name) {
  for (const OpEntry* entry : registered_ops()) {
    if (entry->name == name && is_public(name)) return "it is wf." + entry->qualified_name();
  }
  return {};
}

std::string op_known_as(std::string_view name) {
  for (const OpEntry* entry : registered_ops()) {
    for (const Alias& alias : entry->known_as) {
      if (ends_with_name(alias.name, name)) return "weft calls this " + entry->qualified_name();
    }
  }
  return {};
}

// x.add_(1)
std::string in_place(std::string_view name) {
  if (name.size() < 2 || !name.ends_with('_') || name.starts_with('_')) return {};
  const std::string_view base = name.substr(0, name.size() - 1);
  const std::string instead =
      find_op(base) != nullptr ? text("x = wf.", base, "(x, ...)") : std::string("x = ...");
  return text("tensors never change: write ", instead, ", or keep it in a Variable, which has ",
              "assign, assign_add and assign_sub");
}

}  // namespace

std::string name_hint(std::string_view name) {
  if (std::string hint = op_named(name); !hint.empty()) return hint;
  if (const std::string_view hint = find(kOtherwise, name); !hint.empty()) return std::string(hint);
  if (std::string hint = op_known_as(name); !hint.empty()) return hint;
  if (const std::string_view hint = find(kNotYet, name); !hint.empty()) {
    return text("weft does not have it yet; ", hint);
  }
  return in_place(name);
}

}  // namespace weft::python
