// load_dataset: data that people learn with, where packages or people have put it.
#include <cstdlib>
#include <filesystem>

#include "weft/data/file_reader.h"
#include "weft/data/gzip.h"
#include "weft/data/rows.h"
#include "weft/data/sources.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;

struct Known {
  std::string_view name;
  std::string_view folders;      // where it may be, below a folder that is given; parted by spaces
  std::string_view package;      // where a package puts it
  std::string_view python;       // where a package of Python puts it, below those
  std::string_view train, test;  // its files, parted by spaces
  std::string_view advice;
};

constexpr Known kKnown[] = {
    {"digits", ". digits", "", "sklearn/datasets/data", "digits.csv.gz", "digits.csv.gz",
     "it comes with scikit-learn: pip install scikit-learn, and activate the environment; or give "
     "the folder that has digits.csv.gz"},
    {"mnist", ". mnist mnist-idx MNIST/raw", "", "",
     "train-images-idx3-ubyte train-labels-idx1-ubyte",
     "t10k-images-idx3-ubyte t10k-labels-idx1-ubyte",
     "give the folder that has the four IDX files of MNIST, packed by gzip or not"},
    {"fashion_mnist", ". fashion_mnist fashion-mnist FashionMNIST/raw",
     "/usr/share/datasets/fashion-mnist", "", "train-images-idx3-ubyte train-labels-idx1-ubyte",
     "t10k-images-idx3-ubyte t10k-labels-idx1-ubyte",
     "on Debian: apt install dataset-fashion-mnist; or give the folder that has its four IDX "
     "files"},
    {"names", ". names", "", "", "names.txt", "names.txt",
     "give the folder that has names.txt, one name a line"},
    {"shakespeare", ". shakespeare tinyshakespeare", "", "", "input.txt", "input.txt",
     "give the folder that has input.txt, the text"},
};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The folders of Python's packages: those of the environment that is active, of one in the current
// folder, and of the system.
std::vector<fs::path> python_packages() {
  std::vector<fs::path> out;
  const char* const active = std::getenv("VIRTUAL_ENV");
  for (const fs::path& environment :
       {fs::path(active != nullptr ? active : ""), fs::path(".venv")}) {
    if (environment.empty()) continue;
    std::error_code ignored;  // what cannot be read has nothing for us
    for (const auto& version : fs::directory_iterator(environment / "lib", ignored)) {
      if (version.path().filename().string().starts_with("python"))
        out.push_back(version.path() / "site-packages");
    }
  }
  out.emplace_back("/usr/lib/python3/dist-packages");
  return out;
}

std::vector<std::string> folders_of(const Known& known, const LoadOptions& options) {
  std::vector<std::string> out;
  const char* const environment = std::getenv("WEFT_DATA");
  const std::string base = !options.folder.empty()  ? options.folder
                           : environment != nullptr ? environment
                                                    : "";
  if (!base.empty()) {
    for (const std::string& below : words(known.folders))
      out.push_back((fs::path(base) / below).lexically_normal().string());
  }
  if (options.folder.empty()) {
    for (const std::string& one : words(known.package)) out.push_back(one);
    if (!known.python.empty()) {
      for (const fs::path& packages : python_packages())
        out.push_back((packages / known.python).string());
    }
  }
  return out;
}

std::string found_file(const std::string& folder, const std::string& name) {
  for (const char* const end : {"", ".gz"}) {
    const fs::path path = fs::path(folder) / (name + end);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  return "";
}

// The files, all in one folder.
Paths found(const Known& known, const LoadOptions& options) {
  const std::vector<std::string> folders = folders_of(known, options);
  for (const std::string& folder : folders) {
    Paths out;
    for (const std::string& name : words(options.split == "test" ? known.test : known.train)) {
      const std::string path = found_file(folder, name);
      if (path.empty()) break;
      out.push_back(path);
    }
    if (!out.empty() && out.size() == words(known.train).size()) return out;
  }
  std::string searched;
  for (const std::string& folder : folders) searched += (searched.empty() ? "" : ", ") + folder;
  fail(Code::kIo, "load_dataset", "files", known.name, " is not here",
       searched.empty() ? "" : " (searched: " + searched + ")", "; ", known.advice,
       ", by folder= or the environment variable WEFT_DATA");
}

std::string unpacked(const std::string& path) {
  std::string bytes = file_bytes(path, "load_dataset");
  return is_gzip(bytes) ? gunzipped(bytes, "load_dataset", path) : bytes;
}

// Rows of 64 pixels from 0 to 16, and the label. The last fifth of them is for tests.
Dataset digits(const std::string& path, bool is_test) {
  const std::string bytes = unpacked(path);
  std::vector<float> pixels;
  std::vector<int64_t> labels;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  constexpr int kPixels = 64;
  while (at < end) {
    for (int column = 0; column <= kPixels; ++column) {
      char* after = nullptr;
      const double value = std::strtod(at, &after);
      const bool ends_well =
          after < end ? *after == (column == kPixels ? '\n' : ',') : column == kPixels;
      if (after == at || !ends_well) {
        fail(Code::kIo, "load_dataset", "digits", path, ", line ", labels.size() + 1,
             ", is no row of 65 numbers");
      }
      if (column < kPixels) {
        pixels.push_back(static_cast<float>(value));
      } else {
        labels.push_back(static_cast<int64_t>(value));
      }
      at = after + 1;
    }
  }
  const auto count = static_cast<int64_t>(labels.size()), train = count * 4 / 5;
  const int64_t first = is_test ? train : 0, rows = is_test ? count - train : train;
  const auto all_pixels = std::as_bytes(std::span(pixels));
  const auto all_labels = std::as_bytes(std::span(labels));
  constexpr size_t kRow = kPixels * sizeof(float);
  const auto from = static_cast<size_t>(first), some = static_cast<size_t>(rows);
  return Dataset::from_tensor_slices(
      {Tensor::from_bytes(DType::kF32, Shape{rows, 8, 8},
                          all_pixels.subspan(from * kRow, some * kRow)),
       Tensor::from_bytes(DType::kI64, Shape{rows},
                          all_labels.subspan(from * sizeof(int64_t), some * sizeof(int64_t)))});
}

}  // namespace

Dataset load_dataset(const std::string& name, LoadOptions options) {
  const Known* known = nullptr;
  std::string all;
  for (const Known& one : kKnown) {
    if (one.name == name) known = &one;
    all += text(all.empty() ? "" : ", ", one.name);
  }
  if (known == nullptr) {
    fail(Code::kInvalid, "load_dataset", "name", "there is no dataset '", name, "'; there are ",
         all);
  }
  if (options.split != "train" && options.split != "test") {
    fail(Code::kInvalid, "load_dataset", "split", "split is '", options.split,
         "'; it is 'train' or 'test'");
  }
  const Paths paths = found(*known, options);
  if (name == "digits") return digits(paths[0], options.split == "test");
  if (name == "names") return text_lines(paths);
  if (name == "shakespeare") return Dataset::from_tensors(Element(unpacked(paths[0])));
  return idx(paths);
}

}  // namespace weft::data
