// A layered layout: layers by longest path, bends in the layers that an edge passes, order by the
// mean place of neighbours, then places by the same means without overlap.
#include "weft/base/layered_layout.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace weft {
namespace {

constexpr double kColumnGap = 18, kLayerGap = 34, kBendWidth = 8;
constexpr int kRounds = 8;

// A box, or the bend of an edge that passes a layer.
struct Spot {
  size_t layer;
  double width;
  double x = 0;
  std::vector<size_t> above, below;  // neighbours in the next layers
};

class Layered {
 public:
  Layered(std::span<const DrawPoint> sizes, std::span<const LayeredLayout::Edge> edges)
      : sizes_(sizes), edges_(edges) {
    find_layers();
    for (size_t i = 0; i < sizes.size(); ++i) add_spot(layer_of_[i], sizes[i].x);
    for (const LayeredLayout::Edge& edge : edges) add_edge(edge.from, edge.to);
    for (int round = 0; round < kRounds; ++round) order(round % 2 == 0);
    place_in_rows();
    for (int round = 0; round < kRounds; ++round) straighten(round % 2 == 0);
  }

  LayeredLayout finish() {
    LayeredLayout out;
    if (spots_.empty()) return out;
    const std::vector<double> tops = layer_tops(out.height);
    double left = spots_[0].x;
    for (const Spot& spot : spots_) left = std::min(left, spot.x - spot.width / 2);
    for (Spot& spot : spots_) {
      spot.x -= left;
      out.width = std::max(out.width, spot.x + spot.width / 2);
    }
    const auto middle = [&](size_t layer) { return tops[layer] + heights_[layer] / 2; };
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const size_t layer = layer_of_[i];
      out.centres.push_back({spots_[i].x, middle(layer)});
      out.rows.push_back({tops[layer], tops[layer] + heights_[layer]});
    }
    for (const Path& path : paths_) {
      const size_t from = path.spots.front(), to = path.spots.back();
      LayeredLayout::Route route{from, to, {}};
      const auto add = [&](size_t spot, double y) {
        const bool is_there = !route.points.empty() && route.points.back().y >= y;
        if (!is_there) route.points.push_back({spots_[spot].x, y});
      };
      // Straight down beside what is in a layer, and to the side between layers only: there is
      // nothing to run through.
      add(from, out.centres[from].y + sizes_[from].y / 2);
      for (size_t k = 0; k < path.spots.size(); ++k) {
        const size_t layer = spots_[path.spots[k]].layer;
        if (k > 0) add(path.spots[k], tops[layer]);
        if (k + 1 < path.spots.size()) add(path.spots[k], tops[layer] + heights_[layer]);
      }
      const double end = out.centres[to].y - sizes_[to].y / 2;
      if (route.points.back().y < end || route.points.size() == 1) {
        route.points.push_back({spots_[to].x, end});
      }
      out.routes.push_back(std::move(route));
    }
    return out;
  }

 private:
  struct Path {
    std::vector<size_t> spots;
  };

  // Boxes below all that lead to them; those to which nothing leads right above who comes first.
  // Boxes without size are ways in and out: they stand in the first layer and in the last.
  void find_layers() {
    const size_t count = sizes_.size();
    layer_of_.assign(count, 0);
    std::vector<bool> has_input(count, false);
    std::vector<size_t> earliest(count, SIZE_MAX);
    std::vector<LayeredLayout::Edge> sorted(edges_.begin(), edges_.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.to < b.to; });
    for (const LayeredLayout::Edge& edge : sorted) {
      has_input[edge.to] = true;
      layer_of_[edge.to] = std::max(layer_of_[edge.to], layer_of_[edge.from] + 1);
    }
    for (const LayeredLayout::Edge& edge : sorted) {
      earliest[edge.from] = std::min(earliest[edge.from], layer_of_[edge.to]);
    }
    for (size_t i = 0; i < count; ++i) {
      const bool has_output = earliest[i] != SIZE_MAX;
      if (!has_input[i] && has_output && !is_way(i)) layer_of_[i] = earliest[i] - 1;
    }
    const size_t layers =
        count == 0 ? 0 : *std::max_element(layer_of_.begin(), layer_of_.end()) + 1;
    for (size_t i = 0; i < count; ++i) {
      if (is_way(i) && has_input[i]) layer_of_[i] = layers - 1;
    }
    layers_.resize(layers);
    heights_.assign(layers, 0);
    for (size_t i = 0; i < count; ++i) {
      heights_[layer_of_[i]] = std::max(heights_[layer_of_[i]], sizes_[i].y);
    }
  }

  bool is_way(size_t i) const { return sizes_[i].x == 0 && sizes_[i].y == 0; }

  size_t add_spot(size_t layer, double width) {
    layers_[layer].push_back(spots_.size());
    spots_.push_back({layer, width, 0, {}, {}});
    return spots_.size() - 1;
  }

  void add_edge(size_t from, size_t to) {
    Path path{{from}};
    for (size_t layer = layer_of_[from] + 1; layer < layer_of_[to]; ++layer) {
      path.spots.push_back(add_spot(layer, kBendWidth));
    }
    path.spots.push_back(to);
    for (size_t k = 0; k + 1 < path.spots.size(); ++k) {
      spots_[path.spots[k]].below.push_back(path.spots[k + 1]);
      spots_[path.spots[k + 1]].above.push_back(path.spots[k]);
    }
    paths_.push_back(std::move(path));
  }

  // The mean of x over the neighbours on one side; its own x if there are none.
  double mean(const Spot& spot, bool of_above) const {
    const std::vector<size_t>& others = of_above ? spot.above : spot.below;
    if (others.empty()) return spot.x;
    double sum = 0;
    for (const size_t other : others) sum += spots_[other].x;
    return sum / static_cast<double>(others.size());
  }

  template <class F>
  void for_each_layer(bool downwards, F f) {
    for (size_t k = 0; k < layers_.size(); ++k) {
      f(layers_[downwards ? k : layers_.size() - 1 - k]);
    }
  }

  // Fewer crossings: each layer is sorted by the mean place of its neighbours before it.
  void order(bool downwards) {
    for_each_layer(downwards, [&](std::vector<size_t>& layer) {
      std::vector<std::tuple<double, size_t, size_t>> keyed;  // ties stay as they are
      for (size_t k = 0; k < layer.size(); ++k) {
        keyed.emplace_back(mean(spots_[layer[k]], downwards), k, layer[k]);
      }
      std::sort(keyed.begin(), keyed.end());
      for (size_t k = 0; k < layer.size(); ++k) {
        layer[k] = std::get<2>(keyed[k]);
        spots_[layer[k]].x = static_cast<double>(k);
      }
    });
  }

  double distance(const Spot& a, const Spot& b) const {
    return (a.width + b.width) / 2 + kColumnGap;
  }

  void place_in_rows() {
    for (const std::vector<size_t>& layer : layers_) {
      double x = 0;
      for (size_t k = 0; k < layer.size(); ++k) {
        if (k > 0) x += distance(spots_[layer[k - 1]], spots_[layer[k]]);
        spots_[layer[k]].x = x;
      }
      for (const size_t spot : layer) spots_[spot].x -= x / 2;
    }
  }

  // Moves every spot towards its neighbours, as far as those beside it let it.
  void straighten(bool downwards) {
    for_each_layer(downwards, [&](const std::vector<size_t>& layer) {
      std::vector<double> wanted, placed;
      for (const size_t spot : layer) wanted.push_back(mean(spots_[spot], downwards));
      for (size_t k = 0; k < layer.size(); ++k) {
        const double least =
            k == 0 ? wanted[0] : placed[k - 1] + distance(spots_[layer[k - 1]], spots_[layer[k]]);
        placed.push_back(std::max(wanted[k], least));
      }
      const double shift = (std::accumulate(wanted.begin(), wanted.end(), 0.0) -
                            std::accumulate(placed.begin(), placed.end(), 0.0)) /
                           static_cast<double>(layer.size());
      for (size_t k = 0; k < layer.size(); ++k) spots_[layer[k]].x = placed[k] + shift;
    });
  }

  std::vector<double> layer_tops(double& height) const {
    std::vector<double> tops;
    for (const double layer : heights_) {
      tops.push_back(height);
      height += layer + kLayerGap;
    }
    height -= kLayerGap;
    return tops;
  }

  const std::span<const DrawPoint> sizes_;
  const std::span<const LayeredLayout::Edge> edges_;
  std::vector<size_t> layer_of_;
  std::vector<std::vector<size_t>> layers_;
  std::vector<double> heights_;
  std::vector<Spot> spots_;  // those of the boxes first
  std::vector<Path> paths_;
};

}  // namespace

LayeredLayout lay_out(std::span<const DrawPoint> sizes,
                      std::span<const LayeredLayout::Edge> edges) {
  return Layered(sizes, edges).finish();
}

}  // namespace weft
