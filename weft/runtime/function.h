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
    const auto served = with_parts(all, [&](FlatFunction f, const auto&... parts) {
      return traces_->served(f, in, parts...);
    });
    return rebuilt(*static_cast<const Value*>(served.entry->beside.get()), served.results);
  }

  // The trace for such arguments, made if there is none, and not run.
  template <class... Args>
  auto get_concrete_function(const Args&... args) const {
    const auto all = detail::arguments(args...);
    const Tensors in = flattened(all);
    auto entry = with_parts(all, [&](FlatFunction f, const std::string& statics, Where where,
                                     Shared<void>* form, const CallWords& words) {
      return traces_->entry_for(f, in, statics, where, {}, form, words);
    });
    return ConcreteFunction<Given<decltype(all)>>(traces_, std::move(entry));
  }

  std::vector<std::string> trace_log() const { return traces_->log(); }
  size_t trace_count() const { return traces_->trace_count(); }

 private:
  // What f gives for a tuple of arguments.
  template <class All>
  using Given =
      std::remove_cvref_t<decltype(std::apply(std::declval<const F&>(), std::declval<All>()))>;

  // use() with what the traces are told of a call: f on flat lists, what is no tensor, the line,
  // where the form of what f gives is left, and words.
  template <class All, class Use>
  auto with_parts(const All& all, const Use& use) const {
    using Value = Given<All>;
    Shared<void> form;  // kept with the trace
    const auto flat = [&](TensorSpan leaves) {
      const Value value = std::apply(f_, rebuilt(all, leaves));
      form = new_shared<Value>(detail::form_of(value));
      return flattened(value);
    };
    const std::string statics = detail::statics_of(all);
    const auto what_changed = [&](const TraceEntry& entry) {
      return detail::changed_argument(entry.statics, statics);
    };
    return use(flat, statics, Where(), &form, CallWords{.names = {}, .what_changed = what_changed});
  }

  F f_;
  Shared<TracedFunction> traces_;
};

template <class F>
Traced<F> function(F f, TracedOptions options = {}) {
  return {std::move(f), std::move(options)};
}

}  // namespace weft
