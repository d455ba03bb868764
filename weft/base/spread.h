// spread: positions on a line, as near as possible to desired positions, with minimal distances.
#pragma once

#include <vector>

namespace weft {

// Minimises the sum of weights[k] * (x[k] - wishes[k])^2 under x[k+1] - x[k] >= distances[k]: an
// isotonic regression, by pooling neighbours that are too near (Barlow et al. 1972).
inline std::vector<double> spread(const std::vector<double>& wishes,
                                  const std::vector<double>& weights,
                                  const std::vector<double>& distances) {
  struct Pool {
    double mean, weight;
    size_t count;
  };
  std::vector<Pool> pools;
  double offset = 0;
  for (size_t k = 0; k < wishes.size(); ++k) {
    if (k > 0) offset += distances[k - 1];
    pools.push_back({wishes[k] - offset, weights[k], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& before = pools.back();
      before.mean =
          (before.mean * before.weight + last.mean * last.weight) / (before.weight + last.weight);
      before.weight += last.weight;
      before.count += last.count;
    }
  }
  std::vector<double> out;
  offset = 0;
  for (const Pool& pool : pools) {
    for (size_t k = 0; k < pool.count; ++k) {
      if (!out.empty()) offset += distances[out.size() - 1];
      out.push_back(pool.mean + offset);
    }
  }
  return out;
}

}  // namespace weft
