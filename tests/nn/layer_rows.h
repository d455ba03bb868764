// Every layer of nn: how it is made, with its input size and without, and what it is called with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weft/weft.h"

namespace weft::nn {

// A layer without its type.
class BuiltLayer {
 public:
  virtual ~BuiltLayer() = default;
  virtual ModuleBase& module() = 0;
  virtual void train(bool mode) = 0;
  // The leaves of what it gives.
  virtual Tensors call(TensorSpan inputs) const = 0;
  virtual Tensors call_with(const State& values, TensorSpan inputs) const = 0;
  virtual Summary summary(TensorSpan inputs) = 0;
};

struct LayerRow {
  std::string name;  // as in python/tests/layer_table.py
  std::function<Shared<BuiltLayer>()> make;
  std::function<Shared<BuiltLayer>()> make_lazy;  // empty: it has no size to leave out
  std::function<Tensors()> inputs;
};

std::vector<LayerRow> layer_rows();
// Its parts: layers with parameters, and those without.
std::vector<LayerRow> rows_with_parameters();
std::vector<LayerRow> rows_without_parameters();

template <class M, class Call>
class Built final : public BuiltLayer {
 public:
  Built(M layer, Call call) : layer_(std::move(layer)), call_(call) {}
  ModuleBase& module() override { return layer_; }
  void train(bool mode) override { layer_.train(mode); }
  Tensors call(TensorSpan inputs) const override { return flattened(call_(layer_, inputs)); }
  Tensors call_with(const State& values, TensorSpan inputs) const override {
    M copy = layer_;
    detail::put_values(copy, values);
    return flattened(call_(copy, inputs));
  }
  Summary summary(TensorSpan inputs) override {
    return detail::summarized(layer_, [&] { call_(layer_, inputs); });
  }

 private:
  M layer_;
  Call call_;
};

// How a layer is called with one, two or three inputs.
inline constexpr auto kOne = [](const auto& layer, TensorSpan x) { return layer(x[0]); };
inline constexpr auto kTwo = [](const auto& layer, TensorSpan x) { return layer(x[0], x[1]); };
inline constexpr auto kThree = [](const auto& layer, TensorSpan x) {
  return layer(x[0], x[1], x[2]);
};

template <class Make, class Call>
std::function<Shared<BuiltLayer>()> built_by(Make make, Call call) {
  return [=]() -> Shared<BuiltLayer> {
    return new_shared<Built<decltype(make()), Call>>(make(), call);
  };
}

using Draw = std::function<Tensor()>;
inline Draw normal_of(const Shape& shape) {
  return [=] { return random::normal(random::Key(7), shape); };
}

class Rows {
 public:
  template <class Call, class Make>
  void add(const char* name, Call call, Make make, std::vector<Draw> inputs) {
    rows.push_back({name, built_by(make, call), {}, [inputs = std::move(inputs)] {
                      Tensors out;
                      for (const Draw& draw : inputs) out.push_back(draw());
                      return out;
                    }});
  }
  template <class Call, class Make, class Lazy>
  void add_lazy(const char* name, Call call, Make make, Lazy lazy, std::vector<Draw> inputs) {
    add(name, call, make, std::move(inputs));
    rows.back().make_lazy = built_by(lazy, call);
  }
  template <class Make, class Lazy>
  void add_lazy(const char* name, Make make, Lazy lazy, std::vector<Draw> inputs) {
    add_lazy(name, kOne, make, lazy, std::move(inputs));
  }

  std::vector<LayerRow> rows;
};

}  // namespace weft::nn
