// Pictures of training: curves, confusion matrices, images with what was said of them, and memory
// by time. The name of a file ends in .png or .svg; it appears whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weft/core/tensor.h"

namespace weft::train {

// A value of each epoch, by name.
using Curves = std::vector<std::pair<std::string, std::vector<double>>>;

// Draws a panel for each metric, with NAME and val_NAME together, over the epochs. Values that are
// not finite are left out.
//   train::draw_curves("curves.png", {1, 2, 3}, {{"loss", {2.1, 1.2, 0.9}}});
void draw_curves(const std::string& path, const std::vector<double>& epochs, const Curves& values);

// Draws how often each class (row) was said to be each class (column); the darker, the larger its
// part of the row. Labels are numbers if left out.
void draw_confusion(const std::string& path, const Tensor& matrix,
                    std::vector<std::string> labels = {});

struct ImageOptions {
  // A text for each; what follows its first line is smaller and gray.
  std::vector<std::string> captions = {};
  int64_t columns = 8;  // how many stand side by side
  // For each: its frame and caption are red, the others' green; none are marked if left out.
  std::optional<std::vector<bool>> wrong = {};
};
// Draws images [n, h, w], [n, c, h, w] or [n, h, w, c], with 1 or 3 channels, in a grid, enlarged
// without blur. Floats are spread from their least to their greatest value if they leave 0 to 1.
void draw_images(const std::string& path, const Tensor& images, const ImageOptions& options = {});

// What tensors took while a program ran.
struct MemoryByTime {
  struct Moment {
    double seconds;
    double bytes;  // in use from then on
    bool operator==(const Moment&) const = default;
  };
  std::vector<Moment> moments;  // the first is the beginning
  std::vector<double> marks;    // when each step ended
  double seconds = 0;           // of all
};
// Draws it; steps are shaded in turn, so that each cycle shows.
void draw_memory(const std::string& path, const MemoryByTime& memory);

namespace detail {
// The least and the greatest of each of so many spans of time, in their order: peaks stay.
inline constexpr size_t kMostMoments = 1400;  // about one a pixel
std::vector<MemoryByTime::Moment> thinned(const std::vector<MemoryByTime::Moment>& all, double end);
}  // namespace detail

}  // namespace weft::train
