// Layer: a module with parameters of its own, drawn from a key.
#pragma once

#include "weft/nn/init.h"
#include "weft/nn/module.h"
#include "weft/trace/eager_scope.h"

namespace weft::nn {

// A parameter to be made: where it goes and what it begins as. Without a shape it is not made, but
// has its key all the same.
struct Wanted {
  std::string_view name;
  Variable* place;
  std::optional<Shape> shape;
  Initializer initializer;
};

namespace detail {

// What a layer keeps until its parameters are made, and of what dtype they are.
struct Pending {
  std::optional<random::Key> key;
  DType dtype = DType::kF32;
};
// The key given, or a fresh one of the default generator; raises [who.dtype].
Pending begun(const std::string& who, const std::optional<random::Key>& key, DType dtype);
// Makes the parameters, outside of any graph: they are values, drawn once. Raises [who.size].
void draw(const std::string& who, Pending& pending, std::span<const Wanted> wanted);

}  // namespace detail

// Its constructor calls begin(), with kInferred if only the first call will tell the size of the
// input, and then forward begins with `know(size)`.
template <class Self>
class Layer : public Module<Self> {
 public:
  bool is_pending() const override { return pending_.key.has_value(); }
  void complete(int64_t size) const override {
    const EagerScope now;
    detail::draw(this->type_name(), pending_, wanted(size));
  }
  // The parameters in the order of their keys, where `size` is that of the input.
  virtual std::vector<Wanted> wanted(int64_t size) const = 0;
  // The second axis of the weight.
  std::optional<int64_t> size_of(const State& state) const override {
    const auto weight = state.find("weight");
    if (weight == state.end()) return {};
    return weight->second.dim(1).value();
  }

 protected:
  void begin(int64_t size, const std::optional<random::Key>& key, DType dtype) {
    pending_ = detail::begun(this->type_name(), key, dtype);
    if (size != kInferred) complete(size);
  }
  // Makes the parameters if they wait for this size; a traced one is taken for granted.
  void know(Dim size) const {
    if (pending_.key.has_value()) complete(size.value());
  }
  DType dtype() const { return pending_.dtype; }
  const random::Key& key() const { return *pending_.key; }

 private:
  mutable detail::Pending pending_;
};

}  // namespace weft::nn
