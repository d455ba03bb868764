// GraphDef in the text form of protobuf, and the names of its dtypes.
#include "weft/io/graph_def/text.h"

#include "weft/base/text_cursor.h"
#include "weft/core/literal.h"

namespace weft::io {
namespace {

struct Pair {
  DType ours;
  DataType theirs;
  std::string_view name;
  std::string_view field;  // of a TensorProto, for single numbers
};
constexpr Pair kPairs[] = {
    {DType::kBool, DataType::kBool, "DT_BOOL", "bool_val"},
    {DType::kU8, DataType::kUint8, "DT_UINT8", "int_val"},
    {DType::kI8, DataType::kInt8, "DT_INT8", "int_val"},
    {DType::kU16, DataType::kUint16, "DT_UINT16", "int_val"},
    {DType::kI16, DataType::kInt16, "DT_INT16", "int_val"},
    {DType::kU32, DataType::kUint32, "DT_UINT32", "uint32_val"},
    {DType::kI32, DataType::kInt32, "DT_INT32", "int_val"},
    {DType::kU64, DataType::kUint64, "DT_UINT64", "uint64_val"},
    {DType::kI64, DataType::kInt64, "DT_INT64", "int64_val"},
    {DType::kF16, DataType::kHalf, "DT_HALF", ""},
    {DType::kBF16, DataType::kBFloat16, "DT_BFLOAT16", ""},
    {DType::kF32, DataType::kFloat, "DT_FLOAT", "float_val"},
    {DType::kF64, DataType::kDouble, "DT_DOUBLE", "double_val"},
    {DType::kC64, DataType::kComplex64, "DT_COMPLEX64", ""},
    {DType::kC128, DataType::kComplex128, "DT_COMPLEX128", ""},
};

// Bytes as protobuf quotes them: octal for what is no letter.
std::string quoted_bytes(std::span<const std::byte> bytes) {
  std::string out = "\"";
  for (const std::byte b : bytes) {
    const auto c = static_cast<unsigned char>(b);
    if (c == '"' || c == '\\') {
      out += text('\\', static_cast<char>(c));
    } else if (c >= 0x20 && c < 0x7f) {
      out += static_cast<char>(c);
    } else {
      out += text('\\', static_cast<char>('0' + c / 64), static_cast<char>('0' + c / 8 % 8),
                  static_cast<char>('0' + c % 8));
    }
  }
  return out + '"';
}
std::string quoted(std::string_view value) { return quoted_bytes(std::as_bytes(std::span(value))); }

// Lines with braces, each two blanks further in.
class Lines {
 public:
  void line(std::string_view name, std::string_view value) {
    out_ += text(std::string(depth_ * 2, ' '), name, ": ", value, '\n');
  }
  template <class Inside>
  void block(std::string_view name, Inside inside) {
    out_ += text(std::string(depth_ * 2, ' '), name, " {\n");
    ++depth_;
    inside();
    --depth_;
    out_ += text(std::string(depth_ * 2, ' '), "}\n");
  }
  std::string take() { return std::move(out_); }

 private:
  size_t depth_ = 0;
  std::string out_;
};

void write_shape(Lines& out, std::string_view name, const TensorShape& shape) {
  out.block(name, [&] {
    for (const int64_t size : shape.dim) out.block("dim", [&] { out.line("size", text(size)); });
  });
}

void write_tensor(Lines& out, const Tensor& value) {
  out.block("tensor", [&] {
    const DataType type = data_type(value.dtype());
    out.line("dtype", name_of(type));
    write_shape(out, "tensor_shape", tensor_shape(Shape(value.shape())));
    const Pair& pair = kPairs[static_cast<size_t>(value.dtype())];
    if (value.numel() != 1 || pair.field.empty()) {
      out.line("tensor_content", quoted_bytes(bytes_of(value)));
    } else if (value.dtype() == DType::kBool) {
      out.line(pair.field, text(value.item_int() != 0));
    } else {
      std::string number;
      append_literal(number, value);  // "f32[] [0.1]"
      const size_t begin = number.rfind('[') + 1;
      out.line(pair.field, std::string_view(number).substr(begin, number.size() - begin - 1));
    }
  });
}

void write_string(Lines& out, const StringScalar& text) {
  out.block("tensor", [&] {
    out.line("dtype", name_of(DataType::kString));
    write_shape(out, "tensor_shape", {});
    out.line("string_val", quoted(text.value));
  });
}

void write_name(Lines& out, const FunctionName& function) {
  out.block("func", [&] { out.line("name", quoted(function.name)); });
}

void write_value(Lines& out, const AttrValue& value) {
  std::visit(
      [&]<class T>(const T& v) {
        if constexpr (std::is_same_v<T, bool>) out.line("b", text(v));
        if constexpr (std::is_same_v<T, int64_t>) out.line("i", text(v));
        if constexpr (std::is_same_v<T, float>) out.line("f", text(static_cast<double>(v)));
        if constexpr (std::is_same_v<T, std::string>) out.line("s", quoted(v));
        if constexpr (std::is_same_v<T, DataType>) out.line("type", name_of(v));
        if constexpr (std::is_same_v<T, TensorShape>) write_shape(out, "shape", v);
        if constexpr (std::is_same_v<T, Tensor>) write_tensor(out, v);
        if constexpr (std::is_same_v<T, StringScalar>) write_string(out, v);
        if constexpr (std::is_same_v<T, FunctionName>) write_name(out, v);
        if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          out.block("list", [&] {
            for (const int64_t i : v) out.line("i", text(i));
          });
        }
        if constexpr (std::is_same_v<T, std::vector<DataType>>) {
          out.block("list", [&] {
            for (const DataType type : v) out.line("type", name_of(type));
          });
        }
        if constexpr (std::is_same_v<T, std::vector<TensorShape>>) {
          out.block("list", [&] {
            for (const TensorShape& shape : v) write_shape(out, "shape", shape);
          });
        }
        if constexpr (std::is_same_v<T, std::vector<FunctionName>>) {
          out.block("list", [&] {
            for (const FunctionName& function : v) write_name(out, function);
          });
        }
        if constexpr (std::is_same_v<T, Texts>) {
          out.block("tensor", [&] {
            out.line("dtype", name_of(DataType::kString));
            write_shape(out, "tensor_shape", {{static_cast<int64_t>(v.items.size())}});
            for (const std::string& item : v.items) out.line("string_val", quoted(item));
          });
        }
      },
      value);
}

void write_fields(Lines& out, const NodeDef& node) {
  out.line("name", quoted(node.name));
  out.line("op", quoted(node.op));
  for (const std::string& input : node.input) out.line("input", quoted(input));
  if (!node.device.empty()) out.line("device", quoted(node.device));
  for (const auto& [key, value] : node.attr) {
    out.block("attr", [&] {
      out.line("key", quoted(key));
      out.block("value", [&] { write_value(out, value); });
    });
  }
}

void write_node(Lines& out, std::string_view name, const NodeDef& node) {
  out.block(name, [&] { write_fields(out, node); });
}

void write_function(Lines& out, const FunctionDef& function) {
  const auto argument = [&](std::string_view name, const FunctionDef::Argument& one) {
    out.block(name, [&] {
      out.line("name", quoted(one.name));
      out.line("type", name_of(one.type));
    });
  };
  out.block("function", [&] {
    out.block("signature", [&] {
      out.line("name", quoted(function.name));
      for (const FunctionDef::Argument& one : function.input) argument("input_arg", one);
      for (const FunctionDef::Argument& one : function.output) argument("output_arg", one);
      if (function.is_stateful) out.line("is_stateful", "true");
    });
    for (const NodeDef& one : function.node) write_node(out, "node_def", one);
    for (size_t k = 0; k < function.ret.size(); ++k) {
      out.block("ret", [&] {
        out.line("key", quoted(function.output[k].name));
        out.line("value", quoted(function.ret[k]));
      });
    }
  });
}

}  // namespace

DataType data_type(DType dtype) { return kPairs[static_cast<size_t>(dtype)].theirs; }

std::string_view name_of(DataType type) {
  for (const Pair& pair : kPairs) {
    if (pair.theirs == type) return pair.name;
  }
  return type == DataType::kVariant  ? "DT_VARIANT"
         : type == DataType::kString ? "DT_STRING"
                                     : "DT_RESOURCE";
}

TensorShape tensor_shape(const Shape& shape) {
  TensorShape out;
  for (const Dim dim : shape) out.dim.push_back(dim.is_known() ? dim.value() : -1);
  return out;
}

std::string text_of(const NodeDef& node) {
  Lines out;
  write_fields(out, node);
  return out.take();
}

std::string text_of(const AttrValue& value) {
  Lines out;
  write_value(out, value);
  return out.take();
}

std::string GraphDef::text() const {
  Lines out;
  for (const NodeDef& one : node) write_node(out, "node", one);
  if (!function.empty()) {
    out.block("library", [&] {
      for (const FunctionDef& one : function) write_function(out, one);
    });
  }
  out.block("versions", [&] { out.line("producer", weft::text(producer)); });
  return out.take();
}

}  // namespace weft::io
