// States and elements, written and read.
#include "weft/data/state.h"

#include <cstring>

#include "weft/data/rows.h"

namespace weft::data {
namespace {

constexpr size_t kMostLeaves = 1 << 16;

std::string lengths_and_texts(const Texts& all, std::vector<int64_t>& ends) {
  std::string out;
  for (const std::string& one : all.texts) {
    out += one;
    ends.push_back(static_cast<int64_t>(out.size()));
  }
  return out;
}

template <class T>
void append_raw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads a row of bytes that may be anything.
class Bytes {
 public:
  Bytes(std::string_view rest, std::string_view who) : rest_(rest), who_(who) {}

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) fail_bytes("ends too early");
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }
  template <class T>
  T number() {
    T out;
    std::memcpy(&out, take(sizeof out).data(), sizeof out);
    return out;
  }
  bool done() const { return rest_.empty(); }
  [[noreturn]] void fail_bytes(std::string_view wrong) const {
    fail(Code::kIo, who_, "element", "a stored element ", wrong,
         "; the file is damaged: remove it and write it again");
  }
  // Extents whose product is counted against what is left: nothing is allocated on their word.
  Shape shape() {
    Shape out;
    const auto rank = number<uint8_t>();
    if (rank > kMaxRank) fail_bytes("has a rank beyond 32");
    for (uint8_t i = 0; i < rank; ++i) {
      const auto extent = number<int64_t>();
      if (extent < 0) fail_bytes("has a negative size");
      out.push_back(extent);
    }
    return out;
  }
  uint64_t count_of(const Shape& shape, uint64_t each) const {
    uint64_t out = 1;
    for (const Dim extent : shape) {
      if (__builtin_mul_overflow(out, static_cast<uint64_t>(extent.value()), &out)) {
        fail_bytes("has sizes that overflow");
      }
    }
    uint64_t total = 0;
    if (__builtin_mul_overflow(out, each, &total)) fail_bytes("has sizes that overflow");
    if (total > rest_.size()) fail_bytes("ends too early");
    return out;
  }

 private:
  std::string_view rest_;
  std::string_view who_;
};

}  // namespace

void StateWriter::put(std::string_view name, int64_t value) const {
  put(name, Tensor::from_bytes(DType::kI64, Shape{}, std::as_bytes(std::span(&value, 1))));
}

void StateWriter::put(std::string_view name, std::string_view bytes) const {
  put(name, Tensor::from_bytes(DType::kU8, Shape{static_cast<int64_t>(bytes.size())},
                               std::as_bytes(std::span(bytes))));
}

void StateWriter::put(std::string_view name, std::span<const int64_t> values) const {
  put(name, Tensor::from_bytes(DType::kI64, Shape{static_cast<int64_t>(values.size())},
                               std::as_bytes(values)));
}

void StateWriter::put(std::string_view name, const Element& element) const {
  const StateWriter to = at(name);
  to.put("form", to_string(*element.form));
  for (size_t k = 0; k < element.size(); ++k) {
    const Leaf& leaf = element.leaves[k];
    if (!leaf.is_text()) {
      to.put(text(k), contiguous(leaf.tensor));
      continue;
    }
    std::vector<int64_t> ends, shape;
    const std::string all = lengths_and_texts(*leaf.texts, ends);
    for (const Dim extent : leaf.texts->shape) shape.push_back(extent.value());
    to.put(text(k, ".texts"), all);
    to.put(text(k, ".ends"), ends);
    to.put(text(k, ".shape"), shape);
  }
}

void StateWriter::put(std::string_view name, std::span<const Element> elements) const {
  const StateWriter to = at(name);
  to.put("count", static_cast<int64_t>(elements.size()));
  for (size_t i = 0; i < elements.size(); ++i) to.put(text(i), elements[i]);
}

void StateReader::fail_state(std::string_view name, std::string_view wrong) const {
  fail(Code::kInvalid, "load_state_dict", "state", "'", prefix_, name, "' ", wrong,
       "; a state is loaded into an iterator of the pipeline that saved it");
}

const Tensor& StateReader::tensor(std::string_view name) const {
  const auto found = state_->find(text(prefix_, name));
  if (found == state_->end()) fail_state(name, "is missing");
  return found->second;
}

int64_t StateReader::integer(std::string_view name) const {
  const Tensor& t = tensor(name);
  if (t.dtype() != DType::kI64 || t.rank() != 0) fail_state(name, "is no integer");
  return t.item_int();
}

int64_t StateReader::position(std::string_view name) const {
  const int64_t out = integer(name);
  if (out < 0) fail_state(name, "is negative");
  return out;
}

std::string StateReader::bytes(std::string_view name) const {
  const Tensor& t = tensor(name);
  if (t.dtype() != DType::kU8 || t.rank() != 1) fail_state(name, "is no text");
  const Tensor row = contiguous(t);
  return std::string(static_cast<const char*>(row.data()), static_cast<size_t>(row.numel()));
}

std::vector<int64_t> StateReader::integers(std::string_view name) const {
  const Tensor& t = tensor(name);
  if (t.dtype() != DType::kI64 || t.rank() != 1) fail_state(name, "is no list of integers");
  return t.to_vector<int64_t>();
}

Element StateReader::element(std::string_view name) const {
  const StateReader from = at(name);
  Element out;
  out.form = parse_form(from.bytes("form"));
  for (size_t k = 0; k < out.form->leaf_count(); ++k) {
    if (from.has(text(k))) {
      out.leaves.emplace_back(from.tensor(text(k)));
      continue;
    }
    const std::string all = from.bytes(text(k, ".texts"));
    Texts texts;
    for (const int64_t extent : from.integers(text(k, ".shape"))) texts.shape.push_back(extent);
    int64_t start = 0;
    for (const int64_t end : from.integers(text(k, ".ends"))) {
      if (end < start || end > static_cast<int64_t>(all.size())) {
        from.fail_state(text(k, ".ends"), "does not fit its texts");
      }
      texts.texts.push_back(
          all.substr(static_cast<size_t>(start), static_cast<size_t>(end - start)));
      start = end;
    }
    out.leaves.push_back(Leaf(std::move(texts)));
  }
  return out;
}

std::vector<Element> StateReader::elements(std::string_view name) const {
  const StateReader from = at(name);
  std::vector<Element> out;
  const int64_t count = from.position("count");
  for (int64_t i = 0; i < count; ++i) out.push_back(from.element(text(i)));
  return out;
}

// Form, then each leaf: 0 dtype rank extents bytes, or 1 rank extents (length bytes)...
std::string element_bytes(const Element& element) {
  std::string out;
  const std::string form = to_string(*element.form);
  append_raw(out, static_cast<uint32_t>(form.size()));
  out += form;
  for (const Leaf& leaf : element.leaves) {
    append_raw(out, static_cast<uint8_t>(leaf.is_text()));
    if (!leaf.is_text()) append_raw(out, static_cast<uint8_t>(leaf.tensor.dtype()));
    append_raw(out, static_cast<uint8_t>(leaf.shape().size()));
    for (const Dim extent : leaf.shape()) append_raw(out, extent.value());
    if (leaf.is_text()) {
      for (const std::string& one : leaf.texts->texts) {
        append_raw(out, static_cast<uint64_t>(one.size()));
        out += one;
      }
    } else {
      const size_t start = out.size();
      out.resize(start + static_cast<size_t>(leaf.bytes()));
      copy_to(out.data() + start, leaf.tensor);
    }
  }
  return out;
}

Element element_of(std::string_view bytes, std::string_view who) {
  Bytes from(bytes, who);
  Element out;
  try {
    out.form = parse_form(from.take(from.number<uint32_t>()));
  } catch (const Error&) {
    from.fail_bytes("has no form");
  }
  const size_t count = out.form->leaf_count();
  if (count > kMostLeaves) from.fail_bytes("has too many leaves");
  for (size_t k = 0; k < count; ++k) {
    const bool is_text = from.number<uint8_t>() != 0;
    const auto dtype = is_text ? uint8_t{0} : from.number<uint8_t>();
    if (dtype >= kNumDTypes) from.fail_bytes("has no dtype");
    const Shape shape = from.shape();
    if (is_text) {
      Texts texts{shape, {}};
      for (uint64_t left = from.count_of(shape, sizeof(uint64_t)); left > 0; --left) {
        texts.texts.emplace_back(from.take(from.number<uint64_t>()));
      }
      out.leaves.push_back(Leaf(std::move(texts)));
    } else {
      const auto size = static_cast<uint64_t>(size_of(static_cast<DType>(dtype)));
      const std::string_view raw = from.take(from.count_of(shape, size) * size);
      out.leaves.emplace_back(
          Tensor::from_bytes(static_cast<DType>(dtype), shape, std::as_bytes(std::span(raw))));
    }
  }
  if (!from.done()) from.fail_bytes("goes on behind its end");
  return out;
}

}  // namespace weft::data
