// Entries of the registry as dicts.
#include "bindings/registry_info.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/arguments.h"
#include "bindings/dialect.h"
#include "bindings/from_python.h"
#include "bindings/size_field.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

nb::str str(std::string_view text) { return nb::str(text.data(), text.size()); }

const char* type_name(FieldType type) {
  switch (type) {
    case FieldType::kBool: return "bool";
    case FieldType::kInt: return "int";
    case FieldType::kFloat: return "float";
    case FieldType::kString: return "str";
    case FieldType::kDType: return "DTypeLike";
    case FieldType::kInts: return "int | Sequence[int]";
    case FieldType::kShape: return "int | Sequence[int]";
    case FieldType::kIndex: return "Index";
    case FieldType::kTensor: return "Tensor";
    case FieldType::kVariable: return "Variable";
    case FieldType::kFunction: return "Function";
    case FieldType::kFunctions: return "Sequence[Function]";
    case FieldType::kOptionalInt: return "int | None";
    case FieldType::kOptionalFloat: return "float | None";
    case FieldType::kOptionalDType: return "DTypeLike | None";
    case FieldType::kOptionalInts: return "int | Sequence[int] | None";
  }
  return "object";
}

nb::list arguments(const std::vector<ArgSpec>& args) {
  nb::list out;
  for (const ArgSpec& arg : args) {
    nb::dict d;
    d["name"] = str(arg.name);
    d["class"] = str(arg.class_name);
    d["optional"] = arg.optional;
    d["variadic"] = arg.variadic;
    nb::list dtypes;
    for (int i = 0; i < kNumDTypes; ++i) {
      if (contains(arg.dtypes, static_cast<DType>(i))) {
        dtypes.append(nb::borrow(dtype_object(static_cast<DType>(i))));
      }
    }
    d["dtypes"] = dtypes;
    out.append(d);
  }
  return out;
}

nb::list fields(const AttrsType& type) {
  nb::list out;
  const AnyAttrs defaults(&type);
  for (const FieldInfo& field : type.fields) {
    nb::dict d;
    d["name"] = str(field.name);
    d["doc"] = str(field.doc);
    std::string kind = word_field(type, field) != nullptr
                           ? "int | Sequence[int] | Sequence[Sequence[int]] | str"
                       : is_one_size(field, defaults.data()) ? "int"
                                                             : type_name(field.type);
    const bool is_optional = takes_none(field, defaults.data());
    if (is_optional && !kind.ends_with("None")) kind += " | None";
    d["type"] = str(kind);
    d["required"] = field.required;
    nb::object value = nb::steal(field_to_python(field, defaults.data()));
    // A list of one number may be given as the number, and is easier to read so.
    if (field.type == FieldType::kInts && nb::len(value) == 1) value = nb::object(value[0]);
    if (is_one_size(field, defaults.data())) value = nb::object(value[0]);
    if (is_optional_size(field, defaults.data())) value = nb::none();
    d["default"] = value;
    out.append(d);
  }
  return out;
}

// The folder that the op's file is in; empty for ops of users.
std::string_view family_of(const OpEntry& entry) {
  for (const Family* family : builtin_families()) {
    for (const OpDef* op : family->ops) {
      if (op == entry.op) return family->name;
    }
    for (const CompositeDef* composite : family->composites) {
      if (composite == entry.composite) return family->name;
    }
  }
  return "";
}

// Why inputs have no gradient, by their names; "" stands for all of them.
nb::dict without_gradient(const OpEntry& entry) {
  nb::dict out;
  if (entry.op == nullptr) return out;
  const GradRule& grad = entry.op->grad;
  if (!grad.reason.empty()) out[str("")] = str(grad.reason);
  for (const StopInput& stop : grad.stops) {
    if (stop.input < 0) continue;
    out[str(entry.inputs[static_cast<size_t>(stop.input)].name)] = str(stop.reason);
  }
  return out;
}

}  // namespace

PyObject* describe(const OpEntry& entry) {
  nb::dict out;
  out["name"] = str(entry.name);
  out["module"] = str(entry.module);
  out["doc"] = str(entry.doc);
  out["inputs"] = arguments(entry.inputs);
  out["fields"] = fields(*entry.attrs);
  out["outputs"] = arguments(entry.outputs);
  out["composite"] = entry.op == nullptr;
  out["view"] = entry.op != nullptr && is_view(*entry.op);
  nb::list order;
  for (const Signature::Parameter& p : Signature(entry).parameters) order.append(str(p.text));
  out["parameters"] = order;
  nb::dict laws;
  for (const Law& law : entry.laws) laws[str(law.label)] = str(law.statement);
  out["laws"] = laws;
  out["family"] = str(family_of(entry));
  out["without_gradient"] = without_gradient(entry);
  nb::list known;
  nb::dict differs;  // what is otherwise there, by system and name
  for (const Alias& alias : entry.known_as) {
    known.append(nb::make_tuple(str(alias.system), str(name_in(alias))));
    if (const std::string_view note = difference_of(alias); !note.empty()) {
      differs[nb::make_tuple(str(alias.system), str(name_in(alias)))] = str(note);
    }
  }
  out["known_as"] = known;
  out["differs"] = differs;
  return out.release().ptr();
}

}  // namespace weft::python
