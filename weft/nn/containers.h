// Sequential: modules one after the other. Lists and maps of modules need no class of their own:
// std::vector, std::array, std::map and std::vector<std::pair<std::string, M>>, which keeps the
// order in which names were added, are fields like others.
#pragma once

#include <initializer_list>
#include <typeinfo>

#include "weft/base/shared.h"
#include "weft/nn/module.h"

namespace weft::nn {

// A module or function from a tensor to a tensor, of any type. A copy copies what is held.
class AnyModule {
 public:
  template <class M>
    requires(std::invocable<M&, const Tensor&> || std::invocable<M&, const Tensor&, Where>)
  AnyModule(M module)  // NOLINT(google-explicit-constructor)
      : held_(new_shared<Held<M>>(std::move(module))) {}
  AnyModule(const AnyModule& other) : held_(other.held_->copied()) {}
  AnyModule(AnyModule&&) = default;
  AnyModule& operator=(AnyModule other) {
    std::swap(held_, other.held_);
    return *this;
  }
  ~AnyModule() = default;

  Tensor operator()(const Tensor& x, Where where = Where::here()) const {
    return held_->call(x, where);
  }
  // Null if it is a function.
  ModuleBase* module() const { return held_->module(); }
  // What is held, or null if it is of another type.
  template <class M>
  M* get() const {
    return held_->type() == typeid(M) ? &static_cast<Held<M>*>(held_.get())->held : nullptr;
  }

 private:
  struct Holder {
    virtual ~Holder() = default;
    virtual Tensor call(const Tensor& x, Where where) = 0;
    virtual ModuleBase* module() = 0;
    virtual const std::type_info& type() const = 0;
    virtual Shared<Holder> copied() const = 0;
  };
  template <class M>
  struct Held final : Holder {
    M held;
    explicit Held(M module) : held(std::move(module)) {}
    Tensor call(const Tensor& x, Where where) override {
      if constexpr (std::invocable<M&, const Tensor&, Where>) {
        return held(x, where);  // a layer, or an op by its name: nn::Sequential({..., relu})
      } else {
        return held(x);
      }
    }
    ModuleBase* module() override {
      if constexpr (std::derived_from<M, ModuleBase>) {
        return &held;
      } else {
        return nullptr;
      }
    }
    const std::type_info& type() const override { return typeid(M); }
    Shared<Holder> copied() const override { return new_shared<Held>(held); }
  };
  Shared<Holder> held_;  // by nobody else
};

// Calls its modules one after the other; functions may stand among them. The braces are what makes
// C++ construct the modules in this order, so that they draw the keys that Python's do:
//   nn::Sequential model({nn::Linear(4, 8), relu, nn::Linear(8, 2)});
struct Sequential : Module<Sequential> {
  using Named = std::pair<std::string, AnyModule>;

  Sequential() = default;
  Sequential(std::initializer_list<AnyModule> modules);
  explicit Sequential(std::vector<Named> modules) : items(std::move(modules)) {}

  std::vector<Named> items;
  static constexpr auto fields = fields_of(field("", &Sequential::items));

  // Puts a module at the end, under its number; where that is taken, under the next.
  void add(AnyModule module);
  size_t size() const { return items.size(); }
  // A module by its number or name; raises [Sequential.index], [Sequential.name].
  AnyModule& operator[](size_t index);
  AnyModule& operator[](std::string_view name);
  // The same, of its own type: model.get<nn::Linear>(0).weight; raises [Sequential.type].
  template <class M, class Index>
  M& get(Index index) {
    M* const module = (*this)[index].template get<M>();
    if (module == nullptr) fail_type(text(index));
    return *module;
  }

  Tensor forward(const Tensor& x, Where where) const;

 private:
  [[noreturn]] static void fail_type(const std::string& index);
};

}  // namespace weft::nn
