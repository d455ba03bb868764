// function: a callable that is traced once per signature and then runs as a graph.
//
//   const auto step = function([&](const Tensor& x) { return tanh(matmul(x, w)); });
//   const Tensor y = step(x);   // traces; a new batch size is no new trace
#pragma once

#include "weft/runtime/statics.h"
#include "weft/runtime/traced.h"
#include "weft/transform/adapt.h"

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
    using Value = std::remove_cvref_t<decltype(std::apply(f_, all))>;
    Shared<void> form;  // of what f gives, kept with the trace
    const auto flat = [&](TensorSpan leaves) {
      const Value value = std::apply(f_, rebuilt(all, leaves));
      form = new_shared<Value>(detail::form_of(value));
      return flattened(value);
    };
    const Tensors in = flattened(all);
    std::string statics;
    detail::append_statics(statics, all);
    const Shared<const TraceEntry> entry =
        traces_->entry_for(flat, in, statics, Where(), {}, &form);
    const Value& like = *static_cast<const Value*>(entry->beside.get());
    return rebuilt(like, TracedFunction::call(*entry, in, Where()));
  }

  std::vector<std::string> trace_log() const { return traces_->log(); }
  size_t trace_count() const { return traces_->trace_count(); }

 private:
  F f_;
  Shared<TracedFunction> traces_;
};

template <class F>
Traced<F> function(F f, TracedOptions options = {}) {
  return {std::move(f), std::move(options)};
}

}  // namespace weft
