// compile, fit, evaluate, predict, train_on_batch.
#include "weft/train/model.h"

#include "weft/base/fail_at.h"
#include "weft/op/levels.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/train/batches.h"
#include "weft/train/blame.h"
#include "weft/train/class_weights.h"
#include "weft/train/compiled.h"
#include "weft/train/progress.h"
#include "weft/train/run.h"

namespace weft::train {
namespace {

// Is it a line of this folder? Those of its tests are a user's.
bool is_own_line(std::string_view note) {
  constexpr std::string_view kSelf = __FILE__;
  constexpr std::string_view kFolder = kSelf.substr(0, kSelf.rfind('/') + 1);
  return note.starts_with(text("called at ", kFolder)) &&
         note.find("_test.cc:") == std::string_view::npos;
}

// f(); errors say from which line of the user's it was called, in place of those that call metrics
// here.
template <class F>
auto from_line(Where where, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    Error told(error.code, error.op, error.law, error.message);
    for (const std::string& note : error.notes) {
      if (!is_own_line(note)) told.note(note);
    }
    throw note_line(told, where);
  }
}

}  // namespace

void detail::fail_inputs(const nn::ModuleBase& module, size_t count) {
  fail(Code::kInvalid, "Model", "inputs", "there are ", count, " inputs of a batch, which ",
       module.type_name(), " does not take; give train::Model(module, call) a function of them");
}

Model::Model(Forward forward)
    : forward_(std::move(forward)), predict_(new_shared<Stepped>("predict", /*is_traced=*/true)) {}

Model::Model(nn::ModuleBase& module, std::function<Tensors(TensorSpan inputs)> call)
    : Model(Forward{Shared<nn::ModuleBase>(&module, [](void*) {}),
                    [call = std::move(call)](TensorSpan in, Where) { return call(in); }}) {}

Model::~Model() = default;

void Model::compile(AnyOptimizer optimizer, Loss loss, Metrics metrics, CompileOptions options) {
  auto next = new_shared<Compiled>(forward_, std::move(optimizer), std::move(loss),
                                   std::move(metrics), options);
  if (compiled_) compiled_->end();
  next->begin();
  compiled_ = std::move(next);
}

Compiled& Model::compiled(std::string_view who) {
  if (!compiled_) {
    fail(Code::kInvalid, who, "compile", module().type_name(),
         " does not know how it is trained; call model.compile(optimizer, loss) first");
  }
  return *compiled_;
}

optim::Optimizer& Model::optimizer() { return compiled("optimizer").optimizer(); }

History Model::fit(const Examples& examples, const FitOptions& options, Where where) {
  return from_line(where, [&] {
    compiled("fit").call_from(where);
    return Run(compiled_, examples, options).train();
  });
}

Logs Model::evaluate(const Examples& examples, const EvaluateOptions& options, Where where) {
  return from_line(where, [&] {
    Compiled& how = compiled("evaluate");
    how.call_from(where);
    const std::unique_ptr<Progress> progress = progress_by(options.verbose, "evaluate");
    const std::unique_ptr<Batches> source = batches_of(examples, options.batch_size, "evaluate");
    progress->begin(0, 0, source->length(), 0);
    const Logs logs =
        how.apart([&] { return *measured(how, *source, "evaluate", "", progress.get()); });
    progress->end(logs);
    return logs;
  });
}

Tensors Model::predict_all(const Examples& x, std::optional<int64_t> batch_size, Where where) {
  return from_line(where, [&] {
    const std::unique_ptr<Batches> source = batches_of(x, batch_size, "predict");
    const ModeIs evaluating(module(), false);
    const NoGrad no_grad;
    const auto call = [&](TensorSpan in) { return forward_.call(in, where); };
    std::vector<std::vector<Tensor>> columns;
    const std::unique_ptr<Pass> pass = source->pass();
    for (Batch batch; pass->next(batch);) {
      if (columns.empty()) learn_sizes(module(), call, batch, "predict");
      Tensors out;
      told_of_layers(module(), call, batch, "predict",
                     [&] { out = (*predict_)(module(), call, batch.x, text(batch.x.size())); });
      columns.resize(out.size());
      for (size_t i = 0; i < out.size(); ++i) columns[i].push_back(out[i]);
    }
    if (columns.empty()) fail(Code::kInvalid, "predict", "rows", "there are no rows to compute");
    Tensors all;
    for (const std::vector<Tensor>& parts : columns) all.push_back(concat(parts, 0));
    return all;
  });
}

Tensor Model::predict(const Examples& x, std::optional<int64_t> batch_size, Where where) {
  const Tensors all = predict_all(x, batch_size, where);
  if (all.size() != 1) {
    fail_at(where, Code::kInvalid, "predict", "outputs", "the model gives ", all.size(),
            " outputs; predict_all gives all of them");
  }
  return all[0];
}

Logs Model::train_on_batch(const Examples& batch, const ClassWeight& class_weight, Where where) {
  return from_line(where, [&] {
    Compiled& how = compiled("train_on_batch");
    how.call_from(where);
    if (batch.dataset() != nullptr) {
      fail(Code::kInvalid, "train_on_batch", "batch",
           "the batch is a dataset; give it the tensors of one batch");
    }
    Batch one;
    for (const Tensor& x : batch.x()) one.x.push_back(x);
    for (const Tensor& y : batch.y()) one.y.push_back(y);
    one.weight = batch.weight();
    if (one.weight.defined()) need_weights(one.weight, "train_on_batch");
    how.prepare(one, "train_on_batch");
    const ModeIs training(module(), true);
    weigh(one, class_table(class_weight, "train_on_batch"));
    return how.apart([&] {
      how.reset();
      told_of_layers(how, one, "train_on_batch", [&] { how.train(one); });
      return how.logs();
    });
  });
}

}  // namespace weft::train
