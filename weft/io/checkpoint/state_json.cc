// States as JSON and back.
#include "weft/io/checkpoint/state_json.h"

#include <cmath>
#include <cstring>
#include <set>

#include "weft/base/error.h"

namespace weft::io {
namespace {

constexpr int kMostDepth = kMostJsonDepth - 8;  // what stands around it in the index

Json tagged(std::string tag, Json content) {
  return JsonObject{{"$" + std::move(tag), std::move(content)}};
}

// complex128 as pairs of float64, over the same memory where it is contiguous.
Tensor as_pairs(const Tensor& t) {
  Shape shape(t.shape().begin(), t.shape().end());
  shape.push_back(2);
  return Tensor::from_bytes(DType::kF64, shape, RowMajor(t).bytes());
}

Tensor from_pairs(const Tensor& t, std::string_view who) {
  if (t.dtype() != DType::kF64 || t.rank() == 0 || t.dim(-1).value() != 2) {
    fail(Code::kIo, who, "state", "a complex tensor is kept as ", t.type(),
         ", but pairs of float64 were written");
  }
  const Shape shape(t.shape().begin(), t.shape().end() - 1);
  return Tensor::from_bytes(DType::kC128, shape, RowMajor(t).bytes());
}

class ToJson {
 public:
  ToJson(NamedTensors& tensors, std::string_view who) : tensors_(tensors), who_(who) {
    for (const NamedTensor& one : tensors) taken_.insert(one.name);
  }

  Json convert(const SavedState& state, const std::string& name, int depth) {
    if (depth > kMostDepth) {
      fail(Code::kInvalid, who_, "state", "the state '", name, "' is nested more than ", kMostDepth,
           " deep; keep it flatter");
    }
    return std::visit([&](const auto& value) { return one(value, name, depth); }, state.value());
  }

 private:
  static std::string below(const std::string& name, std::string_view part) {
    return name.empty() ? std::string(part) : text(name, ".", part);
  }

  Json one(std::monostate, const std::string&, int) { return {}; }
  Json one(bool value, const std::string&, int) { return value; }
  Json one(int64_t value, const std::string&, int) { return value; }
  Json one(uint64_t value, const std::string&, int) { return value; }
  Json one(double value, const std::string&, int) {
    if (std::isfinite(value)) return value;
    return tagged("float", text(value));  // nan, inf, -inf
  }
  Json one(const std::string& value, const std::string& name, int) {
    if (!is_utf8(value)) {
      fail(Code::kInvalid, who_, "state", "'", name, "' is a text that is not UTF-8");
    }
    return value;
  }
  Json one(const Tensor& value, const std::string& name, int) {
    std::string free = name.empty() ? "value" : name;
    for (int n = 2; !taken_.insert(free).second; ++n) free = text(name, "#", n);
    const bool is_complex128 = value.defined() && value.dtype() == DType::kC128;
    tensors_.push_back({free, is_complex128 ? as_pairs(value) : value});
    return tagged(is_complex128 ? "complex128" : "tensor", free);
  }
  Json one(const SavedState::List& items, const std::string& name, int depth) {
    JsonArray out;
    for (size_t i = 0; i < items.size(); ++i) {
      out.push_back(convert(items[i], below(name, text(i)), depth + 1));
    }
    return out;
  }
  Json one(const SavedState::Dict& members, const std::string& name, int depth) {
    JsonObject out;
    bool is_plain = true;
    std::set<std::string_view> seen;
    for (const auto& [key, value] : members) {
      if (!seen.insert(key).second || !is_utf8(key)) {
        fail(Code::kInvalid, who_, "state", "'", name,
             "' has a name that comes twice or is not UTF-8");
      }
      is_plain = is_plain && !key.starts_with('$');
    }
    for (const auto& [key, value] : members) {
      out.emplace_back(key, convert(value, below(name, key), depth + (is_plain ? 1 : 2)));
    }
    return is_plain ? Json(std::move(out)) : tagged("plain", std::move(out));
  }
  Json one(const SavedState::Tagged& value, const std::string& name, int depth) {
    return tagged(value.tag, convert(value.content.at(0), name, depth + 1));
  }

  NamedTensors& tensors_;
  const std::string_view who_;
  std::set<std::string> taken_;
};

class FromJson {
 public:
  FromJson(TensorsByName& tensors, std::string_view who) : tensors_(tensors), who_(who) {}

  SavedState convert(const Json& json) {
    return std::visit([&](const auto& value) { return one(value); }, json.value());
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    fail(Code::kIo, who_, "state", "the state has ", what, ", which nothing gives");
  }

  SavedState one(std::monostate) { return {}; }
  SavedState one(bool value) { return value; }
  SavedState one(int64_t value) { return value; }
  SavedState one(uint64_t value) { return value; }
  SavedState one(double value) { return value; }
  SavedState one(const std::string& value) { return value; }
  SavedState one(const JsonArray& items) {
    SavedState::List out;
    out.reserve(items.size());
    for (const Json& item : items) out.push_back(convert(item));
    return SavedState(std::move(out));
  }
  SavedState one(const JsonObject& members) {
    if (members.size() == 1 && members[0].first.starts_with('$')) {
      return special(members[0].first.substr(1), members[0].second);
    }
    SavedState::Dict out;
    out.reserve(members.size());
    for (const auto& [key, value] : members) out.emplace_back(key, convert(value));
    return SavedState::dict(std::move(out));
  }
  SavedState special(const std::string& tag, const Json& content) {
    const auto* const word = content.get_if<std::string>();
    if (tag == "tensor" || tag == "complex128") {
      if (word == nullptr) wrong("a tensor without a name");
      const Tensor value = tensors_.load(*word);
      return tag == "tensor" ? value : from_pairs(value, who_);
    }
    if (tag == "float") {
      if (word == nullptr || (*word != "nan" && *word != "inf" && *word != "-inf")) {
        wrong("a number that is none");
      }
      return *word == "nan" ? std::nan("") : *word == "inf" ? INFINITY : -INFINITY;
    }
    if (tag == "plain") {
      const auto* const members = content.get_if<JsonObject>();
      if (members == nullptr) wrong("a dict that is none");
      SavedState::Dict out;
      for (const auto& [key, value] : *members) out.emplace_back(key, convert(value));
      return SavedState::dict(std::move(out));
    }
    return SavedState(SavedState::Tagged{tag, {convert(content)}});
  }

  TensorsByName& tensors_;
  const std::string_view who_;
};

}  // namespace

Json state_to_json(const SavedState& state, NamedTensors& tensors, std::string_view who) {
  return ToJson(tensors, who).convert(state, "", 0);
}

SavedState state_from_json(const Json& json, TensorsByName& tensors, std::string_view who) {
  return FromJson(tensors, who).convert(json);
}

}  // namespace weft::io
