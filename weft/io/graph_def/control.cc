// Calls, conditions and loops: functions of the library, and the ops that name them.
#include "weft/control/ops.h"

#include "weft/control/custom_call.h"
#include "weft/control/scan.h"
#include "weft/io/graph_def/writer.h"

namespace weft::io {
namespace {

std::vector<DataType> input_types(const Writer& w, size_t first = 0) {
  std::vector<DataType> out;
  for (size_t i = first; i < w.input_count(); ++i) out.push_back(data_type(w.input_type(i).dtype));
  return out;
}
std::vector<DataType> output_types(const Writer& w) {
  std::vector<DataType> out;
  for (size_t k = 0; k < w.output_count(); ++k) out.push_back(data_type(w.output_type(k).dtype));
  return out;
}
std::vector<TensorShape> output_shapes(const Writer& w) {
  std::vector<TensorShape> out;
  for (size_t k = 0; k < w.output_count(); ++k) {
    out.push_back(tensor_shape(w.output_type(k).shape));
  }
  return out;
}

template <class Attrs>
const Attrs& attributes(const Writer& w) {
  return *static_cast<const Attrs*>(w.node().attributes());
}

void call(Writer& w, std::string_view) {
  const FunctionName f = w.function(w.attribute<FunctionAttr>("function"));
  w.give(w.is_stateful(f) ? "StatefulPartitionedCall" : "PartitionedCall", w.inputs(),
         {{"f", f}, {"Tin", input_types(w)}, {"Tout", output_types(w)}});
}

std::string converted(Writer& w, const std::string& x, DType from, DType to) {
  if (from == to) return x;
  return w.add("Cast", "Cast", {x}, {{"SrcT", data_type(from)}, {"DstT", data_type(to)}});
}

// A choice of one of several functions: its op, the number or the flag, and the functions.
struct Choice {
  std::string op, chooser;
  Attributes attr;

  // `index` is of that dtype. Of two branches the second is that of all numbers but 0; of others
  // the last is that of all numbers that are too great or negative, as in a Case.
  Choice(Writer& w, const FunctionsAttr& branches, const std::string& index, DType dtype) {
    std::vector<FunctionName> names;
    bool is_stateful = false;
    for (const FunctionAttr& branch : branches) {
      names.push_back(w.function(branch));
      is_stateful = is_stateful || w.is_stateful(names.back());
    }
    const std::string prefix = is_stateful ? "" : "Stateless";
    if (branches.size() == 2) {
      op = prefix + "If";
      chooser = converted(w, index, dtype, DType::kBool);
      attr = {{"Tcond", DataType::kBool}, {"then_branch", names[1]}, {"else_branch", names[0]}};
      return;
    }
    op = prefix + "Case";
    const auto count = static_cast<double>(branches.size());
    const Attributes type{{"T", DataType::kInt64}};
    chooser = converted(w, index, dtype, DType::kI64);
    chooser = w.add("Minimum", "Minimum", {chooser, w.number("count", DType::kI64, count)}, type);
    chooser = w.add("Maximum", "Maximum", {chooser, w.number("none", DType::kI64, -1)}, type);
    chooser = converted(w, chooser, DType::kI64, DType::kI32);
    attr = {{"branches", names}};
  }
};

void choice(Writer& w, std::string_view) {
  Choice chosen(w, w.attribute<FunctionsAttr>("branches"), w.input(0), w.input_type(0).dtype);
  Names in = w.inputs();
  in[0] = chosen.chooser;
  chosen.attr["Tin"] = input_types(w, 1);
  chosen.attr["Tout"] = output_types(w);
  chosen.attr["output_shapes"] = output_shapes(w);
  w.give(chosen.op, in, chosen.attr);
}

// What a loop goes on with: values, and lists of rows.
struct Variables {
  Names initial;
  std::vector<DataType> types;
  std::vector<TensorShape> shapes;

  void add(std::string name, DataType type, TensorShape shape = {}) {
    initial.push_back(std::move(name));
    types.push_back(type);
    shapes.push_back(std::move(shape));
  }
  void add_inputs(const Writer& w, size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      add(w.input(i), data_type(w.input_type(i).dtype), tensor_shape(w.input_type(i).shape));
    }
  }
};

// The loop as a node, whose outputs are what the variables are in the end.
std::string add_loop(Writer& w, const Variables& variables, const FunctionName& cond,
                     const FunctionName& body) {
  const bool is_stateful = w.is_stateful(cond) || w.is_stateful(body);
  return w.add("loop", is_stateful ? "While" : "StatelessWhile", variables.initial,
               {{"T", variables.types},
                {"cond", cond},
                {"body", body},
                {"output_shapes", variables.shapes},
                {"parallel_iterations", int64_t{10}}});
}

std::string output_of(const std::string& node, size_t k) {
  return k == 0 ? node : text(node, ':', k);
}

Names part(const Names& names, size_t first, size_t count) {
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(first);
  return Names(begin, begin + static_cast<std::ptrdiff_t>(count));
}
void append(Names& names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
}

// The type of one row of a stack that the node gives.
Type row_type(const Writer& w, size_t output) { return row_of(w.output_type(output)); }

std::string stacked_list(Writer& w, const std::string& list, const std::string& shape,
                         DType dtype) {
  return w.add("rows", "TensorListStack", {list, shape},
               {{"element_dtype", data_type(dtype)}, {"num_elements", int64_t{-1}}});
}

// A loop over rows: the step is given what is carried, a row of each input that is gone through and
// what is only read, and gives what is carried on and a row of each result.
struct RowLoop {
  size_t carries = 0, rows = 0;
  std::string length;  // an int32
  bool is_reverse = false, saves = false;
  FunctionRef<Names(const Names&)> step;
};

// Variables: the number of the step, the number of steps, what is carried, a list for each stack,
// and the other inputs.
class RowLoopWriter {
 public:
  RowLoopWriter(Writer& w, const RowLoop& loop)
      : w_(w), loop_(loop), stacks_(w.output_count() - loop.carries) {}

  void write() {
    variables_.add(w_.int_scalar("first", 0), DataType::kInt32);
    variables_.add(loop_.length, DataType::kInt32);
    variables_.add_inputs(w_, 0, loop_.carries);
    Names shapes;
    for (size_t k = 0; k < stacks_; ++k) {
      const Type row = row_type(w_, loop_.carries + k);
      shapes.push_back(w_.shape("row_shape", row.shape));
      variables_.add(
          w_.add("list", "TensorListReserve", {shapes[k], loop_.length},
                 {{"element_dtype", data_type(row.dtype)}, {"shape_type", DataType::kInt32}}),
          DataType::kVariant);
    }
    variables_.add_inputs(w_, loop_.carries, w_.input_count());
    const std::string node = add_loop(w_, variables_, cond(), body());
    Names out;
    for (size_t k = 0; k < loop_.carries; ++k) out.push_back(output_of(node, 2 + k));
    for (size_t k = 0; k < stacks_; ++k) {
      out.push_back(stacked_list(w_, output_of(node, 2 + loop_.carries + k), shapes[k],
                                 w_.output_type(loop_.carries + k).dtype));
    }
    w_.give_values(out);
  }

 private:
  FunctionName cond() {
    return w_.function("goes_on", {variables_.types, {DataType::kBool}}, [&](const Names& in) {
      return Names{w_.add("Less", "Less", {in[0], in[1]}, {{"T", DataType::kInt32}})};
    });
  }
  FunctionName body() {
    return w_.function("step", {variables_.types, variables_.types},
                       [&](const Names& in) { return stepped(in); });
  }
  Names stepped(const Names& in) {
    const Attributes type{{"T", DataType::kInt32}};
    const std::string one = w_.int_scalar("one", 1);
    const std::string next = w_.add("next", "AddV2", {in[0], one}, type);
    const std::string place =
        loop_.is_reverse ? w_.add("place", "Sub", {in[1], next}, type) : in[0];
    const Names carried = part(in, 2, loop_.carries);
    Names given = carried;
    const size_t first = 2 + loop_.carries + stacks_;
    for (size_t i = 0; i < loop_.rows; ++i) {
      given.push_back(w_.add("row", "GatherV2",
                             {in[first + i], place, w_.int_scalar("row/axis", 0)},
                             {{"Tparams", data_type(w_.input_type(loop_.carries + i).dtype)},
                              {"Tindices", DataType::kInt32},
                              {"Taxis", DataType::kInt32}}));
    }
    const size_t behind = first + loop_.rows;
    append(given, part(in, behind, in.size() - behind));
    Names results = loop_.step(given);
    if (loop_.saves) append(results, carried);
    Names out{next, in[1]};
    append(out, part(results, 0, loop_.carries));
    for (size_t k = 0; k < stacks_; ++k) {
      const DType dtype = w_.output_type(loop_.carries + k).dtype;
      out.push_back(w_.add("set", "TensorListSetItem",
                           {in[2 + loop_.carries + k], place, results[loop_.carries + k]},
                           {{"element_dtype", data_type(dtype)}}));
    }
    append(out, part(in, first, in.size() - first));
    return out;
  }

  Writer& w_;
  const RowLoop& loop_;
  const size_t stacks_;
  Variables variables_;
};

void scan(Writer& w, std::string_view) {
  const auto& at = attributes<ScanLoopAttrs>(w);
  const ir::Function& body = *at.body;
  const auto step = [&](const Names& given) {
    return w.write(body.graph, given, "", body.results);
  };
  RowLoop loop;
  loop.carries = static_cast<size_t>(at.carries);
  loop.rows = static_cast<size_t>(at.rows);
  loop.length = w.size("length", at.rows > 0 ? w.input_type(loop.carries).shape[0] : at.length[0]);
  loop.is_reverse = at.reverse;
  loop.saves = at.saves;
  loop.step = step;
  RowLoopWriter(w, loop).write();
}

// One example after the other, each by its own branch.
void choice_of_each(Writer& w, std::string_view) {
  const auto& branches = w.attribute<FunctionsAttr>("branches");
  const DType index = w.input_type(0).dtype;
  const auto step = [&](const Names& given) {
    Choice chosen(w, branches, given[0], index);
    Names in = given;
    in[0] = chosen.chooser;
    std::vector<TensorShape> shapes;
    for (size_t k = 0; k < w.output_count(); ++k) {
      shapes.push_back(tensor_shape(row_type(w, k).shape));
    }
    chosen.attr["Tin"] = input_types(w, 1);
    chosen.attr["Tout"] = output_types(w);
    chosen.attr["output_shapes"] = shapes;
    const std::string node = w.add("branch", chosen.op, in, chosen.attr);
    Names out;
    for (size_t k = 0; k < w.output_count(); ++k) out.push_back(output_of(node, k));
    return out;
  };
  RowLoop loop;
  loop.rows = w.input_count();
  loop.length = w.size("length", w.input_type(0).shape[0]);
  loop.step = step;
  RowLoopWriter(w, loop).write();
}

// Variables: the number of steps and a list for each value that is carried, if those are saved;
// then the inputs.
class WhileWriter {
 public:
  explicit WhileWriter(Writer& w)
      : w_(w),
        at_(attributes<WhileAttrs>(w)),
        carries_(static_cast<size_t>(at_.carries)),
        first_(at_.saves ? 1 + carries_ : 0) {}

  void write() {
    Names shapes;
    if (at_.saves) variables_.add(w_.int_scalar("steps", 0), DataType::kInt32);
    for (size_t k = 0; at_.saves && k < carries_; ++k) {
      const Type& type = w_.input_type(k);
      shapes.push_back(w_.shape("row_shape", type.shape));
      variables_.add(
          w_.add("list", "EmptyTensorList", {shapes[k], w_.int_scalar("most", -1)},
                 {{"element_dtype", data_type(type.dtype)}, {"shape_type", DataType::kInt32}}),
          DataType::kVariant);
    }
    variables_.add_inputs(w_, 0, w_.input_count());
    const std::string node = add_loop(w_, variables_, cond(), body());
    Names out;
    for (size_t k = 0; k < carries_; ++k) out.push_back(output_of(node, first_ + k));
    if (at_.saves) {
      out.push_back(marks(node));
      for (size_t k = 0; k < carries_; ++k) {
        out.push_back(stacked_list(w_, output_of(node, 1 + k), shapes[k], w_.input_type(k).dtype));
      }
    }
    w_.give_values(out);
  }

 private:
  FunctionName cond() {
    return w_.function("goes_on", {variables_.types, {DataType::kBool}}, [&](const Names& in) {
      return w_.write(at_.cond->graph, part(in, first_, in.size() - first_), "", at_.cond->results);
    });
  }
  FunctionName body() {
    return w_.function("step", {variables_.types, variables_.types}, [&](const Names& in) {
      const Names given = part(in, first_, in.size() - first_);
      Names out;
      if (at_.saves) {
        out.push_back(
            w_.add("next", "AddV2", {in[0], w_.int_scalar("one", 1)}, {{"T", DataType::kInt32}}));
      }
      for (size_t k = 0; at_.saves && k < carries_; ++k) {
        out.push_back(w_.add("push", "TensorListPushBack", {in[1 + k], given[k]},
                             {{"element_dtype", data_type(w_.input_type(k).dtype)}}));
      }
      append(out, w_.write(at_.body->graph, given, "", at_.body->results));
      append(out, part(given, carries_, given.size() - carries_));
      return out;
    });
  }
  // A true for each step.
  std::string marks(const std::string& node) {
    const std::string shape =
        w_.add("marks/shape", "Pack", {node},
               {{"N", int64_t{1}}, {"T", DataType::kInt32}, {"axis", int64_t{0}}});
    return w_.add("marks", "Fill", {shape, w_.number("mark", DType::kBool, 1)},
                  {{"T", DataType::kBool}, {"index_type", DataType::kInt32}});
  }

  Writer& w_;
  const WhileAttrs& at_;
  const size_t carries_, first_;
  Variables variables_;
};

void loop(Writer& w, std::string_view) { WhileWriter(w).write(); }

// The inputs behind those of the function are for its rule.
void custom(Writer& w, std::string_view) {
  const FunctionAttr& function = w.attribute<FunctionAttr>("function");
  const FunctionName f = w.function(function);
  const size_t count = function->parameter_count();
  std::vector<DataType> types = input_types(w);
  types.resize(count);
  w.give(w.is_stateful(f) ? "StatefulPartitionedCall" : "PartitionedCall",
         part(w.inputs(), 0, count), {{"f", f}, {"Tin", types}, {"Tout", output_types(w)}});
}

constexpr Row kRows[] = {
    {"call", call},     {"checkpoint_call", call},        {"custom_call", custom},
    {"switch", choice}, {"switch_lanes", choice_of_each}, {"while", loop},
    {"scan", scan},
};

}  // namespace

std::span<const Row> control_rows() { return kRows; }

}  // namespace weft::io
