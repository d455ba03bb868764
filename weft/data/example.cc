// tf.Example: its wire format, read without a library: the message is three levels of maps and
// lists.
//
//   Example  { 1: Features }             Feature { 1: BytesList | 2: FloatList | 3: Int64List }
//   Features { 1: (1: name, 2: Feature) }   each list has field 1, repeated, packed or not
#include <cstring>
#include <map>

#include "weft/data/rows.h"
#include "weft/data/sources.h"

namespace weft::data {
namespace {

[[noreturn]] void refuse(std::string_view wrong) {
  fail(Code::kIo, "parse_example", "record", "the record ", wrong, "; it is no tf.Example");
}

// The fields of one message.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  struct Field {
    uint64_t number = 0;
    int wire = 0;  // 0: a number; 1: 8 bytes; 2: bytes; 5: 4 bytes
    uint64_t value = 0;
    std::string_view bytes;
  };
  bool next(Field& out) {
    if (rest_.empty()) return false;
    const uint64_t tag = number();
    out = {tag >> 3, static_cast<int>(tag & 7), 0, {}};
    switch (out.wire) {
      case 0: out.value = number(); break;
      case 1: out.bytes = take(8); break;
      case 2: out.bytes = take(number()); break;
      case 5: out.bytes = take(4); break;
      default: refuse("has a field of an unknown kind");
    }
    return true;
  }
  uint64_t number() {
    uint64_t out = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(take(1)[0]);
      out |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) return out;
    }
    refuse("has a number that does not end");
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view take(uint64_t count) {
    if (count > rest_.size()) refuse("ends too early");
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }
  std::string_view rest_;
};

template <class T>
Tensor tensor_of(DType dtype, const std::vector<T>& values) {
  return Tensor::from_bytes(dtype, Shape{Dim(static_cast<int64_t>(values.size()))},
                            std::as_bytes(std::span(values)));
}

Leaf bytes_list(std::string_view list) {
  Message message(list);
  Texts out;
  for (Message::Field field; message.next(field);) {
    if (field.number == 1 && field.wire == 2) out.texts.emplace_back(field.bytes);
  }
  out.shape = {static_cast<int64_t>(out.texts.size())};
  return Leaf(std::move(out));
}

Leaf float_list(std::string_view list) {
  Message message(list);
  std::vector<float> out;
  for (Message::Field field; message.next(field);) {
    if (field.number != 1 || (field.wire != 2 && field.wire != 5)) continue;
    if (field.bytes.size() % sizeof(float) != 0) refuse("has floats that are cut off");
    const size_t start = out.size();
    out.resize(start + field.bytes.size() / sizeof(float));
    if (!field.bytes.empty())
      std::memcpy(out.data() + start, field.bytes.data(), field.bytes.size());
  }
  return tensor_of(DType::kF32, out);
}

Leaf int64_list(std::string_view list) {
  Message message(list);
  std::vector<int64_t> out;
  for (Message::Field field; message.next(field);) {
    if (field.number != 1) continue;
    if (field.wire == 0) out.push_back(static_cast<int64_t>(field.value));
    if (field.wire != 2) continue;
    Message packed(field.bytes);
    while (!packed.done()) out.push_back(static_cast<int64_t>(packed.number()));
  }
  return tensor_of(DType::kI64, out);
}

Leaf feature_of(std::string_view bytes) {
  Message message(bytes);
  Leaf out(Tensor::empty(DType::kF32, Shape{0}));  // a feature without a list
  for (Message::Field field; message.next(field);) {
    if (field.wire != 2) continue;
    if (field.number == 1) out = bytes_list(field.bytes);
    if (field.number == 2) out = float_list(field.bytes);
    if (field.number == 3) out = int64_list(field.bytes);
  }
  return out;
}

std::map<std::string, Leaf> features_of(std::string_view record) {
  std::map<std::string, Leaf> out;
  Message example(record);
  for (Message::Field features; example.next(features);) {
    if (features.number != 1 || features.wire != 2) continue;
    Message map(features.bytes);
    for (Message::Field entry; map.next(entry);) {
      if (entry.number != 1 || entry.wire != 2) continue;
      Message pair(entry.bytes);
      std::string name;
      std::string_view value;
      for (Message::Field part; pair.next(part);) {
        if (part.wire != 2) continue;
        if (part.number == 1) name = part.bytes;
        if (part.number == 2) value = part.bytes;
      }
      out.insert_or_assign(std::move(name), feature_of(value));
    }
  }
  return out;
}

Leaf shaped(const Leaf& leaf, const Feature& feature) {
  if (!feature.shape) return leaf;
  const Shape& shape = *feature.shape;
  const int64_t wanted = num_elements(shape).value(), given = leaf.shape()[0].value();
  if (wanted != given) {
    fail(Code::kIo, "parse_example", "shape", "the feature '", feature.name, "' has ", given,
         " values but ", shape, " needs ", wanted);
  }
  if (leaf.is_text()) return Leaf(Texts{shape, leaf.texts->texts});
  return leaf.tensor.view(shape, contiguous_strides(shape));
}

}  // namespace

Element parse_example(const Tensor& record, std::span<const Feature> features) {
  if (record.dtype() != DType::kU8 || record.rank() != 1) {
    fail(Code::kType, "parse_example", "record", "the record is ", record.type(),
         "; it is uint8[n], as tfrecord gives it");
  }
  const Tensor row = contiguous(record);
  const std::map<std::string, Leaf> found =
      features_of({static_cast<const char*>(row.data()), static_cast<size_t>(row.numel())});
  Form form{Form::Kind::kDict};
  Element out;
  const auto add = [&](const std::string& name, Leaf leaf) {
    form.keys.push_back(name);
    form.children.push_back(leaf_form());
    out.leaves.push_back(std::move(leaf));
  };
  if (features.empty()) {
    for (const auto& [name, leaf] : found) add(name, leaf);
  }
  for (const Feature& feature : features) {
    const auto at = found.find(feature.name);
    if (at != found.end()) {
      add(feature.name, shaped(at->second, feature));
    } else if (feature.otherwise) {
      add(feature.name, *feature.otherwise);
    } else {
      fail(Code::kIo, "parse_example", "missing", "the record has no feature '", feature.name,
           "'; give a value for records that lack it");
    }
  }
  out.form = new_shared<const Form>(std::move(form));
  return out;
}

}  // namespace weft::data
