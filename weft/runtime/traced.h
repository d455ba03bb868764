// TracedFunction: a callable traced once per signature, on flat lists; what `function` is made of.
#pragma once

#include <mutex>
#include <thread>

#include "weft/runtime/writing.h"
#include "weft/trace/trace.h"

namespace weft {

struct TracedOptions {
  std::string name = "f";
  size_t max_traces = 64;                           // a call that would trace more often raises
  std::vector<std::string> arguments = {};          // their names, for messages
  std::vector<std::optional<Type>> signature = {};  // types that arguments must have
};

// One trace, and why it was made.
struct TraceEntry {
  Trace trace;
  std::string statics;  // what was not a tensor in the call
  std::string reason;
  size_t number = 0;                // in the log; none of those that are good for one call
  size_t parameters = 0;            // arguments; those behind them are captured
  WrittenSet writes = 0;            // Variables, and the default generator
  std::vector<Variable> variables;  // that it captured, by parameter
  bool is_cut = false;              // no result has a slope: a step of training
  bool is_single = false;           // it holds values of a transformation: good for one call
  Shared<void> beside;  // what the callable left beside its graph: the form of what it gave
};

// What a callable reads outside of its arguments. Asked about entries that fit these.
struct ReadsOutside {
  FunctionRef<bool(const TraceEntry&)> is_as_it_was = {};
  FunctionRef<std::string(const TraceEntry&)> what_changed = {};
};

class TracedFunction {
 public:
  explicit TracedFunction(TracedOptions options);

  // The trace that fits the arguments, made if there is none. `f` is called only then. `statics`
  // are the parts of the call that are no tensors: another text is another trace. What `f` puts in
  // `beside` is kept with the trace.
  Shared<const TraceEntry> entry_for(FlatFunction f, TensorSpan in, const std::string& statics,
                                     Where where, const ReadsOutside& outside = {},
                                     Shared<void>* beside = nullptr);
  // The trace that served the call before, if this one is like it.
  Shared<const TraceEntry> latest_for(TensorSpan in, const std::string& statics,
                                      const ReadsOutside& outside) const;
  // Raises [f.concrete] if a call like this needs another trace than this one.
  void check_fits(const TraceEntry& entry, TensorSpan in, const std::string& statics,
                  Where where) const;
  // Runs an entry on arguments that it fits.
  static Tensors call(const TraceEntry& entry, TensorSpan in, Where where);

  Tensors operator()(FlatFunction f, TensorSpan in, const std::string& statics, Where where) {
    return call(*entry_for(f, in, statics, where), in, where);
  }

  std::vector<std::string> log() const;  // one entry a trace
  size_t trace_count() const;
  const TracedOptions& options() const { return options_; }

 private:
  Shared<const TraceEntry> traced(FlatFunction f, TensorSpan in, const std::string& statics,
                                  std::string reason, Where where, Shared<void>* beside);
  void check_signature(TensorSpan in, Where where) const;
  std::string why_not(const TraceEntry& entry, TensorSpan in, const std::string& statics,
                      const ReadsOutside& outside) const;
  const TraceEntry& closest(std::span<const Shared<const TraceEntry>> entries, TensorSpan in,
                            const std::string& statics) const;
  std::string argument(size_t i) const;
  bool is_recent(TensorSpan in) const;

  TracedOptions options_;
  mutable std::mutex mutex_;
  std::vector<Shared<const TraceEntry>> entries_;  // the one used last comes first
  std::vector<Dim> recent_;  // the sizes and dtypes of the call that entries_[0] served last
  std::vector<std::string> log_;
  std::vector<std::thread::id> tracing_;  // who is tracing it now
};

}  // namespace weft
