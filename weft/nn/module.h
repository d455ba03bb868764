// Module: a struct that computes and holds its parameters, found by its field list.
//
//   struct Net : nn::Module<Net> {
//     nn::Linear first{4, 8}, last{8, 2};
//     static constexpr auto fields =
//         fields_of(nn::field("first", &Net::first), nn::field("last", &Net::last));
//     Tensor forward(const Tensor& x) const { return last(relu(first(x))); }
//   };
//   Net net;
//   net(x);
//
// A module whose members hold no parameters says so: `static constexpr auto fields =
// nn::kNoFields;`
//
// A call passes the hooks of the module and is then its `forward`. In a graph or a traced function,
// nodes of a module that another one calls are named as that one holds it. A struct may have an
// operator() of its own instead, which takes arguments in braces too; hooks do not see that, unless
// it calls `passed(*this, arguments...)`.
//
// A copy of a module shares its Variables and has modes of its own. A traced function keeps the
// mode that the module was in when it was traced.
#pragma once

#include <vector>

#include "weft/nn/call_scope.h"
#include "weft/nn/fields.h"
#include "weft/nn/forward_hook.h"
#include "weft/nn/noted.h"
#include "weft/nn/state.h"
#include "weft/nn/summary.h"

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

  // Calls f(module, inputs, outputs) after forward, with all tensors in a row; inputs that were
  // left out are undefined. It gives nothing, or what replaces the outputs, a Tensor or Tensors. A
  // traced function calls the hooks that there were when it was traced; train::Model traces again.
  template <class F>
  Hook register_forward_hook(F f) {
    return add_hook(
        {with_result([f = std::move(f)](const ModuleBase& module, TensorSpan inputs,
                                        TensorSpan outputs) { return f(module, inputs, outputs); }),
         /*is_before=*/false, 0});
  }
  // The same before forward: f(module, inputs), and what replaces the inputs.
  template <class F>
  Hook register_forward_pre_hook(F f) {
    return add_hook({with_result([f = std::move(f)](const ModuleBase& module, TensorSpan inputs,
                                                    TensorSpan) { return f(module, inputs); }),
                     /*is_before=*/true, 0});
  }

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
  // Do calls of it pass its hooks?
  virtual bool has_forward() const = 0;
  using Hooks = std::vector<Shared<detail::HookEntry>>;
  const Hooks& hooks() const { return hooks_; }
  void forget_removed_hooks();

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

 private:
  friend Tensors detail::noted_call(const ModuleBase&, FunctionRef<detail::HeldModule()>,
                                    TensorSpan, FunctionRef<Tensors(TensorSpan)>,
                                    detail::CallWithLeaves, Where);
  Hook add_hook(detail::HookEntry entry);
  // A function whose result may be void, as one that gives a Replaced.
  template <class F>
  static auto with_result(F f) {
    return [f = std::move(f)](const ModuleBase& module, TensorSpan in, TensorSpan out) -> Replaced {
      if constexpr (std::is_void_v<decltype(f(module, in, out))>) {
        return f(module, in, out), Replaced();
      } else {
        return f(module, in, out);
      }
    };
  }

  mutable Shared<detail::NotedModule> noted_;  // null until a graph of layers has it
  Hooks hooks_;
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

// Has it a member of that name, whatever its overloads? Then the name is ambiguous beside another.
struct NamesForward {
  int forward;
};
template <class T>
struct BesideForward : T, NamesForward {};
template <class T>
concept HasForward = std::is_final_v<T> || !requires { &BesideForward<T>::forward; };

template <class Self, class... Args>
concept Forwards =
    requires(Self& self, Args&&... args) { self.forward(std::forward<Args>(args)...); };

}  // namespace detail

template <class Self>
class Module : public ModuleBase {
 public:
  // Calls forward, past the hooks. Layers of the library take the caller's line last.
  template <class... Args>
    requires detail::Forwards<const Self, Args...>
  auto operator()(Args&&... args) const {
    return passed(self(), std::forward<Args>(args)...);
  }
  template <class... Args>
    requires(!detail::Forwards<const Self, Args...> && detail::Forwards<Self, Args...>)
  auto operator()(Args&&... args) {
    return passed(self(), std::forward<Args>(args)...);
  }
  auto operator()(const Tensor& x, Where where = Where::here()) const
    requires detail::Forwards<const Self, const Tensor&, Where&>
  {
    return passed(self(), x, where);
  }
  auto operator()(const Tensor& x, const Tensor& y, Where where = Where::here()) const
    requires detail::Forwards<const Self, const Tensor&, const Tensor&, Where&>
  {
    return passed(self(), x, y, where);
  }
  auto operator()(const Tensor& x, const Tensor& y, const Tensor& z,
                  Where where = Where::here()) const
    requires detail::Forwards<const Self, const Tensor&, const Tensor&, const Tensor&, Where&>
  {
    return passed(self(), x, y, z, where);
  }

  // Calls the module once, without training it, and tells of every module in it what it gave, its
  // parameters, operations and bytes. Shapes stand for float32 tensors of zeros.
  //   text(net.summary({32, 784}))
  Summary summary(const Shape& x) { return summary<Shape>(x); }
  Summary summary(const Shape& x, const Shape& y) { return summary<Shape, Shape>(x, y); }
  template <class... Inputs>
  Summary summary(const Inputs&... inputs) {
    return detail::summarized(*this, [&] { self()(detail::as_input(inputs)...); });
  }

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
    if constexpr (requires { Self::fields; }) {
      detail::visit_fields(visitor, "", self());
    } else {
      static_assert(sizeof(Self) == sizeof(ModuleBase),
                    "this module has members but no field list, so that none of its parameters "
                    "would be found: give it `static constexpr auto fields = "
                    "fields_of(nn::field(\"name\", &Net::name), ...);`, or `static constexpr auto "
                    "fields = nn::kNoFields;` if no member holds parameters or modules");
    }
  }
  bool has_forward() const override { return detail::HasForward<Self>; }

 protected:
  // forward(args...), between the hooks.
  template <class S, class... Args>
  static auto passed(S& self, Args&&... args) {
    if (detail::is_any_awaited_in(args...)) return noted(self, args...);
    const detail::CallScope scope(self);
    try {
      if (self.hooks().empty()) return self.forward(std::forward<Args>(args)...);
      const auto f = [&](auto&... given) { return self.forward(given...); };
      return detail::hooked(self, f, args...);
    } catch (Error& error) {
      detail::note_path(self, error);
      throw;
    }
  }

 private:
  // What stands for the results of a call with what is not there yet: of an Input.
  template <class S, class... Args>
  static auto noted(S& self, Args&... args)
      -> std::remove_cvref_t<decltype(self.forward(args...))> {
    using Result = std::remove_cvref_t<decltype(self.forward(args...))>;
    if constexpr (std::copy_constructible<Self> &&
                  (std::copy_constructible<detail::Kept<Args>> && ...) &&
                  (detail::is_tree<Result> || detail::is_row<Result>)) {
      const auto call = [kept = std::tuple<detail::Kept<Args>...>(args...)](
                            ModuleBase& module, TensorSpan in) -> Result {
        auto arguments = kept;
        const Tensor* next = in.data();
        return std::apply(
            [&](auto&... one) {
              std::tuple<decltype(detail::with_leaves(one, next))...> given{
                  detail::with_leaves(one, next)...};
              return std::apply(
                  [&](auto&... each) { return passed(static_cast<S&>(module), each...); }, given);
            },
            arguments);
      };
      const auto later = [call](ModuleBase& module, TensorSpan in) {
        return detail::leaves_of(call(module, in));
      };
      std::optional<Result> form;
      const auto now = [&](TensorSpan in) {
        form = call(const_cast<Self&>(static_cast<const Self&>(self)), in);
        return detail::leaves_of(*form);
      };
      const auto copied = [&] { return detail::HeldModule(static_cast<const Self&>(self)); };
      const Tensors out = detail::noted_call(self, copied, detail::leaves_of(args...), now, later,
                                             detail::where_among(args...));
      const Tensor* next = out.data();
      return detail::with_leaves(*form, next);
    } else {
      detail::fail_noted(self);
    }
  }

  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }
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
