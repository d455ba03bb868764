// Walks over the field lists of modules, and what they give: names, modes, texts.
#include "weft/nn/module.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

#include "weft/base/error.h"
#include "weft/op/builtin.h"
#include "weft/op/levels.h"
#include "weft/op/variable_state.h"
#include "weft/trace/eager_scope.h"

namespace weft::nn {
namespace detail {
namespace {

class Walk : public FieldVisitor {
 public:
  Walk(bool need_all, bool is_repeated) : need_all_(need_all), is_repeated_(is_repeated) {}

  void enter(const std::string& path, ModuleBase& module) {
    if (!is_new(&module)) return;
    found.push_back({path, &module, nullptr, false});
    if (need_all_ && module.is_pending()) {
      fail(Code::kInvalid, "Module", "size", module.type_name(), " has no parameters yet",
           path.empty() ? "" : text(" at '", path, "'"),
           ": its input size was left out; call the model once, or name the size");
    }
    const std::string outer = std::exchange(path_, path);
    module.visit(*this);
    path_ = outer;
  }
  void variable(const std::string& name, Variable& place, bool is_buffer) override {
    if (!is_new(place.id()) && !is_repeated_) return;
    std::string path = joined(path_, name);
    const auto [at, is_first] = named_.emplace(path, place.id());
    if (!is_first && at->second != place.id()) {
      fail(Code::kInvalid, "Module", "name", "two Variables have the name '", path,
           "', so only one would be saved; give one of the modules or fields another name");
    }
    found.push_back({std::move(path), nullptr, &place, is_buffer});
  }
  void module(const std::string& name, ModuleBase& module) override {
    enter(joined(path_, name), module);
  }

  std::vector<Found> found;

 private:
  bool is_new(const void* thing) {
    const auto [before, inserted] = seen_.emplace(thing, true);
    return inserted;
  }
  const bool need_all_, is_repeated_;
  std::string path_;
  std::map<const void*, bool> seen_;
  std::map<std::string, const void*> named_;
};

struct Children : FieldVisitor {
  std::vector<std::pair<std::string, ModuleBase*>> found;
  void variable(const std::string&, Variable&, bool) override {}
  void module(const std::string& name, ModuleBase& module) override {
    found.emplace_back(name, &module);
  }
};

}  // namespace

std::string joined(std::string_view path, std::string_view name) {
  return text(path, path.empty() || name.empty() ? "" : ".", name);
}

// The name of a type without its namespaces.
std::string short_name(const char* mangled) {
  int status = 0;
  char* const whole = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 ? whole : mangled;
  std::free(whole);
  const size_t arguments = name.find('<');
  const size_t colons = name.rfind("::", arguments);
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// Const: the walk itself changes nothing.
std::vector<Found> walked(const ModuleBase& module, bool need_all, bool is_repeated) {
  Walk walk(need_all, is_repeated);
  walk.enter("", const_cast<ModuleBase&>(module));
  return std::move(walk.found);
}

}  // namespace detail

namespace {

using NamedVariables = std::vector<std::pair<std::string, Variable>>;

NamedVariables variables_of(const ModuleBase& module, bool are_buffers) {
  NamedVariables out;
  for (const detail::Found& one : detail::walked(module, /*need_all=*/true)) {
    if (one.place != nullptr && one.is_buffer == are_buffers) {
      out.emplace_back(one.name, *one.place);
    }
  }
  return out;
}

std::vector<Variable> without_names(const NamedVariables& named) {
  std::vector<Variable> out;
  for (const auto& [name, variable] : named) out.push_back(variable);
  return out;
}

void require_floats(std::string_view who, DType dtype) {
  if (is_floating(dtype)) return;
  fail(Code::kType, who, "dtype", "dtype is ", dtype, "; parameters are floats, such as float32");
}

}  // namespace

NamedVariables ModuleBase::named_parameters() const { return variables_of(*this, false); }
NamedVariables ModuleBase::named_buffers() const { return variables_of(*this, true); }
std::vector<Variable> ModuleBase::parameters() const { return without_names(named_parameters()); }
std::vector<Variable> ModuleBase::buffers() const { return without_names(named_buffers()); }

std::vector<std::pair<std::string, ModuleBase*>> ModuleBase::named_modules() {
  std::vector<std::pair<std::string, ModuleBase*>> out;
  for (const detail::Found& one : detail::walked(*this, /*need_all=*/false)) {
    if (one.module != nullptr) out.emplace_back(one.name, one.module);
  }
  return out;
}

std::vector<ModuleBase*> ModuleBase::modules() {
  std::vector<ModuleBase*> out;
  for (const auto& [name, module] : named_modules()) out.push_back(module);
  return out;
}

std::vector<std::pair<std::string, ModuleBase*>> ModuleBase::named_children() {
  detail::Children children;
  visit(children);
  return children.found;
}

void ModuleBase::set_training(bool mode) {
  for (ModuleBase* const module : modules()) module->training = mode;
}

void ModuleBase::set_trainable(bool trainable) {
  for (const Variable& parameter : parameters()) parameter.set_trainable(trainable);
}

void ModuleBase::set_compute_dtype(std::optional<DType> dtype) {
  if (dtype) require_floats("compute_in", *dtype);
  for (ModuleBase* const module : modules()) module->compute_dtype = dtype;
}

void ModuleBase::cast_variables(DType dtype) {
  require_floats("to", dtype);
  const EagerScope now;
  std::map<const void*, Variable> replaced;
  for (const detail::Found& one : detail::walked(*this, true, /*is_repeated=*/true)) {
    if (one.place == nullptr || !is_floating(one.place->dtype())) continue;
    const auto [at, is_first] = replaced.emplace(one.place->id(), Variable());
    if (is_first) {
      const Variable& old = *one.place;
      at->second = Variable(cast(stored_value(old), dtype),
                            {.name = old.name(), .trainable = old.trainable()});
    }
    *one.place = at->second;
  }
}

Tensor ModuleBase::read(const Variable& variable) {
  return variable.defined() ? variable.read() : Tensor();
}
Tensor ModuleBase::lowered(const Tensor& x) const {
  return x.defined() && compute_dtype ? cast(x, *compute_dtype) : x;
}
Tensor ModuleBase::lowered(const Variable& variable) const { return lowered(read(variable)); }
Tensor ModuleBase::raised(const Tensor& x) const {
  return compute_dtype ? cast(x, DType::kF32) : x;
}
Tensor ModuleBase::given_back(const Tensor& x) const {
  return compute_dtype ? cast(x, *compute_dtype) : x;
}

std::string ModuleBase::repr() const {
  std::string below;
  for (const auto& [name, child] : const_cast<ModuleBase*>(this)->named_children()) {
    below += text("\n(", name, "): ", child->repr());
  }
  for (size_t at = 0; (at = below.find('\n', at)) != std::string::npos; at += 3) {
    below.replace(at, 1, "\n  ");
  }
  return text(type_name(), "(", extra_repr(), below, below.empty() ? ")" : "\n)");
}

void append_text(std::string& out, const ModuleBase& module) { out += module.repr(); }

}  // namespace weft::nn
