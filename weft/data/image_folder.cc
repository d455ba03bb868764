// image_folder: images in folders that are named after their classes.
#include <algorithm>
#include <filesystem>

#include "weft/data/call.h"
#include "weft/data/source.h"
#include "weft/data/sources.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;

bool is_image(const fs::path& path) {
  std::string end = path.extension().string();
  std::ranges::transform(end, end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

class ImageFolder final : public IndexedNode {
 public:
  ImageFolder(const std::string& folder, ImageOptions options)
      : IndexedNode("image_folder"), folder_(folder), options_(options) {
    const std::vector<std::string> classes = class_names(folder);
    for (size_t label = 0; label < classes.size(); ++label) {
      std::vector<std::string> paths;
      for (const auto& entry :
           fs::recursive_directory_iterator(fs::path(folder) / classes[label])) {
        if (entry.is_regular_file() && is_image(entry.path()))
          paths.push_back(entry.path().string());
      }
      std::ranges::sort(paths);
      for (std::string& path : paths) {
        files_.push_back({std::move(path), static_cast<int64_t>(label)});
      }
    }
    if (files_.empty()) {
      fail(Code::kIo, "image_folder", "folder", "there are no images in the folders of ", folder,
           "; they lie in folder/class/name.png or .jpg");
    }
  }

  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  int workers() const override { return options_.num_parallel_calls; }
  Element get(int64_t index) const override {
    const File& file = files_[static_cast<size_t>(index)];
    Element out(
        {read_image(file.path, options_.channels),
         Tensor::from_bytes(DType::kI64, Shape{}, std::as_bytes(std::span(&file.label, 1)))});
    out.origin = new_shared<const Origin>(Origin{file.path});
    return out;
  }
  std::string text() const override {
    return weft::text("image_folder(", folder_, ", ", files_.size(), " images",
                      options_.num_parallel_calls > 0
                          ? weft::text(", num_parallel_calls=", options_.num_parallel_calls)
                          : "",
                      ")");
  }

 private:
  struct File {
    std::string path;
    int64_t label;
  };
  const std::string folder_;
  const ImageOptions options_;
  std::vector<File> files_;
};

}  // namespace

std::vector<std::string> class_names(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> out;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    // Those of programs (.git, .ipynb_checkpoints) are no classes.
    if (at->is_directory() && !name.starts_with('.')) out.push_back(name);
  }
  if (error) {
    fail(Code::kIo, "image_folder", "folder", "cannot read ", folder, ": ", error.message());
  }
  std::ranges::sort(out);
  return out;
}

Dataset image_folder(const std::string& folder, ImageOptions options) {
  return Dataset(new_shared<const ImageFolder>(folder, options));
}

}  // namespace weft::data
