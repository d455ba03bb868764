// Sources of elements in files.
#pragma once

#include "weft/data/dataset.h"

namespace weft::data {

using Paths = std::vector<std::string>;

// The lines of text files, one file after the other, without their ends.
Dataset text_lines(Paths paths);

struct CsvOptions {
  char delimiter = ',';
  bool header = true;                   // the first record has the names of the columns
  std::vector<std::string> names = {};  // of the columns; with a header, those that are wanted
  // float32, int64, ... or "text", one for each column that is wanted; none: by the first records.
  std::vector<std::string> types = {};
};
// The records of CSV files (RFC 4180): dicts by the names of the columns, tuples if they have none.
Dataset csv(Paths paths, CsvOptions options = {});

// The tensor of an IDX file, packed by gzip or not.
Tensor read_idx(const std::string& path);
// Its rows, and those of others beside it: tuples if there are several.
Dataset idx(Paths paths);

// The rows of npy files: of one, or tuples of several. They are read when they are asked for, so
// that files may be larger than memory (those in Fortran's order, whose rows lie apart, at once).
Dataset npy(Paths paths);
// The rows of the arrays of an npz file, which are read at once: dicts by these names; of no names,
// of all.
Dataset npz(const std::string& path, std::vector<std::string> names = {});

// The records of TFRecord files, as uint8 tensors; both checksums of each are verified.
Dataset tfrecord(Paths paths);

// What a record is asked for.
struct Feature {
  std::string name;
  std::optional<Shape> shape = {};       // none: as long as it is
  std::optional<Tensor> otherwise = {};  // for records that lack it
};
// A tf.Example: a dict of int64 and float32 tensors and texts; of all its features, if none is
// named.
Element parse_example(const Tensor& record, std::span<const Feature> features = {});

struct ImageOptions {
  int64_t channels = 3;  // 1, 3 or 4; 0: as in the file
  int num_parallel_calls = 0;
};
// The pixels of a PNG or JPEG file, uint8[height, width, channels]. `origin` is named in errors.
Tensor decode_image(std::string_view bytes, int64_t channels = 0, const std::string& origin = "");
Tensor read_image(const std::string& path, int64_t channels = 0);
// The bytes of a PNG file of such pixels, or of gray ones, uint8[height, width]; the file itself,
// which is there whole or not at all.
std::string encode_png(const Tensor& pixels);
void write_png(const std::string& path, const Tensor& pixels);

// Images of folder/class/name.png and .jpg, with the number of the class: (uint8[h, w, c], int64).
Dataset image_folder(const std::string& folder, ImageOptions options = {});
// The names of the classes: the folders, sorted.
std::vector<std::string> class_names(const std::string& folder);

struct LoadOptions {
  // Where the files are; none: in WEFT_DATA, then where packages put them, those of Python by
  // VIRTUAL_ENV and in .venv.
  std::string folder = "";
  std::string split = "train";  // or "test"
};
// digits, mnist, fashion_mnist: (image, label); names, shakespeare: texts. Raises
// [load_dataset.files] with what to do when the files are not there.
Dataset load_dataset(const std::string& name, LoadOptions options = {});

}  // namespace weft::data
