// function: a callable that is traced once per signature and then runs as a graph.
//
//   const auto step = function([&](const Tensor& x) { return tanh(matmul(x, w)); });
//   const Tensor y = step(x);   // traces; a new batch size is no new trace
#pragma once

#include "weft/runtime/concrete.h"

namespace weft {

// What `function` gives: copies share their traces.
template <class F>
class Traced {
 public:
  Traced(F f, TracedOptions options)
      : f_(std::move(f)), traces_(new_shared<TracedFunction>(std::move(options))) {}

  template <class... Args>
  auto operator()(const Args&... args) const {
    const auto all = detail::arguments(args...);
    using Value = Given<decltype(all)>;
    const Tensors in = flattened(all);
    const Shared<const TraceEntry> entry = entry_for(all, in);
    const Value& like = *static_cast<const Value*>(entry->beside.get());
    return rebuilt(like, TracedFunction::call(*entry, in, Where()));
  }

  // The trace for such arguments, made if there is none, and not run.
  template <class... Args>
  auto get_concrete_function(const Args&... args) const {
    const auto all = detail::arguments(args...);
    return ConcreteFunction<Given<decltype(all)>>(traces_, entry_for(all, flattened(all)));
  }

  std::vector<std::string> trace_log() const { return traces_->log(); }
  size_t trace_count() const { return traces_->trace_count(); }

 private:
  // What f gives for a tuple of arguments.
  template <class All>
  using Given =
      std::remove_cvref_t<decltype(std::apply(std::declval<const F&>(), std::declval<All>()))>;

  template <class All>
  Shared<const TraceEntry> entry_for(const All& all, const Tensors& in) const {
    using Value = Given<All>;
    Shared<void> form;  // of what f gives, kept with the trace
    const auto flat = [&](TensorSpan leaves) {
      const Value value = std::apply(f_, rebuilt(all, leaves));
      form = new_shared<Value>(detail::form_of(value));
      return flattened(value);
    };
    return traces_->entry_for(flat, in, detail::statics_of(all), Where(), {}, &form);
  }

  F f_;
  Shared<TracedFunction> traces_;
};

template <class F>
Traced<F> function(F f, TracedOptions options = {}) {
  return {std::move(f), std::move(options)};
}

}  // namespace weft
