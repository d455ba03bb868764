// Module: a struct that computes and holds its parameters, found by its field list.
//
//   struct Net : nn::Module<Net> {
//     nn::Linear first{4, 8}, last{8, 2};
//     static constexpr auto fields =
//         fields_of(nn::field("first", &Net::first), nn::field("last", &Net::last));
//     Tensor operator()(const Tensor& x) const { return last(relu(first(x))); }
//   };
//
// A copy of a module shares its Variables and has modes of its own. A traced function keeps the
// mode that the module was in when it was traced.
#pragma once

#include <vector>

#include "weft/nn/fields.h"
#include "weft/nn/state.h"

namespace weft::nn {

// A size that is left out: that of the first input.
inline constexpr int64_t kInferred = -1;

// What every module has; Module<Self> gives it the fields of Self.
class ModuleBase {
 public:
  ModuleBase() = default;
  virtual ~ModuleBase() = default;

  bool training = true;                     // train() and eval() set it, here and below
  std::optional<DType> compute_dtype = {};  // what products are computed in: compute_in()

  // Each Variable and each module once, under the first name that leads to it; the module itself
  // is named "".
  std::vector<std::pair<std::string, Variable>> named_parameters() const;
  std::vector<Variable> parameters() const;
  std::vector<std::pair<std::string, Variable>> named_buffers() const;
  std::vector<Variable> buffers() const;
  std::vector<std::pair<std::string, ModuleBase*>> named_modules();
  std::vector<ModuleBase*> modules();
  // The modules directly below.
  std::vector<std::pair<std::string, ModuleBase*>> named_children();

  // The values of all parameters and buffers: what is saved.
  State state_dict() const;
  // Assigns the values to the parameters and buffers of the same names. If strict, anything but a
  // full match raises [load_state_dict.match], and nothing is changed.
  LoadReport load_state_dict(const State& state, bool strict = true);

  // The tree of its modules, as Python shows it.
  std::string repr() const;
  // What stands in the brackets of its repr.
  virtual std::string extra_repr() const { return {}; }
  virtual std::string type_name() const = 0;

  // For walks: what the field list names.
  virtual void visit(FieldVisitor& visitor) = 0;
  // Of layers whose input size was left out: do the parameters wait for the first call?
  virtual bool is_pending() const { return false; }
  virtual void complete(int64_t) const {}
  // The size of the input by saved parameters, whose names are those below this module.
  virtual std::optional<int64_t> size_of(const State&) const { return {}; }

 protected:
  ModuleBase(const ModuleBase&) = default;
  ModuleBase& operator=(const ModuleBase&) = default;

  void set_training(bool mode);
  void set_trainable(bool trainable);
  void set_compute_dtype(std::optional<DType> dtype);
  void cast_variables(DType dtype);

  // The value of a Variable, or nothing if there is none.
  static Tensor read(const Variable& variable);
  // A tensor as it is computed with; one that is not there stays so.
  Tensor lowered(const Tensor& x) const;
  Tensor lowered(const Variable& variable) const;
  // Of what is computed in float32 whatever the others are: its input, and its result.
  Tensor raised(const Tensor& x) const;
  Tensor given_back(const Tensor& x) const;
};

void append_text(std::string& out, const ModuleBase& module);

namespace detail {

std::string short_name(const char* mangled);

// One thing that a walk met: a module, or the place of a Variable.
struct Found {
  std::string name;
  ModuleBase* module;
  Variable* place;
  bool is_buffer;
};
// In the order of the field lists, the module itself first. `need_all` raises [Module.size] if
// parameters wait for a call; `is_repeated` names a Variable as often as it is held.
std::vector<Found> walked(const ModuleBase& module, bool need_all, bool is_repeated = false);

}  // namespace detail

template <class Self>
class Module : public ModuleBase {
 public:
  // Whether it is being trained: dropout drops, batch norm uses the statistics of the batch.
  Self& train(bool mode = true) { return set_training(mode), self(); }
  Self& eval() { return train(false); }
  // Parameters are read as constants from now on. They stay parameters, and are saved.
  Self& freeze(bool frozen = true) { return set_trainable(!frozen), self(); }
  Self& unfreeze() { return freeze(false); }
  // Puts parameters and buffers of floats into another dtype, in new Variables.
  Self& to(DType dtype) { return cast_variables(dtype), self(); }
  // Mixed precision: products are computed in `dtype`, parameters stay as they are. Norms and
  // losses are computed in float32. Nothing undoes it.
  Self& compute_in(std::optional<DType> dtype) { return set_compute_dtype(dtype), self(); }
  // Calls f with every module (a ModuleBase&), those below first.
  template <class F>
  Self& apply(const F& f) {
    const std::vector<ModuleBase*> all = modules();
    for (size_t i = all.size(); i-- > 0;) f(*all[i]);
    return self();
  }

  std::string type_name() const override {
    if constexpr (requires { Self::kName; }) {
      return std::string(Self::kName);
    } else {
      return detail::short_name(typeid(Self).name());
    }
  }
  void visit(FieldVisitor& visitor) override {
    if constexpr (requires { Self::fields; }) detail::visit_fields(visitor, "", self());
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace weft::nn

namespace weft {

// A module among trees is what it saves: fingerprint(model) == fingerprint(model.state_dict()).
struct ModuleTree {
  static void flatten(const nn::ModuleBase& module, Tensors& out) {
    Tree<nn::State>::flatten(module.state_dict(), out);
  }
};
template <class T>
  requires(std::derived_from<T, nn::ModuleBase> && !HasFields<T>)
struct Tree<T> : ModuleTree {};
template <HasFields T>
  requires(std::derived_from<T, nn::ModuleBase>)
struct Tree<T> : ModuleTree {};

}  // namespace weft
