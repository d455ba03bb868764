// TracedFunction: a callable traced once per signature, on flat lists; what `function` is made of.
#pragma once

#include <mutex>
#include <thread>

#include "weft/base/mutex.h"
#include "weft/runtime/writing.h"
#include "weft/trace/trace.h"

namespace weft {

struct TracedOptions {
  std::string name = "f";
  size_t max_traces = 64;                   // a call that would trace more often raises
  size_t warn_after = 5;                    // traces the log warns, with the reason; 0: never
  std::vector<std::string> arguments = {};  // their names, for messages
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
  bool is_exact = false;            // it has numbers for sizes, where another one has symbols
  Shared<void> beside;  // what the callable left beside its graph: the form of what it gave
};

// What a callable reads outside of its arguments. Asked about entries that fit these.
struct ReadsOutside {
  FunctionRef<bool(const TraceEntry&)> is_as_it_was = {};
  FunctionRef<std::string(const TraceEntry&)> what_changed = {};
};

// What only the language knows of a call; asked when no trace serves it at once.
struct CallWords {
  // Of the tensors among the arguments, for messages and for the parameters of the graph.
  FunctionRef<std::vector<std::string>()> names = {};
  // "`rate` was 0.1 and is 0.2": what is no tensor, against the call that made the entry.
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
                                     Shared<void>* beside = nullptr, const CallWords& words = {});
  // The same for sizes that the trace which seemed to fit them does not run for, made with these
  // sizes in place of symbols: a handler of the user's may take what an op says of them. What the
  // callable raises goes on. Null if this one does not run either, or a signature says what sizes
  // there are.
  Shared<const TraceEntry> exact_entry_for(FlatFunction f, TensorSpan in,
                                           const std::string& statics, Where where,
                                           Shared<void>* beside = nullptr,
                                           const CallWords& words = {});
  // The trace that served a call like this one not long ago, if there was one.
  Shared<const TraceEntry> recent_for(TensorSpan in, const std::string& statics,
                                      const ReadsOutside& outside) const;
  // Raises if the entry does not fit such arguments, and says why.
  void check_fits(const TraceEntry& entry, TensorSpan in, const std::string& statics, Where where,
                  const CallWords& words = {}) const;
  // Runs an entry on arguments that it fits.
  static Tensors call(const TraceEntry& entry, TensorSpan in, Where where);

  // Both. What ops say of sizes when it runs is told of those of the call.
  struct Served {
    Shared<const TraceEntry> entry;
    Tensors results;
  };
  Served served(FlatFunction f, TensorSpan in, const std::string& statics, Where where,
                Shared<void>* beside = nullptr, const CallWords& words = {});
  Tensors operator()(FlatFunction f, TensorSpan in, const std::string& statics, Where where) {
    return served(f, in, statics, where).results;
  }

  std::vector<std::string> log() const;  // one entry a trace
  size_t trace_count() const;
  // The trace that was made last; null: none was.
  Shared<const TraceEntry> newest() const;
  const TracedOptions& options() const { return options_; }

 private:
  using Names = std::vector<std::string>;

  Shared<TraceEntry> traced(FlatFunction f, TensorSpan in, const std::string& statics,
                            std::string reason, Where where, Shared<void>* beside,
                            const Names& names, bool is_exact = false);
  void check_count(const std::string& reason, Where where) const;
  void keep(const Shared<TraceEntry>& entry);
  void check_signature(TensorSpan in, Where where, const Names& names) const;
  std::string why_not(const TraceEntry& entry, TensorSpan in, const std::string& statics,
                      const ReadsOutside& outside, const CallWords& words,
                      const Names& names) const;
  const TraceEntry& closest(std::span<const Shared<const TraceEntry>> entries, TensorSpan in,
                            const std::string& statics) const;
  Names names_of(const CallWords& words) const {
    return words.names ? words.names() : options_.arguments;
  }
  void remember(const Shared<const TraceEntry>& entry, TensorSpan in);

  // A call that was served. Another with such sizes and dtypes needs no look at assumptions.
  struct Recent {
    std::vector<Dim> sizes;
    Shared<const TraceEntry> entry;
    uint64_t used = 0;
  };
  static constexpr size_t kRecents = 8;

  TracedOptions options_;
  mutable Mutex mutex_;
  std::vector<Shared<const TraceEntry>> entries_;  // the one found last comes first
  mutable std::vector<Recent> recents_;            // the least recently used makes room
  mutable uint64_t calls_ = 0;                     // that these served
  std::vector<std::string> log_;
  std::vector<std::thread::id> tracing_;  // who is tracing it now
};

}  // namespace weft
