// Tracks for the lines between two rows of boxes, as in the channels of a circuit board.
#pragma once

#include <cstddef>
#include <vector>

namespace weft {

// A line comes down at `upper`, runs sideways on its track, and goes down at each of `lower`.
struct TrackNet {
  double upper = 0;
  std::vector<double> lower;
};

// The track of each net, 0 the highest; `count` is how many there are. Nets whose
// horizontal parts overlap have different tracks, and few of them cross. A net that runs straight
// down needs none.
std::vector<size_t> find_line_tracks(const std::vector<TrackNet>& nets, size_t& count);

}  // namespace weft
