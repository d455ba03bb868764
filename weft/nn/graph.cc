// Models of nn::Input: what lies between the ends, and calling it.
#include "weft/nn/graph.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "weft/base/error.h"
#include "weft/nn/awaited.h"
#include "weft/op/apply.h"
#include "weft/op/followed.h"
#include "weft/ops/creation/creation.h"

namespace weft::nn {

using detail::awaited, detail::Awaited, detail::NotedCall;

void Lambda::fail_count(size_t count) {
  fail(Code::kInvalid, "Lambda", "count", "there are ", count,
       " tensors, which the function does not take");
}

Ends::Ends(std::initializer_list<Tensor> several) : is_list(true) {
  for (const Tensor& one : several) all.emplace_back("", one);
}
Ends::Ends(const std::vector<Tensor>& several) : is_list(true) {
  for (const Tensor& one : several) all.emplace_back("", one);
}

// Steps in the order in which they are computed.
struct Model::Program {
  // A value: of an input, of an earlier step, of a Variable among the items, or one that is there.
  struct Place {
    enum class Kind : uint8_t { kInput, kStep, kVariable, kConstant } kind = Kind::kConstant;
    size_t step = 0, place = 0;
    Tensor constant = {};
  };
  struct Step {
    Shared<const NotedCall> call;
    size_t item = 0;  // of a module: its number among the items
    std::vector<Place> in;
  };
  std::vector<Tensor> inputs;
  std::vector<Step> steps;
  std::vector<Place> results;
};

namespace {

bool is_symbol(Dim size) {
  if (size.is_known()) return false;
  std::vector<Dim> symbols;
  append_symbols(symbols, size);
  return symbols.size() == 1 && symbols[0] == size;
}

// The sizes of a call of a model.
class Bindings {
 public:
  void bind(ShapeView sizes, const Tensor& value) {
    for (size_t i = 0; i < sizes.size() && i < static_cast<size_t>(value.rank()); ++i) {
      if (!is_symbol(sizes[i])) continue;
      const auto known = std::ranges::find(all_, sizes[i], &DimBinding::symbol);
      if (known == all_.end()) all_.push_back({sizes[i], value.shape()[i]});
    }
  }
  Tensors applied(const NotedCall& call, TensorSpan in) const {
    const AttrsType& type = *call.op->attrs;
    if (!has_symbols(type, call.attrs->data())) {
      return apply_all(*call.op, in, call.attrs->data(), call.where);
    }
    const AnyAttrs attrs = substituted(type, call.attrs->data(), all_);
    return apply_all(*call.op, in, attrs.data(), call.where);
  }

 private:
  std::vector<DimBinding> all_;
};

std::string in_words(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += text(out.empty() ? "'" : ", '", name, "'");
  return out;
}

}  // namespace

// Finds what lies between the ends, as Python does, so that names and draws are in one order.
class ModelBuilder {
 public:
  ModelBuilder(Model& model, const Ends& inputs) : model_(model) {
    for (const auto& [given, input] : inputs.all) add_input(given, input, inputs.is_list);
  }

  Shared<const Model::Program> built(const Ends& outputs) {
    for (const auto& [name, output] : outputs.all) {
      if (awaited(output) == nullptr) {
        fail(Code::kType, "Model", "outputs", "an output is a tensor that is there",
             "; outputs are what layers give of an nn::Input");
      }
      program_->results.push_back(place_of(output));
      model_.output_names.push_back(!name.empty()     ? name
                                    : outputs.is_list ? text("output_", model_.output_names.size())
                                                      : "output");
    }
    for (size_t k = 0; k < used_.size(); ++k) {
      if (used_[k]) continue;
      fail(Code::kInvalid, "Model", "inputs", "no output depends on the input '",
           model_.input_names[k], "'; leave it out");
    }
    return program_;
  }

 private:
  using Place = Model::Program::Place;

  void add_input(const std::string& given, const Tensor& input, bool is_list) {
    const Awaited* const node = awaited(input);
    if (node == nullptr || node->call != nullptr) {
      fail(Code::kType, "Model", "inputs", "an input is ",
           node == nullptr ? "a tensor that is there" : "what a layer gave",
           "; inputs are made by nn::Input");
    }
    std::vector<std::string>& names = model_.input_names;
    std::string name = !given.empty() ? given : node->name;
    if (name.empty()) name = is_list ? text("input_", names.size()) : "input";
    if (std::ranges::find(names, name) != names.end()) {
      fail(Code::kInvalid, "Model", "inputs", "two inputs are named '", name, "'; names differ");
    }
    names.push_back(name);
    program_->inputs.push_back(input);
    used_.push_back(false);
  }

  Place place_of(const Tensor& value) {
    const Awaited* const node = awaited(value);
    if (node == nullptr) return {Place::Kind::kConstant, 0, 0, value};
    if (node->variable.defined()) return {Place::Kind::kVariable, item_of(node->variable), 0, {}};
    if (node->call == nullptr) return {Place::Kind::kInput, input_of(*node), 0, {}};
    if (!numbers_.contains(node->call.get())) add(node->call);
    return {Place::Kind::kStep, numbers_.at(node->call.get()), node->place, {}};
  }

  size_t input_of(const Awaited& node) {
    for (size_t k = 0; k < program_->inputs.size(); ++k) {
      if (program_->inputs[k].node() != &node) continue;
      used_[k] = true;
      return k;
    }
    fail(Code::kInvalid, "Model", "inputs", "an output depends on ", detail::described(&node),
         ", which is not among the inputs ", in_words(model_.input_names));
  }

  // Puts a call and those that it needs in order; without recursion, since graphs may be deep.
  void add(const Shared<const NotedCall>& last) {
    std::vector<Shared<const NotedCall>> waiting{last};
    while (!waiting.empty()) {
      const Shared<const NotedCall> call = waiting.back();
      std::vector<Shared<const NotedCall>> needed;
      for (const Tensor& value : call->in) {
        const Awaited* const node = awaited(value);
        if (node != nullptr && node->call != nullptr && !numbers_.contains(node->call.get())) {
          needed.push_back(node->call);
        }
      }
      if (!needed.empty()) {
        waiting.insert(waiting.end(), needed.rbegin(), needed.rend());
        continue;
      }
      waiting.pop_back();
      if (!numbers_.contains(call.get())) put(call);
    }
  }

  void put(const Shared<const NotedCall>& call) {
    Model::Program::Step step;
    step.call = call;
    if (call->op == nullptr) step.item = item_of(call->module);
    for (const Tensor& value : call->in) step.in.push_back(place_of(value));
    program_->steps.push_back(std::move(step));
    numbers_.emplace(call.get(), program_->steps.size() - 1);
  }

  size_t item_of(const Shared<const detail::NotedModule>& noted) {
    const auto [at, is_new] = items_.emplace(noted.get(), model_.items.size());
    if (is_new) add_item(noted->held.module()->type_name(), {noted->held, {}});
    return at->second;
  }
  size_t item_of(const Variable& variable) {
    const auto [at, is_new] = items_.emplace(variable.id(), model_.items.size());
    if (is_new) add_item("variable", {{}, variable});
    return at->second;
  }

  void add_item(std::string word, ModelItem item) {
    for (char& c : word) {
      const auto letter = static_cast<unsigned char>(c);
      c = std::isalnum(letter) ? static_cast<char>(std::tolower(letter)) : '_';
    }
    std::string name = word;
    const auto is_taken = [&] {
      return std::ranges::any_of(model_.items, [&](const auto& it) { return it.first == name; });
    };
    for (size_t count = 1; is_taken(); ++count) name = text(word, '_', count);
    model_.items.emplace_back(name, std::move(item));
  }

  Model& model_;
  const Shared<Model::Program> program_ = new_shared<Model::Program>();
  std::vector<bool> used_;
  std::unordered_map<const NotedCall*, size_t> numbers_;
  std::unordered_map<const void*, size_t> items_;  // by a module or a Variable
};

Model::Model(const Ends& inputs, const Ends& outputs)
    : program_(ModelBuilder(*this, inputs).built(outputs)) {}

Tensors Model::forward(TensorSpan inputs) const {
  if (inputs.size() != input_names.size()) {
    fail(Code::kInvalid, "Model", "call", "was called with ", inputs.size(),
         " values; its inputs are ", in_words(input_names));
  }
  follow_origins(false);  // it is in use: no graph is being made
  Bindings bindings;
  for (size_t k = 0; k < inputs.size(); ++k) bindings.bind(program_->inputs[k].shape(), inputs[k]);
  std::vector<Tensors> results;
  const auto value = [&](const Program::Place& at) {
    switch (at.kind) {
      case Program::Place::Kind::kInput: return inputs[at.step];
      case Program::Place::Kind::kStep: return results[at.step][at.place];
      case Program::Place::Kind::kVariable: return items[at.step].second.variable.read();
      case Program::Place::Kind::kConstant: return at.constant;
    }
    __builtin_unreachable();
  };
  for (const Program::Step& step : program_->steps) {
    Tensors in;
    for (const Program::Place& at : step.in) in.push_back(value(at));
    const NotedCall& call = *step.call;
    results.push_back(call.op != nullptr
                          ? bindings.applied(call, in)
                          : call.function(*items[step.item].second.layer->module(), in));
    for (size_t k = 0; k < call.out.size(); ++k) {
      bindings.bind(call.out[k].shape, results.back()[k]);
    }
  }
  Tensors out;
  for (const Program::Place& at : program_->results) out.push_back(value(at));
  return out;
}

Tensor Model::only(const Tensors& outputs) const {
  if (outputs.size() != 1) {
    fail(Code::kInvalid, "Model", "outputs", "the model gives ", outputs.size(),
         " outputs; give it a TensorSpan of its inputs, and it gives all of them");
  }
  return outputs[0];
}

State Model::named(const State& inputs) const {
  Tensors row;
  for (const std::string& name : input_names) {
    const auto given = inputs.find(name);
    if (given != inputs.end()) row.push_back(given->second);
  }
  if (row.size() != inputs.size() || row.size() != input_names.size()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : inputs) names.push_back(name);
    fail(Code::kInvalid, "Model", "call", "was called with ", in_words(names), "; its inputs are ",
         in_words(input_names));
  }
  const Tensors outputs = (*this)(TensorSpan(row));
  State out;
  for (size_t k = 0; k < outputs.size(); ++k) out.emplace(output_names[k], outputs[k]);
  return out;
}

Summary Model::summary() {
  Tensors inputs;
  for (const Tensor& input : program_->inputs) {
    Shape shape;
    for (const Dim size : input.shape()) shape.push_back(size.is_known() ? size : Dim(1));
    inputs.push_back(zeros(shape, input.dtype()));
  }
  return detail::summarized(*this, [&] { (*this)(TensorSpan(inputs)); });
}

}  // namespace weft::nn
