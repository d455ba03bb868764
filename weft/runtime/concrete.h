// ConcreteFunction: one trace of a function, to be looked at and called.
//
//   const auto trace = f.get_concrete_function(x);
//   print(trace.text()), trace.draw("f.svg"), trace.plan(x).profile().text();
#pragma once

#include "weft/runtime/graph.h"
#include "weft/runtime/planned.h"
#include "weft/runtime/statics.h"
#include "weft/runtime/traced.h"
#include "weft/transform/adapt.h"

namespace weft {

class ConcreteTrace {
 public:
  ConcreteTrace(Shared<TracedFunction> owner, Shared<const TraceEntry> entry)
      : owner_(std::move(owner)), entry_(std::move(entry)) {}

  // What was traced: the tensors of the arguments are its parameters, and behind them what it reads
  // of Variables; behind its results are the new values of those that it writes.
  const Shared<const ir::Function>& function() const { return entry_->trace.function; }
  // Why it was traced.
  const std::string& reason() const { return entry_->reason; }
  std::string text() const;
  std::string summary() const;
  std::string draw(const std::string& path = "", int depth = -1) const;
  // A graph of it, with placeholders for parameters and the results as its collection "results".
  Graph graph() const { return Graph::from(*function()); }
  // The graph that passes make of it; `dump` is a folder for the text after every pass.
  Graph optimized(const std::string& dump = "") const;

  // How a call with such arguments works: its instructions, its memory, its time. Raises
  // [f.concrete] for arguments that need another trace.
  template <class... Args>
  Planned plan(const Args&... args) const {
    const auto all = detail::arguments(args...);
    return planned(flattened(all), detail::statics_of(all));
  }

 protected:
  void need_fitting(const Tensors& arguments, const std::string& statics) const;
  Planned planned(Tensors arguments, const std::string& statics) const;
  Tensors call(const Tensors& arguments, const std::string& statics) const;

  Shared<TracedFunction> owner_;
  Shared<const TraceEntry> entry_;
};

// The same of a function that gives a Value.
template <class Value>
class ConcreteFunction : public ConcreteTrace {
 public:
  using ConcreteTrace::ConcreteTrace;

  // Runs this trace. Raises [f.concrete] for arguments that need another one.
  template <class... Args>
  Value operator()(const Args&... args) const {
    const auto all = detail::arguments(args...);
    return rebuilt(*static_cast<const Value*>(entry_->beside.get()),
                   call(flattened(all), detail::statics_of(all)));
  }
};

}  // namespace weft
