// The wire format of protobuf, as far as GraphDef needs it
// (protobuf.dev/programming-guides/encoding).
#include <bit>
#include <cstring>

#include "weft/core/literal.h"
#include "weft/io/graph_def/graph_def.h"

namespace weft::io {
namespace {

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

class Message {
 public:
  void number(int field, uint64_t value) {
    tag(field, 0);
    varint(value);
  }
  void bytes(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    out_ += value;
  }
  void fixed32(int field, float value) {
    tag(field, 5);
    char raw[4];
    std::memcpy(raw, &value, sizeof raw);  // little-endian, as the machines we run on
    out_.append(raw, sizeof raw);
  }
  void message(int field, const Message& value) { bytes(field, value.out_); }
  // One number after the other in one field.
  void packed(int field, std::span<const int64_t> values) {
    Message list;
    for (const int64_t value : values) list.varint(static_cast<uint64_t>(value));
    message(field, list);
  }
  std::string take() { return std::move(out_); }

 private:
  void tag(int field, unsigned wire) { varint(static_cast<uint64_t>(field) << 3 | wire); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  std::string out_;
};

Message shape_message(const TensorShape& shape) {
  Message out;
  for (const int64_t size : shape.dim) {
    Message dim;
    dim.number(1, static_cast<uint64_t>(size));
    out.message(2, dim);
  }
  return out;
}

Message tensor_message(const Tensor& value) {
  Message out;
  out.number(1, static_cast<uint64_t>(data_type(value.dtype())));
  out.message(2, shape_message(tensor_shape(Shape(value.shape()))));
  const std::vector<std::byte> content = bytes_of(value);
  out.bytes(4, {reinterpret_cast<const char*>(content.data()), content.size()});
  return out;
}

Message texts_message(const Texts& texts) {
  Message out;
  out.number(1, static_cast<uint64_t>(DataType::kString));
  out.message(2, shape_message({{static_cast<int64_t>(texts.items.size())}}));
  for (const std::string& item : texts.items) out.bytes(8, item);
  return out;
}

Message string_message(const StringScalar& text) {
  Message out;
  out.number(1, static_cast<uint64_t>(DataType::kString));
  out.message(2, shape_message({}));
  out.bytes(8, text.value);
  return out;
}

Message name_message(const FunctionName& function) {
  Message out;
  out.bytes(1, function.name);
  return out;
}

Message attr_message(const AttrValue& value) {
  Message out, list;
  std::visit(
      [&]<class T>(const T& v) {
        if constexpr (std::is_same_v<T, bool>) out.number(5, v ? 1 : 0);
        if constexpr (std::is_same_v<T, int64_t>) out.number(3, static_cast<uint64_t>(v));
        if constexpr (std::is_same_v<T, float>) out.fixed32(4, v);
        if constexpr (std::is_same_v<T, std::string>) out.bytes(2, v);
        if constexpr (std::is_same_v<T, DataType>) out.number(6, static_cast<uint64_t>(v));
        if constexpr (std::is_same_v<T, TensorShape>) out.message(7, shape_message(v));
        if constexpr (std::is_same_v<T, Tensor>) out.message(8, tensor_message(v));
        if constexpr (std::is_same_v<T, StringScalar>) out.message(8, string_message(v));
        if constexpr (std::is_same_v<T, FunctionName>) out.message(10, name_message(v));
        if constexpr (std::is_same_v<T, std::vector<int64_t>>) list.packed(3, v);
        if constexpr (std::is_same_v<T, std::vector<DataType>>) {
          std::vector<int64_t> numbers;
          for (const DataType type : v) numbers.push_back(static_cast<int64_t>(type));
          list.packed(6, numbers);
        }
        if constexpr (std::is_same_v<T, std::vector<TensorShape>>) {
          for (const TensorShape& shape : v) list.message(7, shape_message(shape));
        }
        if constexpr (std::is_same_v<T, std::vector<FunctionName>>) {
          for (const FunctionName& function : v) list.message(9, name_message(function));
        }
        if constexpr (is_list<T>) out.message(1, list);
        if constexpr (std::is_same_v<T, Texts>) out.message(8, texts_message(v));
      },
      value);
  return out;
}

Message node_message(const NodeDef& node) {
  Message out;
  out.bytes(1, node.name);
  out.bytes(2, node.op);
  for (const std::string& input : node.input) out.bytes(3, input);
  if (!node.device.empty()) out.bytes(4, node.device);
  for (const auto& [key, value] : node.attr) {
    Message entry;
    entry.bytes(1, key);
    entry.message(2, attr_message(value));
    out.message(5, entry);
  }
  return out;
}

Message argument_message(const FunctionDef::Argument& argument) {
  Message out;
  out.bytes(1, argument.name);
  out.number(3, static_cast<uint64_t>(argument.type));
  return out;
}

Message function_message(const FunctionDef& function) {
  Message out, signature;
  signature.bytes(1, function.name);
  for (const FunctionDef::Argument& one : function.input) {
    signature.message(2, argument_message(one));
  }
  for (const FunctionDef::Argument& one : function.output) {
    signature.message(3, argument_message(one));
  }
  if (function.is_stateful) signature.number(17, 1);
  out.message(1, signature);
  for (const NodeDef& one : function.node) out.message(3, node_message(one));
  for (size_t k = 0; k < function.ret.size(); ++k) {
    Message entry;
    entry.bytes(1, function.output[k].name);
    entry.bytes(2, function.ret[k]);
    out.message(4, entry);
  }
  return out;
}

}  // namespace

std::string GraphDef::bytes() const {
  Message out, library, versions;
  for (const NodeDef& one : node) out.message(1, node_message(one));
  for (const FunctionDef& one : function) library.message(1, function_message(one));
  if (!function.empty()) out.message(2, library);
  versions.number(1, static_cast<uint64_t>(producer));
  out.message(4, versions);
  return out.take();
}

}  // namespace weft::io
