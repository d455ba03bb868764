// References of index_at and of the ops that update at indices.
#pragma once

#include "weft/ops/shape/moving_reference.h"

namespace weft::suite {

// What the indices broadcast to.
inline Places joint_shape(const Arrays& in, size_t first) {
  Places out;
  for (size_t k = first; k < in.size(); ++k) {
    const Places& shape = in[k].shape;
    while (out.size() < shape.size()) out.insert(out.begin(), 1);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] != 1) out[out.size() - shape.size() + d] = shape[d];
    }
  }
  return out;
}

// The element of a tensor that `place` of the joint shape reads, where axes of size 1 repeat.
inline const ScalarValue& broadcast_value(const Array& x, const Places& place) {
  Places own;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    const int64_t at = place[place.size() - x.shape.size() + d];
    own.push_back(x.shape[d] == 1 ? 0 : at);
  }
  return x.values[static_cast<size_t>(ravel(own, x.shape))];
}

struct IndexedPlaces {
  Places result;
  // The place in x of each place of the result.
  Places source(const Attrs& at, const Arrays& in, size_t first, const Places& place) const {
    const Places& shape = in[0].shape;
    const Ints& axes = at.get<Ints>("axes");
    const auto before = static_cast<size_t>(at.get<int64_t>("at"));
    const size_t joint = joint_shape(in, first).size();
    const Places position(place.begin() + static_cast<std::ptrdiff_t>(before),
                          place.begin() + static_cast<std::ptrdiff_t>(before + joint));
    Places out(shape.size(), -1);
    for (size_t k = 0; k < axes.size(); ++k) {
      const size_t axis = axis_of(in[0], axes[k]);
      out[axis] = place_of(broadcast_value(in[first + k], position), shape[axis]);
    }
    size_t next = 0;
    for (int64_t& coordinate : out) {
      if (coordinate >= 0) continue;
      coordinate = place[next < before ? next : next + joint];
      ++next;
    }
    return out;
  }
};

inline IndexedPlaces indexed_places(const Attrs& at, const Arrays& in, size_t first) {
  const Places& shape = in[0].shape;
  IndexedPlaces out;
  std::vector<bool> indexed(shape.size(), false);
  for (int64_t axis : at.get<Ints>("axes")) indexed[axis_of(in[0], axis)] = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!indexed[d]) out.result.push_back(shape[d]);
  }
  const Places joint = joint_shape(in, first);
  out.result.insert(out.result.begin() + static_cast<std::ptrdiff_t>(at.get<int64_t>("at")),
                    joint.begin(), joint.end());
  return out;
}

// `join(element, update)` at each place, in row-major order of the result.
template <class Join>
Array joined_at(const Attrs& at, const Arrays& in, Join join) {
  Array out = in[0];
  const IndexedPlaces places = indexed_places(at, in, 2);
  for (int64_t i = 0; i < count(places.result); ++i) {
    const Places place = unravel(i, places.result);
    const auto to = static_cast<size_t>(ravel(places.source(at, in, 2, place), out.shape));
    out.values[to] = join(out.values[to], broadcast_value(in[1], place));
  }
  return out;
}

}  // namespace weft::suite
