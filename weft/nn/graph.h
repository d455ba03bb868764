// Models as graphs of layers: Input stands for what will come, layers and ops that are called with
// it are noted, and Model joins the ends.
//
//   const Tensor image = nn::Input({8, 8}, {.name = "image"});
//   const Tensor words = nn::Input({16}, {.name = "words"});
//   const Tensor seen = nn::Linear(64, 10)(tanh(nn::Flatten()(image)));
//   const Tensor read = nn::Linear(16, 10)(words);
//   nn::Model model({image, words}, {{"both", seen + read}, {"words", read}});
//   model(pictures, texts)[0];
//
// A layer is copied into the model when it is called: parameters are shared with the one that was
// called, modes are the model's own.
#pragma once

#include <functional>
#include <initializer_list>

#include "weft/nn/module.h"

namespace weft::nn {

struct InputOptions {
  std::string name = "";
  DType dtype = DType::kF32;
};

// What a model will be called with: of this shape, without the batch, where kInferred is a size
// that is not known. Ops on it are noted one by one, and Variables that they take become the
// model's, `variable`, `variable_1`. Those that need to know the size of the batch, what is
// computed of a Variable and what the default generator draws belong into a layer, such as Lambda:
// the last two raise [Input.variable] and [Input.draw], for a model would keep them as they are.
Tensor Input(const Shape& shape, const InputOptions& options = {}, Where where = Where::here());

// A function of tensors as a layer.
//   nn::Lambda([](const Tensor& a, const Tensor& b) { return a / (sum(b) + 1.0); })(a, b)
struct Lambda : Module<Lambda> {
  template <class F>
    requires(std::invocable<const F&, const Tensor&> ||
             std::invocable<const F&, const Tensor&, const Tensor&> ||
             std::invocable<const F&, const Tensor&, const Tensor&, const Tensor&> ||
             std::invocable<const F&, TensorSpan>)
  explicit Lambda(F function)
      : function_([f = std::move(function)](TensorSpan in) { return called(f, in); }) {}

  static constexpr auto fields = kNoFields;

  // Raises [Lambda.count] for another number of tensors than the function takes.
  Tensor forward(TensorSpan x) const { return function_(x); }
  Tensor operator()(const Tensor& a) const { return passed(*this, Tensors{a}); }
  Tensor operator()(const Tensor& a, const Tensor& b) const { return passed(*this, Tensors{a, b}); }
  Tensor operator()(const Tensor& a, const Tensor& b, const Tensor& c) const {
    return passed(*this, Tensors{a, b, c});
  }

 private:
  template <class F>
  static Tensor called(const F& f, TensorSpan in) {
    if constexpr (std::invocable<const F&, TensorSpan>) {
      return f(in);
    } else {
      if constexpr (std::invocable<const F&, const Tensor&>) {
        if (in.size() == 1) return f(in[0]);
      }
      if constexpr (std::invocable<const F&, const Tensor&, const Tensor&>) {
        if (in.size() == 2) return f(in[0], in[1]);
      }
      if constexpr (std::invocable<const F&, const Tensor&, const Tensor&, const Tensor&>) {
        if (in.size() == 3) return f(in[0], in[1], in[2]);
      }
      fail_count(in.size());
    }
  }
  [[noreturn]] static void fail_count(size_t count);

  std::function<Tensor(TensorSpan)> function_;
};

// The inputs or outputs of a model: one, several, or several with names.
struct Ends {
  Ends(const Tensor& one) : all{{"", one}} {}  // NOLINT(google-explicit-constructor)
  Ends(std::initializer_list<Tensor> several);
  Ends(const std::vector<Tensor>& several);  // NOLINT(google-explicit-constructor)
  Ends(std::initializer_list<std::pair<std::string, Tensor>> named) : all(named), is_list(true) {}

  std::vector<std::pair<std::string, Tensor>> all;
  bool is_list = false;
};

// What a model of nn::Input holds: a layer, or a Variable that was used outside of one.
struct ModelItem {
  std::optional<detail::HeldModule> layer;
  Variable variable;
  static constexpr auto fields =
      fields_of(field("", &ModelItem::layer), field("", &ModelItem::variable));
};

// A model from Inputs to what was made of them: what lies between them is found by itself. Layers
// are named by their types in the order of the graph, `linear`, `linear_1`; one that was called
// several times is there once.
struct Model : Module<Model> {
  // Raises [Model.inputs], [Model.outputs].
  Model(const Ends& inputs, const Ends& outputs);

  std::vector<std::string> input_names;   // those of the Inputs; input_0, ... of others
  std::vector<std::string> output_names;  // as they were given; output_0, ... of others
  std::vector<std::pair<std::string, ModelItem>> items;
  static constexpr auto fields = fields_of(field("", &Model::items));

  // All outputs in a row, from the inputs in their order; raises [Model.call] for another number.
  Tensors forward(TensorSpan inputs) const;
  Tensors operator()(TensorSpan inputs) const { return passed(*this, inputs); }
  Tensors operator()(const Tensor& a, const Tensor& b) const {
    return passed(*this, Tensors{a, b});
  }
  Tensors operator()(const Tensor& a, const Tensor& b, const Tensor& c) const {
    return passed(*this, Tensors{a, b, c});
  }
  // Of a model with one input and one output; raises [Model.outputs] for more.
  Tensor operator()(const Tensor& x) const { return only(passed(*this, Tensors{x})); }
  // The outputs by their names, from the inputs by theirs.
  State named(const State& inputs) const;

  // Without inputs, for a batch of one.
  Summary summary();
  template <class... Inputs>
  Summary summary(const Inputs&... inputs) {
    const Tensors row{detail::as_input(inputs)...};
    return detail::summarized(*this, [&] { (*this)(TensorSpan(row)); });
  }

 private:
  struct Program;
  friend class ModelBuilder;
  Tensor only(const Tensors& outputs) const;

  Shared<const Program> program_;
};

}  // namespace weft::nn
