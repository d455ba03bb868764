// One step of a recurrent network. Weights and biases begin as in PyTorch, uniform in
// 1 / sqrt(hidden_size) around 0.
#pragma once

#include "weft/nn/layer.h"

namespace weft::nn {

struct CellOptions {
  bool bias = true;
  DType dtype = DType::kF32;
  Initializer weight_init = {}, bias_init = {};
  std::optional<random::Key> key = {};
};

struct RNNCellOptions {
  bool bias = true;
  std::string nonlinearity = "tanh";  // or "relu"
  DType dtype = DType::kF32;
  Initializer weight_init = {}, bias_init = {};
  std::optional<random::Key> key = {};
};

// What cells share: their parameters, for kGates gates.
template <class Self, int64_t kGates, class Options>
struct CellLayer : Layer<Self> {
  CellLayer(int64_t input_size, int64_t hidden_size, Options options);

  mutable int64_t input_size;  // kInferred until the first call, if it was left out
  int64_t hidden_size;
  mutable Variable weight_ih, weight_hh, bias_ih, bias_hh;
  static constexpr auto fields = fields_of(
      field("weight_ih", &CellLayer::weight_ih), field("weight_hh", &CellLayer::weight_hh),
      field("bias_ih", &CellLayer::bias_ih), field("bias_hh", &CellLayer::bias_hh));

  std::string extra_repr() const override;
  std::optional<int64_t> size_of(const State& state) const override;
  std::vector<Wanted> wanted(int64_t size) const override;

 protected:
  // The input and the parameters as they are computed with: x, weight_ih, weight_hh, biases.
  Tensors ready(const Tensor& x) const;
  // The state that the step begins with: the one given, or zeros.
  Tensor first_state(const Tensor& given, const Tensor& x) const;
  Options options_;
};

// The new state from an input [batch, features] and a state, which is zeros if left out.
struct RNNCell : CellLayer<RNNCell, 1, RNNCellOptions> {
  RNNCell(int64_t input_size, int64_t hidden_size, RNNCellOptions options = {});
  Tensor operator()(const Tensor& x, const Tensor& state = Tensor(),
                    Where where = Where::here()) const {
    return passed(*this, x, state, where);
  }
  Tensor forward(const Tensor& x, const Tensor& state, Where where) const;
};

struct GRUCell : CellLayer<GRUCell, 3, CellOptions> {
  GRUCell(int64_t input_size, int64_t hidden_size, CellOptions options = {});
  Tensor operator()(const Tensor& x, const Tensor& state = Tensor(),
                    Where where = Where::here()) const {
    return passed(*this, x, state, where);
  }
  Tensor forward(const Tensor& x, const Tensor& state, Where where) const;
};

// The new state and cell from an input and a pair of both.
struct LSTMCell : CellLayer<LSTMCell, 4, CellOptions> {
  LSTMCell(int64_t input_size, int64_t hidden_size, CellOptions options = {});
  std::pair<Tensor, Tensor> operator()(const Tensor& x, const std::pair<Tensor, Tensor>& state = {},
                                       Where where = Where::here()) const {
    return passed(*this, x, state, where);
  }
  std::pair<Tensor, Tensor> forward(const Tensor& x, const std::pair<Tensor, Tensor>& state,
                                    Where where) const;
};

namespace detail {
// Raises [who.nonlinearity] unless it is "tanh" or "relu".
void require_nonlinearity(std::string_view who, const std::string& nonlinearity);
}  // namespace detail

}  // namespace weft::nn
