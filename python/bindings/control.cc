// Conditions and loops over Python functions of flat lists.
#include "weft/control/control.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/from_python.h"
#include "bindings/graph.h"
#include "bindings/line.h"
#include "bindings/lists.h"
#include "bindings/tensor_object.h"
#include "weft/trace/quiet.h"

namespace nb = nanobind;

namespace weft::python {

namespace {

// A loop without the GIL, which its functions take while they are traced: other threads go on.
template <class Loop>
auto without_gil(const Loop& loop) {
  const nb::gil_scoped_release release;
  return loop();
}

}  // namespace

void add_control(nb::module_& m) {
  m.def("_switch", [](nb::handle index, std::vector<nb::object> branches, nb::handle operands,
                      const std::string& who) {
    std::vector<Called> called;
    for (const nb::object& branch : branches) called.push_back({branch, who});
    std::vector<FlatFunction> functions(called.begin(), called.end());
    return listed(switch_flat(tensor_from(index.ptr(), {who, "index"}), functions,
                              tensors_from(operands, who), who, python_line()));
  });
  m.def("_cond", [](nb::handle pred, nb::handle then, nb::handle otherwise, nb::handle operands) {
    const Called yes{then, "cond"}, no{otherwise, "cond"};
    return listed(cond_flat(tensor_from(pred.ptr(), {"cond", "pred"}), yes, no,
                            tensors_from(operands, "cond"), python_line()));
  });
  m.def("_while", [](nb::handle cond, nb::handle body, nb::handle init, int64_t max_saved_bytes) {
    const Called test{cond, "while_loop"}, step{body, "while_loop"};
    const Tensors state = tensors_from(init, "while_loop");
    const Where where = python_line();
    return listed(
        without_gil([&] { return while_flat(test, step, state, {max_saved_bytes}, where); }));
  });
  m.def(
      "_scan",
      [](nb::handle body, nb::handle init, nb::handle xs, std::optional<int64_t> length,
         bool reverse) {
        const Called step{body, "scan"};
        const Tensors state = tensors_from(init, "scan");
        const Tensors rows = tensors_from(xs, "scan");
        const Where where = python_line();
        ScanResult out =
            without_gil([&] { return scan_flat(step, state, rows, {length, reverse}, where); });
        return nb::make_tuple(listed(std::move(out.carry)), listed(std::move(out.rows)));
      },
      nb::arg("body"), nb::arg("init"), nb::arg("xs"), nb::arg("length").none(),
      nb::arg("reverse"));
  m.def("_set_quiet", &set_quiet);
  m.def("_map", [](nb::handle f, nb::handle xs) {
    const Called one{f, "map"};
    const Tensors rows = tensors_from(xs, "map");
    const Where where = python_line();
    return listed(without_gil([&] { return map_flat(one, rows, where); }));
  });
  m.def("_fori", [](nb::handle lower, nb::handle upper, nb::handle body, nb::handle init) {
    const Called step{body, "fori_loop"};
    const Tensors state = tensors_from(init, "fori_loop");
    const Where where = python_line();
    if (PyLong_Check(lower.ptr()) && PyLong_Check(upper.ptr())) {
      const auto from = nb::cast<int64_t>(lower), to = nb::cast<int64_t>(upper);
      return listed(without_gil([&] { return fori_flat(from, to, step, state, where); }));
    }
    const Tensor from = tensor_from(lower.ptr(), {"fori_loop", "lower"});
    const Tensor to = tensor_from(upper.ptr(), {"fori_loop", "upper"});
    return listed(without_gil([&] { return fori_flat(from, to, step, state, where); }));
  });
}

}  // namespace weft::python
