// A custom function without a batching rule, for a whole batch: its passes run on batched values,
// and are batched as the ops they are made of.
#include <algorithm>

#include "weft/op/per_example.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/transform/custom_call.h"
#include "weft/transform/vmap.h"

namespace weft {
namespace {

// What is known of the batch when its passes run.
struct Batch {
  std::vector<bool> batched;  // per input
  Types examples;             // the inputs of one
  std::string axis_name;
  Where where;

  explicit Batch(const BatchCtx& cx)
      : batched(cx.batched.begin(), cx.batched.end()),
        examples(example_types(cx)),
        axis_name(cx.axis_name),
        where(cx.where) {}

  // f for all examples; a draw inside asks the vmap around.
  Tensors run(FlatFunction f, TensorSpan in, const std::vector<bool>& flags) const {
    FlatVmapOptions options{.axis_name = axis_name, .randomness = Randomness::kSame};
    for (const bool flag : flags) {
      options.in_axes.push_back(flag ? std::optional<int64_t>(0) : std::nullopt);
    }
    return vmap_flat(f, in, options, where);
  }
  // A saved input has a batch axis if it came with one; whatever else is saved has one.
  std::vector<bool> flags_of_saved(const std::vector<int>& sources) const {
    std::vector<bool> out;
    for (const int source : sources) {
      const bool is_input = source >= 0 && static_cast<size_t>(source) < batched.size();
      out.push_back(!is_input || batched[static_cast<size_t>(source)]);
    }
    return out;
  }
};

// Those of a list that are defined, and their places.
struct Defined {
  Tensors values;
  std::vector<size_t> places;

  explicit Defined(TensorSpan all) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].defined()) continue;
      values.push_back(all[i]);
      places.push_back(i);
    }
  }
  static Tensors placed(TensorSpan values, const std::vector<size_t>& places, size_t count) {
    Tensors out(count);
    for (size_t k = 0; k < places.size(); ++k) out[places[k]] = values[k];
    return out;
  }
};

}  // namespace

Tensors CustomCall::forward_of_batch(CustomContext& whole, TensorSpan in,
                                     FunctionRef<Tensors(FlatFunction)> run) {
  *this = CustomCall{rules, {}, {}};
  Tensors out = run([&](TensorSpan example) { return traced_forward(example); });
  const auto others = static_cast<size_t>(std::ranges::count(sources, -1));
  const size_t outputs = out.size() - others;
  Tensors saved;
  size_t next = outputs;
  for (const int source : sources) {
    const auto at = static_cast<size_t>(source);
    saved.push_back(source < 0 ? out[next++] : at < in.size() ? in[at] : out[at - in.size()]);
  }
  whole.save_for_backward(saved);
  *this = without_values();
  out.resize(outputs);
  return out;
}

Tensors CustomCall::backward_of_example(const CustomContext& whole, TensorSpan saved,
                                        TensorSpan cotangents, TypeSpan inputs, Where where) const {
  CustomContext seen = context;
  seen.saved_.assign(saved.begin(), saved.end());
  seen.wanted_ = whole.wanted_;
  Tensors out = rules->backward(seen, cotangents);
  check_gradients(*rules, out, inputs, where);
  return out;
}

Shared<const CustomRules> CustomCall::rules_of_batch(const Shared<CustomCall>& example,
                                                     const BatchCtx& cx) {
  const auto batch = new_shared<Batch>(cx);
  auto out = new_shared<CustomRules>();
  out->name = example->rules->name;
  out->is_traced = example->rules->is_traced;
  out->fill_cotangents = example->rules->fill_cotangents;
  out->forward = [=](CustomContext& whole, TensorSpan in) {
    return example->forward_of_batch(
        whole, in, [&](FlatFunction f) { return batch->run(f, in, batch->batched); });
  };
  if (example->rules->backward) {
    out->backward = [=](const CustomContext& whole, TensorSpan cotangents) {
      const Defined given(cotangents);
      Tensors in(whole.saved_tensors().begin(), whole.saved_tensors().end());
      const size_t saved = in.size();
      std::vector<bool> flags = batch->flags_of_saved(example->sources);
      for (const Tensor& t : given.values) in.push_back(t);
      flags.resize(in.size(), true);
      std::vector<size_t> places;
      const auto pull = [&](TensorSpan all) {
        const Tensors back = Defined::placed(all.subspan(saved), given.places, cotangents.size());
        Defined found(example->backward_of_example(whole, all.first(saved), back, batch->examples,
                                                   batch->where));
        places = found.places;
        return found.values;
      };
      Tensors found = batch->run(pull, in, flags);
      for (size_t k = 0; k < found.size(); ++k) {  // what all examples share gets all they give
        if (!batch->batched[places[k]]) found[k] = sum(found[k], Ints{0}, false, batch->where);
      }
      return Defined::placed(found, places, batch->batched.size());
    };
  }
  if (example->rules->jvp) {
    out->jvp = [=](TensorSpan primals, TensorSpan tangents) {
      const Defined given(tangents);
      Tensors in(primals.begin(), primals.end());
      std::vector<bool> flags = batch->batched;
      for (size_t k = 0; k < given.values.size(); ++k) {
        in.push_back(given.values[k]);
        flags.push_back(batch->batched[given.places[k]]);
      }
      std::vector<size_t> places;
      size_t outputs = 0;
      const auto push = [&](TensorSpan all) {
        const size_t count = batch->batched.size();
        const Tensors along = Defined::placed(all.subspan(count), given.places, count);
        const Tensors found = example->rules->jvp(all.first(count), along);
        Defined defined(found);
        outputs = found.size();
        places = defined.places;
        return defined.values;
      };
      const Tensors found = batch->run(push, in, flags);
      return Defined::placed(found, places, outputs);
    };
  }
  return out;
}

void CustomCall::take_batch(const CustomCall& example, const CustomCall& whole) {
  context = example.context;
  context.saved_ = whole.context.saved_;
  sources = example.sources;
  for (size_t k = 0; k < sources.size(); ++k) {
    if (sources[k] >= 0) context.saved_[k] = Tensor();  // each level sees its own
  }
}

void CustomCall::wrap_saved(FunctionRef<Tensor(const Tensor&)> wrap) {
  for (size_t k = 0; k < sources.size(); ++k) {
    if (sources[k] < 0) context.saved_[k] = wrap(context.saved_[k]);
  }
}

}  // namespace weft
