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

}  // namespace

std::string Iterator::explain() const {
  std::string out;
  Slowest slowest;
  append_stages(out, *context_.run, *node_, 0, slowest);
  if (given_ == 0) return out + "nothing was taken yet";
  const int64_t whole = left_ - began_, waited = whole - outside_;
  out += text("buffers hold ", context_.run->held(), " bytes of ", context_.run->budget(), "\n");
  constexpr int64_t kLittle = 20;  // a twentieth of the time
  if (waited * kLittle < whole) {
    return out + text("the consumer is slow: it waited for data for ", percent(waited, whole),
                      " of the time, and worked ",
                      duration(static_cast<double>(outside_) / static_cast<double>(given_)),
                      " on each element");
  }
  return out + text("the producer is slow: the consumer waited for data for ",
                    percent(waited, whole), " of the time; the slowest stage is ", slowest.name,
                    " with ", duration(static_cast<double>(slowest.each)), " an element");
}

}  // namespace weft::data
