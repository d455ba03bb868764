// A layered layout: layers by longest path, order in a layer by the mean position of neighbours,
// x coordinates by least squares, and tracks between the layers for the lines.
#include "weft/base/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

#include "weft/base/line_tracks.h"
#include "weft/base/spread.h"
#include "weft/base/thread_pool.h"

namespace weft {
namespace {

constexpr double kColumnGap = 18, kBendWidth = 4, kBendGap = 9, kGap = 26, kTrack = 7;
constexpr double kPortGap = 12, kPortMargin = 9;
constexpr int kOrderRounds = 12, kPlaceRounds = 24;

// A box, or a bend: the point where a net passes through a layer.
struct Spot {
  size_t layer;
  double width;
  bool is_bend;
  double x = 0;  // of its middle
};

// All lines that leave a box by one port.
struct Net {
  size_t from, port;
  std::vector<size_t> edges;
  std::vector<size_t> bends;  // spots in the layers below that of `from`
};

// A line from a spot to another one in the next layer.
struct Link {
  size_t net, upper, lower, edge;  // edge: SIZE_MAX if the lower spot is a bend
  double upper_x = 0, lower_x = 0;
};

class Layered {
 public:
  Layered(std::span<const LayoutBox> boxes, std::span<const LayoutEdge> edges, double widest)
      : boxes_(boxes), edges_(edges) {
    find_layers(widest);
    for (size_t i = 0; i < boxes.size(); ++i)
      add_spot(layer_of_[i], boxes[i].width, boxes[i].role != LayoutBox::Role::kBox);
    make_nets();
    find_order();
    place();
    find_ports();
  }

  LayeredLayout finish() {
    LayeredLayout out;
    if (spots_.empty()) return out;
    double left = spots_[0].x - spots_[0].width / 2, right = left;
    for (const Spot& spot : spots_) {
      left = std::min(left, spot.x - spot.width / 2);
      right = std::max(right, spot.x + spot.width / 2);
    }
    out.width = right - left;
    find_tracks(out);
    out.rows = layer_of_;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const LayeredLayout::Row& row = out.layers[layer_of_[i]];
      double y = (row.top + row.bottom - boxes_[i].height) / 2;
      if (boxes_[i].role == LayoutBox::Role::kWayIn) y = row.top;
      out.corners.push_back({spots_[i].x - boxes_[i].width / 2 - left, y});
    }
    out.routes.resize(edges_.size());
    for (size_t e = 0; e < edges_.size(); ++e) out.routes[e] = route(e, left, out);
    return out;
  }

 private:
  // Puts a box below all boxes with an edge to it, and a box without incoming edges right above the
  // first box that it leads to.
  void find_layers(double widest) {
    const size_t count = boxes_.size();
    std::vector<std::vector<size_t>> before(count), behind(count);
    for (const LayoutEdge& edge : edges_) {
      before[edge.to].push_back(edge.from);
      behind[edge.from].push_back(edge.to);
    }
    layer_of_.assign(count, 0);
    bool has_way_in = false;
    for (const LayoutBox& box : boxes_) has_way_in |= box.role == LayoutBox::Role::kWayIn;
    std::vector<double> used;
    const auto put = [&](size_t i, size_t layer) {
      const double need = boxes_[i].width + kColumnGap;
      while (layer < used.size() && used[layer] > 0 && used[layer] + need > widest) ++layer;
      if (used.size() <= layer) used.resize(layer + 1);
      used[layer] += need;
      layer_of_[i] = layer;
    };
    for (size_t i = 0; i < count; ++i) {
      if (boxes_[i].role != LayoutBox::Role::kBox || before[i].empty()) continue;
      size_t layer = has_way_in ? 1 : 0;
      for (const size_t from : before[i]) layer = std::max(layer, layer_of_[from] + 1);
      put(i, layer);
    }
    for (size_t i = count; i-- > 0;) {
      if (boxes_[i].role != LayoutBox::Role::kBox || !before[i].empty()) continue;
      size_t layer = SIZE_MAX;
      for (const size_t to : behind[i]) {
        if (boxes_[to].role == LayoutBox::Role::kBox) layer = std::min(layer, layer_of_[to]);
      }
      sources_.push_back(i);
      layer_of_[i] = layer == SIZE_MAX || layer == 0 ? 0 : layer - 1;
      if (has_way_in) layer_of_[i] = std::max<size_t>(layer_of_[i], 1);
    }
    make_room_for_sources(behind);
    size_t last = 0;
    for (size_t i = 0; i < count; ++i) last = std::max(last, layer_of_[i]);
    for (size_t i = 0; i < count; ++i) {
      if (boxes_[i].role == LayoutBox::Role::kWayOut) layer_of_[i] = last + 1;
    }
    layers_.resize(count == 0 ? 0 : 1 + *std::ranges::max_element(layer_of_));
  }

  // Adds a layer at the top if a source is in the same layer as a box that reads it.
  void make_room_for_sources(const std::vector<std::vector<size_t>>& behind) {
    const bool is_tight = std::ranges::any_of(sources_, [&](size_t i) {
      return std::ranges::any_of(behind[i], [&](size_t to) {
        return boxes_[to].role == LayoutBox::Role::kBox && layer_of_[to] <= layer_of_[i];
      });
    });
    if (!is_tight) return;
    std::vector<bool> is_source(boxes_.size(), false);
    for (const size_t i : sources_) is_source[i] = true;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      if (boxes_[i].role == LayoutBox::Role::kBox && !is_source[i]) ++layer_of_[i];
    }
    for (const size_t i : sources_) {
      size_t layer = SIZE_MAX;
      for (const size_t to : behind[i]) layer = std::min(layer, layer_of_[to]);
      if (layer != SIZE_MAX && layer > 0) layer_of_[i] = layer - 1;
    }
  }

  size_t add_spot(size_t layer, double width, bool is_bend) {
    layers_[layer].push_back(spots_.size());
    spots_.push_back({layer, width, is_bend});
    return spots_.size() - 1;
  }

  void make_nets() {
    std::map<std::pair<size_t, size_t>, size_t> found;
    net_of_.resize(edges_.size());
    for (size_t e = 0; e < edges_.size(); ++e) {
      const LayoutEdge& edge = edges_[e];
      const auto [it, is_new] = found.try_emplace({edge.from, edge.out_port}, nets_.size());
      if (is_new) nets_.push_back({edge.from, edge.out_port, {}, {}});
      nets_[it->second].edges.push_back(e);
      net_of_[e] = it->second;
    }
    for (size_t n = 0; n < nets_.size(); ++n) {
      Net& net = nets_[n];
      size_t lowest = 0;
      for (const size_t e : net.edges) lowest = std::max(lowest, layer_of_[edges_[e].to]);
      size_t upper = net.from;
      for (size_t layer = layer_of_[net.from] + 1; layer <= lowest; ++layer) {
        for (const size_t e : net.edges) {
          if (layer_of_[edges_[e].to] == layer) links_.push_back({n, upper, edges_[e].to, e});
        }
        if (layer == lowest) break;
        const size_t bend = add_spot(layer, kBendWidth, true);
        links_.push_back({n, upper, bend, SIZE_MAX});
        net.bends.push_back(bend);
        upper = bend;
      }
    }
    above_.resize(spots_.size());
    below_.resize(spots_.size());
    for (size_t k = 0; k < links_.size(); ++k) {
      above_[links_[k].lower].push_back(k);
      below_[links_[k].upper].push_back(k);
    }
  }

  // Where a link leaves its upper spot, relative to the middle of the spot.
  double out_offset(const Link& link) const {
    if (link.upper >= boxes_.size()) return 0;
    const LayoutBox& box = boxes_[link.upper];
    const size_t port = nets_[link.net].port;
    return port < box.out_ports.size() ? box.out_ports[port] - box.width / 2 : 0;
  }
  double in_offset(const Link& link) const {
    if (link.edge == SIZE_MAX) return 0;
    const LayoutBox& box = boxes_[link.lower];
    const size_t port = edges_[link.edge].in_port;
    return port < box.in_ports.size() ? box.in_ports[port] - box.width / 2 : 0;
  }

  // The weighted mean x of a spot's neighbours on one side. `is_counted`: x are positions in the
  // order of a layer, so ports do not count.
  double wish(size_t spot, bool of_above, bool is_counted, double& weight) const {
    double sum = 0;
    weight = 0;
    for (const size_t k : of_above ? above_[spot] : below_[spot]) {
      const Link& link = links_[k];
      const size_t other = of_above ? link.upper : link.lower;
      const bool are_bends = spots_[spot].is_bend && spots_[other].is_bend;
      const double each = are_bends ? 8 : spots_[spot].is_bend || spots_[other].is_bend ? 2 : 1;
      double x = spots_[other].x;
      if (!is_counted) {
        const double shift = out_offset(link) - in_offset(link);
        x += of_above ? shift : -shift;
      }
      sum += each * x;
      weight += each;
    }
    return weight == 0 ? spots_[spot].x : sum / weight;
  }

  void count_places() {
    for (const std::vector<size_t>& layer : layers_) {
      for (size_t k = 0; k < layer.size(); ++k) spots_[layer[k]].x = static_cast<double>(k);
    }
  }

  // Reduces crossings: sorts each layer by the mean position of the neighbours in the layer before.
  void find_order() {
    count_places();
    std::vector<std::vector<size_t>> best = layers_;
    int64_t fewest = INT64_MAX;
    for (int round = 0; round < kOrderRounds && fewest > 0; ++round) {
      const bool downwards = round % 2 == 0;
      for (size_t k = 0; k < layers_.size(); ++k) {
        poll_interrupt();
        std::vector<size_t>& layer = layers_[downwards ? k : layers_.size() - 1 - k];
        std::vector<std::tuple<double, size_t, size_t>> keyed;  // ties stay as they are
        double weight = 0;
        for (size_t i = 0; i < layer.size(); ++i) {
          keyed.emplace_back(wish(layer[i], downwards, true, weight), i, layer[i]);
        }
        std::sort(keyed.begin(), keyed.end());
        for (size_t i = 0; i < layer.size(); ++i) {
          layer[i] = std::get<2>(keyed[i]);
          spots_[layer[i]].x = static_cast<double>(i);
        }
      }
      const int64_t crossings = count_crossings();
      if (crossings < fewest) {
        fewest = crossings;
        best = layers_;
      }
    }
    layers_ = best;
    count_places();
  }

  int64_t count_crossings() const {
    std::vector<std::vector<std::pair<double, double>>> gaps(layers_.size());
    for (const Link& link : links_) {
      gaps[spots_[link.upper].layer].emplace_back(spots_[link.upper].x, spots_[link.lower].x);
    }
    int64_t out = 0;
    for (auto& gap : gaps) {
      poll_interrupt();
      std::sort(gap.begin(), gap.end());
      std::vector<double> lower;  // sorted
      for (const auto& [upper_x, lower_x] : gap) {
        const auto at = std::upper_bound(lower.begin(), lower.end(), lower_x);
        out += lower.end() - at;
        lower.insert(at, lower_x);
      }
    }
    return out;
  }

  double distance(const Spot& a, const Spot& b) const {
    const double gap = a.is_bend && b.is_bend   ? kBendGap
                       : a.is_bend || b.is_bend ? kBendGap + 3
                                                : kColumnGap;
    return (a.width + b.width) / 2 + gap;
  }

  void place() {
    for (const std::vector<size_t>& layer : layers_) {
      double x = 0;
      for (size_t k = 0; k < layer.size(); ++k) {
        if (k > 0) x += distance(spots_[layer[k - 1]], spots_[layer[k]]);
        spots_[layer[k]].x = x;
      }
      for (const size_t spot : layer) spots_[spot].x -= x / 2;
    }
    for (int round = 0; round < kPlaceRounds; ++round) {
      const bool downwards = round % 2 == 0;
      for (size_t k = 0; k < layers_.size(); ++k) {
        place_layer(layers_[downwards ? k : layers_.size() - 1 - k], downwards,
                    round + 6 >= kPlaceRounds);
      }
    }
    straighten();
  }
  // Straightens lines that pass several layers, where neighbouring spots leave room.
  void straighten() {
    std::vector<size_t> place(spots_.size());
    for (const std::vector<size_t>& layer : layers_) {
      for (size_t k = 0; k < layer.size(); ++k) place[layer[k]] = k;
    }
    const auto room = [&](size_t spot) {
      const std::vector<size_t>& layer = layers_[spots_[spot].layer];
      const size_t k = place[spot];
      double low = -1e9, high = 1e9;
      if (k > 0) low = spots_[layer[k - 1]].x + distance(spots_[layer[k - 1]], spots_[spot]);
      if (k + 1 < layer.size()) {
        high = spots_[layer[k + 1]].x - distance(spots_[spot], spots_[layer[k + 1]]);
      }
      return std::pair{low, high};
    };
    for (const Net& net : nets_) {
      for (size_t first = 0; first < net.bends.size();) {
        double low = -1e9, high = 1e9, sum = 0;
        size_t end = first;
        for (; end < net.bends.size(); ++end) {
          const auto [least, most] = room(net.bends[end]);
          if (std::max(low, least) > std::min(high, most)) break;
          low = std::max(low, least);
          high = std::min(high, most);
          sum += spots_[net.bends[end]].x;
        }
        if (end == first) ++end;
        const double x = std::clamp(sum / double(end - first), low, std::max(low, high));
        for (size_t k = first; end > first + 1 && k < end; ++k) spots_[net.bends[k]].x = x;
        first = end;
      }
    }
  }
  void place_layer(const std::vector<size_t>& layer, bool downwards, bool by_both) {
    poll_interrupt();
    std::vector<double> wishes, weights, distances;
    for (size_t k = 0; k < layer.size(); ++k) {
      double weight = 0, other = 0;
      double x = wish(layer[k], downwards, false, weight);
      if (by_both) {
        const double back = wish(layer[k], !downwards, false, other);
        if (weight + other > 0) x = (x * weight + back * other) / (weight + other);
      }
      wishes.push_back(x);
      weights.push_back(std::max(weight + other, 0.1));
      if (k > 0) distances.push_back(distance(spots_[layer[k - 1]], spots_[layer[k]]));
    }
    const std::vector<double> placed = spread(wishes, weights, distances);
    for (size_t k = 0; k < layer.size(); ++k) spots_[layer[k]].x = placed[k];
  }

  // Lets lines enter a box as straight as its width and the distance between ports allow.
  void find_ports() {
    for (Link& link : links_) link.upper_x = spots_[link.upper].x + out_offset(link);
    for (Link& link : links_) link.lower_x = spots_[link.lower].x + in_offset(link);
    for (size_t i = 0; i < boxes_.size(); ++i) {
      if (!boxes_[i].in_ports.empty() || above_[i].empty()) continue;
      std::vector<size_t> entering = above_[i];
      std::ranges::sort(entering, {}, [&](size_t k) { return std::pair(links_[k].upper_x, k); });
      const double half = std::max(0.0, boxes_[i].width / 2 - kPortMargin);
      const auto count = static_cast<double>(entering.size());
      const double apart = count > 1 ? std::min(kPortGap, 2 * half / (count - 1)) : 0;
      std::vector<double> wishes;
      for (size_t k = 0; k < entering.size(); ++k) {
        const double low = -half + apart * static_cast<double>(k);
        const double high = half - apart * (count - 1 - static_cast<double>(k));
        wishes.push_back(
            std::clamp(links_[entering[k]].upper_x - spots_[i].x, low, std::max(low, high)));
      }
      const std::vector<double> ports = spread(wishes, std::vector<double>(entering.size(), 1.0),
                                               std::vector<double>(entering.size() - 1, apart));
      for (size_t k = 0; k < entering.size(); ++k) {
        links_[entering[k]].lower_x = spots_[i].x + ports[k];
      }
    }
  }

  void find_tracks(LayeredLayout& out) {
    std::vector<std::map<size_t, TrackNet>> gaps(layers_.size());
    for (const Link& link : links_) {
      TrackNet& net = gaps[spots_[link.upper].layer][link.net];
      net.upper = link.upper_x;
      net.lower.push_back(link.lower_x);
    }
    double y = 0;
    track_of_.resize(layers_.size());
    for (size_t layer = 0; layer < layers_.size(); ++layer) {
      poll_interrupt();
      double height = 0;
      for (const size_t spot : layers_[layer]) {
        if (spot < boxes_.size()) height = std::max(height, boxes_[spot].height);
      }
      out.layers.push_back({y, y + height});
      y += height;
      out.height = y;
      std::vector<TrackNet> nets;
      for (const auto& [id, net] : gaps[layer]) nets.push_back(net);
      size_t count = 0;
      const std::vector<size_t> tracks = find_line_tracks(nets, count);
      const double gap = kGap + kTrack * (count > 1 ? static_cast<double>(count - 1) : 0.0);
      size_t k = 0;
      for (const auto& [id, net] : gaps[layer]) {
        const double at = count == 0 ? gap / 2 : kGap / 2 - 3 + kTrack * double(tracks[k]);
        track_of_[layer][id] = y + at;
        ++k;
      }
      y += gap;
    }
  }

  std::vector<DrawPoint> route(size_t edge, double left, const LayeredLayout& out) const {
    const size_t n = net_of_[edge];
    const Net& net = nets_[n];
    const size_t from = net.from, to = edges_[edge].to;
    std::vector<DrawPoint> points;
    const auto link_to = [&](size_t upper, size_t lower, size_t e) -> const Link& {
      for (const size_t k : below_[upper]) {
        if (links_[k].net == n && links_[k].lower == lower && links_[k].edge == e) return links_[k];
      }
      return links_[0];
    };
    points.push_back({0, out.corners[from].y + boxes_[from].height});
    size_t upper = from;
    for (size_t layer = layer_of_[from]; layer < layer_of_[to]; ++layer) {
      const bool is_last = layer + 1 == layer_of_[to];
      const size_t lower = is_last ? to : net.bends[layer - layer_of_[from]];
      const Link& link = link_to(upper, lower, is_last ? edge : SIZE_MAX);
      const double track = track_of_[layer].at(n);
      points.push_back({link.upper_x - left, track});
      points.push_back({link.lower_x - left, track});
      upper = lower;
    }
    points.push_back({points.back().x, out.corners[to].y});
    points[0].x = points[1].x;
    return points;
  }

  const std::span<const LayoutBox> boxes_;
  const std::span<const LayoutEdge> edges_;
  std::vector<size_t> layer_of_;
  std::vector<size_t> sources_;
  std::vector<std::vector<size_t>> layers_;
  std::vector<Spot> spots_;  // those of the boxes first
  std::vector<Net> nets_;
  std::vector<size_t> net_of_;  // by edge
  std::vector<Link> links_;
  std::vector<std::vector<size_t>> above_, below_;  // links, by spot
  std::vector<std::map<size_t, double>> track_of_;  // by layer and net
};

}  // namespace

LayeredLayout lay_out(std::span<const LayoutBox> boxes, std::span<const LayoutEdge> edges,
                      double widest) {
  return Layered(boxes, edges, widest).finish();
}

}  // namespace weft
