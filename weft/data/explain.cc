// explain: how long each stage of a pass took, and who waits for whom.
#include <cstdio>

#include "weft/data/dataset.h"

namespace weft::data {
namespace {

std::string duration(double nanoseconds) {
  char out[32];
  if (nanoseconds < 1e3) {
    std::snprintf(out, sizeof out, "%.0f ns", nanoseconds);
  } else if (nanoseconds < 1e6) {
    std::snprintf(out, sizeof out, "%.1f us", nanoseconds / 1e3);
  } else if (nanoseconds < 1e9) {
    std::snprintf(out, sizeof out, "%.1f ms", nanoseconds / 1e6);
  } else {
    std::snprintf(out, sizeof out, "%.2f s", nanoseconds / 1e9);
  }
  return out;
}

std::string percent(int64_t part, int64_t whole) {
  char out[32];
  std::snprintf(
      out, sizeof out, "%.0f %%",
      100.0 * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(1, whole)));
  return out;
}

struct Slowest {
  std::string name;
  int64_t share = 0;  // nanoseconds of work, divided by its threads
  int64_t each = 0;   // for one element
};

// The stage with threads that is nearest to who takes elements; null if there is none.
const StageTimes* last_buffer(Run& run, const Node& node) {
  const StageTimes& times = run.times_of(node);
  if (times.workers.load() > 0) return &times;
  for (const Node::Ptr& input : node.inputs()) {
    if (const StageTimes* const found = last_buffer(run, *input)) return found;
  }
  return nullptr;
}

// How long threads of all stages waited for the budget, each stage's by their number.
int64_t waited_for_budget(Run& run, const Node& node) {
  const StageTimes& times = run.times_of(node);
  int64_t out = times.budget.load() / std::max<int64_t>(1, times.workers.load());
  for (const Node::Ptr& input : node.inputs()) out += waited_for_budget(run, *input);
  return out;
}

void append_times(std::string& out, const std::string& name, const StageTimes& times,
                  Slowest& slowest) {
  const int64_t own = times.own.load(), count = times.elements.load();
  const int64_t workers = times.workers.load();
  out += text(name, ": ", count, " elements, ", duration(static_cast<double>(own)), " of work");
  const int64_t each = count == 0 ? own : own / count;
  if (count > 0) out += text(", ", duration(static_cast<double>(each)), " each");
  if (workers > 0) {
    out += text(", ", workers, workers == 1 ? " thread" : " threads", ", empty for ",
                duration(static_cast<double>(times.starved.load())), ", full for ",
                duration(static_cast<double>(times.full.load())));
    if (times.budget.load() > 0) {
      out += text(" (", duration(static_cast<double>(times.budget.load())), " by buffer_bytes)");
    }
    if (times.here.load() > 0) {
      out += text(", ", times.here.load(), " too short for them and done by who asked");
    }
  }
  if (times.skipped.load() > 0) out += text(", ", times.skipped.load(), " skipped");
  out += '\n';
  const int64_t share = own / std::max<int64_t>(1, workers);
  if (share > slowest.share) slowest = {name, share, each};
}

void append_stages(std::string& out, Run& run, const Node& node, int depth, Slowest& slowest) {
  const std::string indent(static_cast<size_t>(2 * depth), ' ');
  out += indent;
  append_times(out, node.text(), run.times_of(node), slowest);
  const StageTimes& inner = run.times_of(node, true);
  if (inner.elements.load() > 0) {
    out += indent + "  ";
    append_times(out, text("datasets of ", node.name()), inner, slowest);
  }
  for (const Node::Ptr& input : node.inputs()) {
    append_stages(out, run, *input, depth + 1, slowest);
  }
}

std::string explained(Run& run, const Node& node) {
  std::string out;
  Slowest slowest;
  append_stages(out, run, node, 0, slowest);
  const int64_t given = run.given.load(), outside = run.outside.load();
  if (given == 0) return out + "nothing was taken yet";
  const int64_t whole = run.left.load() - run.began.load(), waited = whole - outside;
  out += text("buffers hold ", run.held(), " bytes of ", run.budget(), "\n");
  constexpr int64_t kLittle = 20;  // a twentieth of the time
  if (waited * kLittle < whole) {
    return out + text("the consumer is slow: it waited for data for ", percent(waited, whole),
                      " of the time, and worked ",
                      duration(static_cast<double>(outside) / static_cast<double>(given)),
                      " on each element");
  }
  // Of few elements most of the time is that of the first, which nothing was ahead of.
  const StageTimes* const buffer = last_buffer(run, node);
  if (buffer != nullptr && buffer->full.load() / buffer->workers.load() > waited) {
    return out + text("the consumer is slow: the last buffer was full for ",
                      duration(static_cast<double>(buffer->full.load())), ", and empty for ",
                      duration(static_cast<double>(buffer->starved.load())));
  }
  const int64_t for_budget = waited_for_budget(run, node);
  if (for_budget > waited) {
    return out + text("the buffers are small: the consumer waited for data for ",
                      percent(waited, whole), " of the time, and threads waited for ",
                      duration(static_cast<double>(for_budget)),
                      " for room; raise with_options(buffer_bytes=)");
  }
  return out + text("the producer is slow: the consumer waited for data for ",
                    percent(waited, whole), " of the time; the slowest stage is ", slowest.name,
                    " with ", duration(static_cast<double>(slowest.each)), " an element");
}

}  // namespace

std::string Iterator::explain() const { return explained(*context_.run, *node_); }

std::string Dataset::explain() const {
  const std::shared_ptr<Run> run = node_->latest();
  return run == nullptr ? "there was no pass yet" : explained(*run, *node_);
}

}  // namespace weft::data
