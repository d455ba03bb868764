// Samples of moveaxis and swapaxes.
#include "weft/ops/shape/moving_reference.h"

using namespace weft::suite;

// The order of axes that each sample asks for.
static Places order_of(const std::string& source, const std::string& destination) {
  if (source == "[0]" && destination == "[2]") return {1, 2, 0};
  if (source == "[-1]" && destination == "[0]") return {2, 0, 1};
  if (source == "[2, 0]" && destination == "[0, 1]") return {2, 0, 1};
  return {0, 1, 2};
}

static Array permuted(const Array& x, const Places& order) {
  Places shape;
  for (int64_t axis : order) shape.push_back(x.shape[static_cast<size_t>(axis)]);
  return moved_from(x, shape, [&](const Places& place) {
    Places from(place.size());
    for (size_t i = 0; i < order.size(); ++i) from[static_cast<size_t>(order[i])] = place[i];
    return from;
  });
}

static Arrays move_reference(const Attrs& at, const Arrays& in) {
  return {
      permuted(in[0], order_of(text(at.get<Ints>("source")), text(at.get<Ints>("destination"))))};
}

static Arrays swap_reference(const Attrs& at, const Arrays& in) {
  Places order{0, 1, 2};
  order.resize(in[0].shape.size());
  std::swap(order[axis_of(in[0], at.get<int64_t>("axis1"))],
            order[axis_of(in[0], at.get<int64_t>("axis2"))]);
  return {permuted(in[0], order)};
}

WEFT_OP_TEST(moveaxis) {
  t.sample({in({2, 3, 4})}, "source=[0], destination=[2]");
  t.sample({in({2, 3, 4})}, "source=[-1], destination=[0]");
  t.sample({in({2, 3, 4})}, "source=[2, 0], destination=[0, 1]");
  t.sample({in({2, 3, 4})}, "source=[], destination=[]");
  t.large({in({200, 30, 40})}, "source=[0], destination=[2]");
  t.reference(move_reference);
  t.error("count", {in({2, 3})}, "source=[0], destination=[0, 1]",
          "moveaxis: source [0] and destination [0, 1] name 1 and 2 axes; they must be as many "
          "[moveaxis.count]");
  t.error("axis", {in({2, 3})}, "source=[2], destination=[0]",
          "moveaxis: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 "
          "[moveaxis.axis]");
  t.error("axis_twice", {in({2, 3})}, "source=[0, 1], destination=[0, -2]",
          "moveaxis: axes [0, -2] name an axis of shape [2, 3] twice; name each axis once "
          "[moveaxis.axis_twice]");
}

WEFT_OP_TEST(swapaxes) {
  t.sample({in({2, 3, 4})}, "axis1=0, axis2=2");
  t.sample({in({2, 3})}, "axis1=-1, axis2=0");
  t.sample({in({2, 3})}, "axis1=1, axis2=1");
  t.large({in({200, 30, 40})}, "axis1=0, axis2=1");
  t.reference(swap_reference);
  t.error("axis", {in({2, 3})}, "axis1=0, axis2=2",
          "swapaxes: axis 2 is out of range for shape [2, 3]; axes go from -2 to 1 "
          "[swapaxes.axis]");
}
