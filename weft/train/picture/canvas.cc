// Colors, and files by their names.
#include "weft/train/picture/canvas.h"

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "weft/base/error.h"
#include "weft/base/file.h"
#include "weft/train/picture/raster.h"
#include "weft/train/picture/vector.h"

namespace weft::train {

std::string hex(Color color) {
  char out[8];
  std::snprintf(out, sizeof out, "#%02x%02x%02x", color.red, color.green, color.blue);
  return out;
}

Color blend(Color a, Color b, double part) {
  const auto between = [&](int from, int to) {
    return static_cast<uint8_t>(std::nearbyint(from + (to - from) * part));
  };
  return {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
}

std::unique_ptr<Canvas> canvas_for(const std::string& path, double width, double height,
                                   std::string_view who) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (ending == ".png") return std::make_unique<Raster>(width, height);
  if (ending == ".svg") return std::make_unique<Vector>(width, height);
  fail(Code::kInvalid, who, "format", "the file's name ends in '", ending,
       "'; a picture is written as .png or .svg");
}

void write_picture(const std::string& path, const Canvas& canvas, std::string_view who) {
  const std::string bytes = canvas.bytes();
  AtomicFile file(path, who);
  file.write(bytes);
  file.commit();
}

}  // namespace weft::train
