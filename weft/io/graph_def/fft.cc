// Fourier transforms: TensorFlow's go along the last axis, and those back divide by the length.
#include "weft/io/graph_def/wires.h"

namespace weft::io {
namespace {

std::string one_int(Writer& w, std::string_view suffix, const std::string& size) {
  return w.add(suffix, "Pack", {size},
               {{"N", int64_t{1}}, {"T", DataType::kInt32}, {"axis", int64_t{0}}});
}

Wire scaled(Writer& w, Wires& wires, const Wire& x, bool by_length, const std::string& length) {
  Wire out = x;
  if (by_length) {
    const DType real = is_complex(x.dtype) ? real_of(x.dtype) : x.dtype;
    const Wire n = wires.cast(wires.cast({length, DType::kI32}, real), x.dtype);
    out = wires.apply("Mul", {out, n});
  }
  const double scale = w.attribute<double>("scale");
  return scale == 1 ? out : wires.apply("Mul", {out, wires.number(x.dtype, scale)});
}

struct Along {
  int64_t rank, axis;
  explicit Along(const Writer& w)
      : rank(w.input_type(0).rank()), axis(normalized(w.attribute<int64_t>("axis"), rank)) {}
  Dim size(const Type& type) const { return type.shape[static_cast<size_t>(axis)]; }
};

void c2c(Writer& w, std::string_view) {
  Wires wires(w);
  const Along along(w);
  const bool is_back = w.attribute<bool>("inverse");
  const std::string_view op = is_back ? "IFFT" : "FFT";
  const Wire x = wires.transpose(wires.input(0), moved_to_end(along.axis, along.rank));
  const Wire out{w.add(op, op, {x.name}, {{"Tcomplex", data_type(x.dtype)}}), x.dtype};
  const std::string length = is_back ? w.size("length", along.size(w.input_type(0))) : "";
  wires.give(wires.transpose(scaled(w, wires, out, is_back, length),
                             moved_from_end(along.axis, along.rank)));
}

void r2c(Writer& w, std::string_view) {
  Wires wires(w);
  const Along along(w);
  const DType to = w.output_type().dtype, from = real_of(to);
  const Wire x =
      wires.cast(wires.transpose(wires.input(0), moved_to_end(along.axis, along.rank)), from);
  const std::string length =
      one_int(w, "fft_length", w.size("length", along.size(w.input_type(0))));
  const Wire out{w.add("RFFT", "RFFT", {x.name, length},
                       {{"Treal", data_type(from)}, {"Tcomplex", data_type(to)}}),
                 to};
  wires.give(
      wires.transpose(scaled(w, wires, out, false, ""), moved_from_end(along.axis, along.rank)));
}

void c2r(Writer& w, std::string_view) {
  Wires wires(w);
  const Along along(w);
  const DType from = w.input_type(0).dtype, to = w.output_type().dtype;
  const Wire x = wires.transpose(wires.input(0), moved_to_end(along.axis, along.rank));
  const std::string size = w.int_scalar("length", w.attribute<int64_t>("n"));
  const Wire out{w.add("IRFFT", "IRFFT", {x.name, one_int(w, "fft_length", size)},
                       {{"Treal", data_type(to)}, {"Tcomplex", data_type(from)}}),
                 to};
  wires.give(
      wires.transpose(scaled(w, wires, out, true, size), moved_from_end(along.axis, along.rank)));
}

constexpr Row kRows[] = {
    {"fft.c2c", c2c},
    {"fft.r2c", r2c},
    {"fft.c2r", c2r},
};

}  // namespace

std::span<const Row> fft_rows() { return kRows; }

}  // namespace weft::io
