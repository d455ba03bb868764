// Assigns tracks greedily. Of nets that run in the same direction, the one that starts further
// along it gets the higher track. A net that ends below the start of another net gets a lower
// track.
#include "weft/base/line_tracks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "weft/base/thread_pool.h"

namespace weft {
namespace {

constexpr double kNear = 4;  // lines closer than this look like one

struct Span {
  double left, right;
  bool goes_right;
  bool is_straight() const { return right - left < 0.5; }
};

Span span_of(const TrackNet& net) {
  Span out{net.upper, net.upper, false};
  double sum = 0;
  for (const double x : net.lower) {
    out.left = std::min(out.left, x);
    out.right = std::max(out.right, x);
    sum += x - net.upper;
  }
  out.goes_right = sum > 0;
  return out;
}

bool overlap(const Span& a, const Span& b) {
  return std::min(a.right, b.right) - std::max(a.left, b.left) > -kNear;
}

// Does `net` leave its track downwards at the x where `other` comes from above?
bool ends_under(const TrackNet& net, const TrackNet& other) {
  return std::ranges::any_of(net.lower,
                             [&](double x) { return std::abs(x - other.upper) < kNear; });
}

}  // namespace

std::vector<size_t> find_line_tracks(const std::vector<TrackNet>& nets, size_t& count) {
  constexpr size_t kUnset = SIZE_MAX;
  std::vector<Span> spans;
  std::vector<size_t> waiting;
  for (size_t k = 0; k < nets.size(); ++k) {
    spans.push_back(span_of(nets[k]));
    if (!spans[k].is_straight()) waiting.push_back(k);
  }
  std::ranges::sort(waiting, {}, [&](size_t k) {
    const bool goes_right = spans[k].goes_right;
    return std::tuple(goes_right, goes_right ? -nets[k].upper : nets[k].upper, k);
  });
  std::vector<size_t> out(nets.size(), kUnset);
  count = 0;
  while (!waiting.empty()) {
    poll_interrupt();
    const auto is_free = [&](size_t k) {
      return std::ranges::none_of(
          waiting, [&](size_t other) { return other != k && ends_under(nets[k], nets[other]); });
    };
    auto next = std::ranges::find_if(waiting, is_free);
    if (next == waiting.end()) next = waiting.begin();
    const size_t k = *next;
    waiting.erase(next);
    size_t track = 0;
    for (size_t other = 0; other < nets.size(); ++other) {
      if (out[other] == kUnset || !overlap(spans[k], spans[other])) continue;
      const bool is_below =
          spans[other].goes_right == spans[k].goes_right || ends_under(nets[k], nets[other]);
      if (is_below) track = std::max(track, out[other] + 1);
    }
    const auto is_taken = [&](size_t t) {
      for (size_t other = 0; other < nets.size(); ++other) {
        if (out[other] == t && overlap(spans[k], spans[other])) return true;
      }
      return false;
    };
    while (is_taken(track)) ++track;
    out[k] = track;
    count = std::max(count, track + 1);
  }
  for (size_t k = 0; k < nets.size(); ++k) {
    if (out[k] == kUnset) out[k] = count / 2;
  }
  return out;
}

}  // namespace weft
