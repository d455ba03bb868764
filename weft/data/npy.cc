// npy and npz: the rows of arrays in NumPy's formats.
#include "weft/base/file.h"
#include "weft/data/source.h"
#include "weft/data/sources.h"
#include "weft/io/npy/header.h"
#include "weft/io/npz/npz.h"

namespace weft::data {
namespace {

// Arrays side by side have as many rows; `what` is the one that `shape` belongs to.
class RowCount {
 public:
  explicit RowCount(std::string_view who) : who_(who) {}
  void add(const std::string& what, DType dtype, ShapeView shape) {
    if (shape.empty()) {
      fail(Code::kInvalid, who_, "axis", "'", what, "' is ", name_of(dtype), shape,
           "; rows lie along a first axis");
    }
    const int64_t rows = shape[0].value();
    if (!first_.empty() && rows != rows_) {
      fail(Code::kInvalid, who_, "axis", "'", what, "' has ", rows, " rows but '", first_, "' has ",
           rows_, "; arrays side by side have as many");
    }
    first_ = what;
    rows_ = rows;
  }
  int64_t rows() const { return rows_; }

 private:
  const std::string_view who_;
  std::string first_;
  int64_t rows_ = 0;
};

// An array in a file, whose rows are read when they are asked for.
class StoredArray {
 public:
  explicit StoredArray(const std::string& path) : file_(path, "npy") {
    io::SourceStream stream(file_);
    header_ = io::read_npy_header(stream, "npy");
    start_ = file_.size() - stream.left();
    shape_ = io::shape_of(header_.sizes);
    if (shape_.empty() || header_.sizes[0] == 0) return;
    row_bytes_ = stream.left() / static_cast<uint64_t>(header_.sizes[0]);
  }

  const std::string& path() const { return file_.name(); }
  DType dtype() const { return header_.dtype; }
  ShapeView shape() const { return shape_; }
  ShapeView row_shape() const { return shape().subspan(1); }
  // Its rows lie apart: the first axis is the innermost.
  bool is_fortran() const { return header_.is_fortran && header_.sizes.size() > 1; }
  Tensor whole() const { return io::read_npy(file_, "npy"); }
  int64_t offset_of(int64_t row) const {
    return static_cast<int64_t>(start_ + static_cast<uint64_t>(row) * row_bytes_);
  }

  // Those rows, in a tensor of that shape; one read for those that follow each other.
  Tensor rows(std::span<const int64_t> numbers, ShapeView shape) const {
    return io::filled_tensor(dtype(), shape, [&](std::span<std::byte> to) {
      for (size_t first = 0, next = 0; first < numbers.size(); first = next) {
        do ++next;
        while (next < numbers.size() && numbers[next] == numbers[next - 1] + 1);
        file_.read(static_cast<uint64_t>(offset_of(numbers[first])),
                   to.subspan(first * row_bytes_, (next - first) * row_bytes_));
      }
      io::make_native(to, header_);
    });
  }

 private:
  const InputFile file_;
  io::NpyHeader header_;
  Shape shape_;
  uint64_t start_ = 0, row_bytes_ = 0;
};

class Npy final : public IndexedNode {
 public:
  using Arrays = std::vector<std::unique_ptr<const StoredArray>>;

  Npy(Arrays arrays, int64_t size)
      : IndexedNode("npy"),
        arrays_(std::move(arrays)),
        form_(arrays_.size() == 1 ? leaf_form() : tuple_form(arrays_.size())),
        size_(size) {}

  int64_t size() const override { return size_; }
  Element get(int64_t index) const override {
    Element out = element_of([&](const StoredArray& array) {
      return array.rows(std::span(&index, 1), array.row_shape());
    });
    out.origin = new_shared<const Origin>(
        Origin{.file = arrays_[0]->path(), .offset = arrays_[0]->offset_of(index)});
    return out;
  }
  bool can_gather() const override { return true; }
  Element gather(std::span<const int64_t> indices) const override {
    return element_of([&](const StoredArray& array) {
      Shape shape(array.shape());
      shape[0] = static_cast<int64_t>(indices.size());
      return array.rows(indices, shape);
    });
  }
  Spec spec() const override {
    Spec out{form_, {}};
    for (const auto& array : arrays_) {
      out.leaves.push_back({false, array->dtype(), Shape(array->row_shape())});
    }
    return out;
  }
  std::string text() const override {
    std::string out = "npy(";
    for (const auto& array : arrays_) {
      out += weft::text(out.back() == '(' ? "" : ", ", array->path(), ": ", name_of(array->dtype()),
                        array->shape());
    }
    return out + ")";
  }

 private:
  template <class Make>
  Element element_of(Make make) const {
    std::vector<Leaf> leaves;
    leaves.reserve(arrays_.size());
    for (const auto& array : arrays_) leaves.emplace_back(make(*array));
    return Element(std::move(leaves), form_);
  }

  const Arrays arrays_;
  const Shared<const Form> form_;
  const int64_t size_;
};

}  // namespace

Dataset npy(Paths paths) {
  if (paths.empty()) fail(Code::kInvalid, "npy", "paths", "needs at least one path");
  Npy::Arrays arrays;
  RowCount count("npy");
  bool is_fortran = false;
  for (const std::string& path : paths) {
    arrays.push_back(std::make_unique<const StoredArray>(path));
    count.add(path, arrays.back()->dtype(), arrays.back()->shape());
    is_fortran |= arrays.back()->is_fortran();
  }
  if (!is_fortran) return Dataset(new_shared<const Npy>(std::move(arrays), count.rows()));
  std::vector<Leaf> leaves;
  for (const auto& array : arrays) leaves.emplace_back(array->whole());
  if (leaves.size() == 1) return Dataset::from_tensor_slices(Element(leaves[0].tensor));
  return Dataset::from_tensor_slices(Element(std::move(leaves)));
}

Dataset npz(const std::string& path, std::vector<std::string> names) {
  const InputFile file(path, "npz");
  const io::NamedTensors found =
      io::read_npz(file, names.empty() ? io::Names() : io::Names(names), "npz");
  if (names.empty()) {
    for (const io::NamedTensor& one : found) names.push_back(one.name);
  }
  RowCount count("npz");
  std::vector<Leaf> leaves;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(found, name, &io::NamedTensor::name);
    if (at == found.end()) {
      fail(Code::kInvalid, "npz", "names", "'", path, "' has no array '", name,
           "'; without names= all that it has are read");
    }
    count.add(name, at->value.dtype(), at->value.shape());
    leaves.emplace_back(at->value);
  }
  if (leaves.empty()) fail(Code::kIo, "npz", "names", "'", path, "' has no arrays");
  const std::vector<Shared<const Form>> forms(leaves.size(), leaf_form());
  return Dataset::from_tensor_slices(Element(
      std::move(leaves), new_shared<const Form>(Form{Form::Kind::kDict, std::move(names), forms})));
}

}  // namespace weft::data
