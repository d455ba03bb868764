// The extension weft._core: types, op functions, and the few functions that are no ops.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <algorithm>

#include "bindings/data.h"
#include "bindings/dialect.h"
#include "bindings/dim_object.h"
#include "bindings/dtype_object.h"
#include "bindings/errors.h"
#include "bindings/from_python.h"
#include "bindings/graph.h"
#include "bindings/indexing.h"
#include "bindings/misfit.h"
#include "bindings/number.h"
#include "bindings/observe.h"
#include "bindings/op_function.h"
#include "bindings/optim.h"
#include "bindings/pictures.h"
#include "bindings/registry_info.h"
#include "bindings/rules.h"
#include "bindings/saving.h"
#include "bindings/seal_types.h"
#include "bindings/size_number.h"
#include "bindings/size_object.h"
#include "bindings/tensor_object.h"
#include "bindings/transforms.h"
#include "bindings/tree_level.h"
#include "bindings/user_op.h"
#include "bindings/value.h"
#include "bindings/variable_object.h"
#include "weft/base/cpu.h"
#include "weft/base/spelling.h"
#include "weft/base/thread_pool.h"
#include "weft/core/allocator.h"
#include "weft/kernels/bind.h"
#include "weft/op/followed.h"
#include "weft/op/registry.h"
#include "weft/ops/random/key.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

nb::object stolen(Tensor tensor) { return nb::steal(wrap(std::move(tensor))); }

std::optional<DType> optional_dtype(nb::handle dtype, std::string_view who) {
  if (dtype.is_none()) return {};
  return dtype_from(dtype.ptr(), {who, "dtype"});
}

DType operand_dtype(PyObject* object, std::string_view who) {
  if (is_tensor(object)) return tensor_of(object).dtype();
  return dtype_from(object, {who, "arguments"});
}

// Any 64 bits: negative numbers stand for the same bits.
uint64_t seed_from(PyObject* object, Asker asker) {
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    const uint64_t value = PyLong_AsUnsignedLongLong(object);
    if (!(value == static_cast<uint64_t>(-1) && PyErr_Occurred())) return value;
    PyErr_Clear();
  }
  return static_cast<uint64_t>(int_from(object, asker));
}

void add_making(nb::module_& m) {
  m.def(
      "_tensor",
      [](nb::handle data, nb::handle dtype, const std::string& who,
         const std::string& name) -> nb::object {
        const std::optional<DType> wanted = optional_dtype(dtype, who);
        if (is_tensor(data.ptr()) &&
            wanted.value_or(tensor_of(data.ptr()).dtype()) == tensor_of(data.ptr()).dtype()) {
          return nb::borrow(data);
        }
        return stolen(new_tensor(data.ptr(), wanted, {who, name}));
      },
      nb::arg("data").none(), nb::arg("dtype").none(), nb::arg("who"), nb::arg("name") = "data");
  // A tensor under a transformation is its own copy: nobody can write to it.
  m.def("_copied", [](nb::handle x) {
    const Tensor& t = tensor_in(x.ptr(), {"asarray", "x"});
    return stolen(t.is_concrete() ? copied(t) : t);
  });
  // The value to show, which may be of a tensor that is differentiated.
  m.def("_shown", [](nb::handle x) {
    return stolen(value_of(tensor_in(x.ptr(), {"format", "x"}), "format(x)"));
  });
  m.def("_value", [](nb::handle x, const std::string& what) {
    return stolen(constant_of(stored_value(x.ptr(), {what, "x"}), what));
  });
  // What was given as an argument, as a value in memory.
  m.def(
      "_argument_value",
      [](nb::handle x, const std::string& who, const std::string& name) -> nb::object {
        const bool is_value = Py_TYPE(x.ptr()) == tensor_type && tensor_of(x.ptr()).is_concrete();
        return is_value ? nb::borrow(x) : stolen(argument_value(x.ptr(), {who, name}));
      },
      nb::arg("x").none(), nb::arg("who"), nb::arg("name"));
  m.attr("_MAX_TREE_DEPTH") = kMaxTreeDepth;
  m.def(
      "_from_dlpack",
      [](nb::handle x, bool copy) {
        return stolen(tensor_from_dlpack(x.ptr(), copy, {"from_dlpack", "x"}));
      },
      nb::arg("x").none(), nb::arg("copy"));
  m.def("_from_bytes", [](nb::bytes bytes, const std::string& dtype, nb::handle shape) {
    Shape extents;
    for (int64_t extent : ints_from(shape.ptr(), {"tensor", "shape"})) extents.push_back(extent);
    return stolen(
        Tensor::from_bytes(dtype_from(nb::str(dtype.c_str()).ptr(), {"tensor", "dtype"}), extents,
                           {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}));
  });
  m.def("_to_bytes", [](nb::handle x) {
    require_plain(tensor_in(x.ptr(), {"pickle", "x"}), "pickling");
    const Tensor value = value_of(tensor_of(x.ptr()), "pickling");
    const Tensor t = value.is_contiguous() ? value : copied(value);
    return nb::bytes(t.data(), static_cast<size_t>(t.numel() * size_of(t.dtype())));
  });
  m.def("_bits", [](nb::handle x) {  // half floats as integers, for NumPy's view
    const Tensor value = constant_of(stored_value(x.ptr(), {"numpy", "x"}), "x.numpy()");
    return stolen(value.reinterpret(DType::kU16));
  });
  m.def("_is_foreign", [](nb::handle x) {
    const Tensor& t = tensor_in(x.ptr(), {"asarray", "x"});
    return t.is_concrete() && t.is_foreign();
  });
  m.def("_shares_memory", [](nb::handle a, nb::handle b) {
    const Asker asker{"shares_memory", "x"};
    return tensor_in(a.ptr(), asker).shares_memory_with(tensor_in(b.ptr(), asker));
  });
}

void add_indexing(nb::module_& m) {
  m.def(
      "_index_update",
      [](nb::handle x, nb::handle key, nb::handle value, int update) {
        return nb::steal(tensor_updated(x.ptr(), key.ptr(), value.ptr(),
                                        static_cast<Update>(std::clamp(update, 0, 6))));
      },
      nb::arg("x"), nb::arg("key").none(), nb::arg("value").none(), nb::arg("update"));
}

void add_registry(nb::module_& m) {
  m.def("registry", [] {
    nb::list out;
    for (const OpEntry* entry : registered_ops()) out.append(nb::steal(describe(*entry)));
    return out;
  });
  m.def("describe", [](const std::string& name) -> nb::object {
    const OpEntry* const entry = find_op(name);
    return entry == nullptr ? nb::none() : nb::steal(describe(*entry));
  });
  m.def("op_names", [] {
    nb::list out;
    for (const OpEntry* entry : registered_ops()) {
      const bool takes_tensor = !entry->inputs.empty() && !entry->inputs[0].variadic;
      out.append(nb::make_tuple(nb::str(entry->module.data(), entry->module.size()),
                                nb::str(entry->name.data(), entry->name.size()), takes_tensor));
    }
    return out;
  });
  m.def("op", [](const std::string& name) {
    const OpEntry* const entry = find_op(name);
    if (entry == nullptr) fail(Code::kInvalid, "op", "name", "there is no op named '", name, "'");
    return nb::steal(make_op_function(*entry));
  });
  m.def(
      "name_hint",
      [](const std::string& name, const std::string& module, bool of_tensor) {
        return name_hint(name, module, of_tensor);
      },
      nb::arg("name"), nb::arg("module") = "", nb::arg("of_tensor") = false);
  m.def("keyword_hint", [](const std::string& name, const std::vector<std::string>& known) {
    for (const std::string& ours : known) {
      if (is_word_for(name, ours)) return text("weft calls this ", ours);
    }
    return std::string(keyword_hint(name));
  });
  m.def("ambiguous_name_hint", [](const std::string& name, const std::string& module) {
    return ambiguous_name_hint(name, module);
  });
  m.def("did_you_mean", [](const std::string& name, const std::vector<std::string>& known) {
    return did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()));
  });
}

void add_dtype_functions(nb::module_& m) {
  m.def(
      "dtype",
      [](nb::handle object, const std::string& who, const std::string& name) {
        return nb::borrow(dtype_object(dtype_from(object.ptr(), {who, name})));
      },
      nb::arg("object").none(), nb::arg("who") = "dtype", nb::arg("name") = "object");
  m.def(
      "_promote",
      [](nb::handle a, nb::handle b, const std::string& who) {
        const DType left = operand_dtype(a.ptr(), who), right = operand_dtype(b.ptr(), who);
        const std::optional<DType> out = promote(left, right);
        if (!out) {
          fail(Code::kType, who, "promotion",
               who == "promote_types" ? "type1 and type2 are " : "arrays_and_dtypes hold ", left,
               " and ", right, ", which have no common dtype that holds both; cast one of them");
        }
        return nb::borrow(dtype_object(*out));
      },
      nb::arg("a").none(), nb::arg("b").none(), nb::arg("who"));
  m.def("_promote_scalar", [](nb::handle dtype, nb::handle number) {
    PyObject* const n = number.ptr();
    const Kind kind = PyBool_Check(n)      ? Kind::kBool
                      : PyLong_Check(n)    ? Kind::kInteger
                      : PyComplex_Check(n) ? Kind::kComplex
                                           : Kind::kFloating;
    return nb::borrow(
        dtype_object(promote_scalar(dtype_from(dtype.ptr(), {"result_type", "dtype"}), kind)));
  });
}

void add_machine(nb::module_& m) {
  m.def("num_threads", [] { return num_threads(); });
  m.def(
      "set_num_threads",
      [](nb::handle count) {
        const int64_t n = int_from(count.ptr(), {"set_num_threads", "count"});
        set_num_threads(static_cast<int>(std::clamp<int64_t>(n, -1, INT32_MAX)));
      },
      nb::arg("count").none());
  m.def("_memory_stats", [] {
    const MemoryStats stats = memory_stats();
    return nb::make_tuple(stats.live, stats.peak, stats.cached);
  });
  m.def("_reset_peak_memory", [] { reset_peak_memory(); });
  m.def("_trim_memory", [] { return trim_memory(); });
  m.def("_memory_limit", [] { return memory_limit(); });
  m.def(
      "_set_memory_limit",
      [](nb::handle bytes) {
        set_memory_limit(int_from(bytes.ptr(), {"memory.set_limit", "bytes"}));
      },
      nb::arg("bytes").none());
  m.def("config", [] {
    nb::dict out;
    const std::string_view isa = name_of(current_isa()), best = name_of(best_isa());
    out["kernels"] = nb::str(isa.data(), isa.size());
    out["best kernels of this CPU"] = nb::str(best.data(), best.size());
    out["threads"] = num_threads();
    out["memory limit"] = memory_limit();
    out["ops"] = registered_ops().size();
    return out;
  });
}

void add_random(nb::module_& m) {
  m.def(
      "_key_words",
      [](nb::handle seed) {
        const Asker asker{"Key", "seed"};
        return stolen(random::Key(seed_from(seed.ptr(), asker)).words());
      },
      nb::arg("seed").none());
  m.def("_next_key", [] { return stolen(random::next_key().words()); });
  m.def(
      "_seed", [](nb::handle value) { seed(seed_from(value.ptr(), {"seed", "value"})); },
      nb::arg("value").none());
  m.def("_generator_state", [] {
    const random::GeneratorState state = random::generator_state();
    return nb::make_tuple(state.seed, state.draws);
  });
  m.def("_follow_origins", &follow_origins);
  m.def("_unfollowed", [](nb::handle function) {
    const Unfollowed pause;
    return function();
  });
  // What calls of a model would have as it is now: a tensor that was drawn, or follows a Variable.
  m.def("_origin", [](nb::handle tensor) {
    const Tensor t = tensor_from(tensor.ptr(), {"Input", "x"});
    const ValueOrigin origin = origin_of(t);
    if (origin == ValueOrigin::kDraw) return "draw";
    return origin == ValueOrigin::kVariable || !t.is_concrete() ? "variable" : "";
  });
  m.def("_set_generator_state",
        [](uint64_t seed, uint64_t draws) { random::restart_generator({seed, draws}); });
}

// Functions of nanobind raise what the slots raise.
void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const PendingError&) {
    raise_current();
  } catch (const Error& error) {
    raise_error(error);
  }
}

}  // namespace
}  // namespace weft::python

NB_MODULE(_core, m) {
  using namespace weft::python;
  nb::set_leak_warnings(false);
  weft::kernels::bind_native();
  nb::register_exception_translator(translate);
  add_error_classes(m.ptr());
  add_dtypes(m.ptr());
  add_size_type(m.ptr());
  add_tensor_type(m.ptr());
  add_variable_type(m.ptr());
  add_op_function_type(m.ptr());
  find_operators();
  install_interrupt_poll();
  install_value_hints();
  add_making(m);
  add_indexing(m);
  add_registry(m);
  add_dtype_functions(m);
  add_machine(m);
  add_random(m);
  add_rules(m);
  add_transforms(m);
  add_dim_type(m);
  add_size_float_type(m);
  add_graphs(m);
  add_control(m);
  add_numbers(m);
  add_optim(m);
  add_data(m);
  add_observe(m);
  add_pictures(m);
  add_saving(m);
  add_savers(m);
  m.def("_define_op", define_op);
  explain_misfits(m);
  seal_function_types(m);
}
