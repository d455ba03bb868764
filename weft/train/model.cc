// compile, fit, evaluate, predict, train_on_batch.
#include "weft/train/model.h"

#include "weft/base/error.h"
#include "weft/op/levels.h"
#include "weft/ops/shape/shape_ops.h"
#include "weft/train/batches.h"
#include "weft/train/class_weights.h"
#include "weft/train/compiled.h"
#include "weft/train/progress.h"
#include "weft/train/run.h"

namespace weft::train {

void detail::fail_inputs(const nn::ModuleBase& module, size_t count) {
  fail(Code::kInvalid, "Model", "inputs", "there are ", count, " inputs of a batch, which ",
       module.type_name(), " does not take; give train::Model(module, call) a function of them");
}

Model::Model(Forward forward)
    : forward_(std::move(forward)), predict_(new_shared<Stepped>("predict", /*is_traced=*/true)) {}

Model::Model(nn::ModuleBase& module, std::function<Tensors(TensorSpan inputs)> call)
    : Model(Forward{Shared<nn::ModuleBase>(&module, [](void*) {}), std::move(call)}) {}

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

History Model::fit(const Examples& examples, const FitOptions& options) {
  compiled("fit");
  return Run(compiled_, examples, options).train();
}

Logs Model::evaluate(const Examples& examples, const EvaluateOptions& options) {
  Compiled& how = compiled("evaluate");
  const std::unique_ptr<Progress> progress = progress_by(options.verbose, "evaluate");
  const std::unique_ptr<Batches> source = batches_of(examples, options.batch_size, "evaluate");
  progress->begin(0, 0, source->length(), 0);
  const Logs logs = *measured(how, *source, "evaluate", "", progress.get());
  progress->end(logs);
  return logs;
}

Tensors Model::predict_all(const Examples& x, int64_t batch_size) {
  const std::unique_ptr<Batches> source = batches_of(x, batch_size, "predict");
  const ModeIs evaluating(module(), false);
  const NoGrad no_grad;
  std::vector<std::vector<Tensor>> columns;
  const std::unique_ptr<Pass> pass = source->pass();
  for (Batch batch; pass->next(batch);) {
    const Tensors out = (*predict_)(module(), forward_.call, batch.x, text(batch.x.size()));
    columns.resize(out.size());
    for (size_t i = 0; i < out.size(); ++i) columns[i].push_back(out[i]);
  }
  if (columns.empty()) fail(Code::kInvalid, "predict", "rows", "there are no rows to compute");
  Tensors all;
  for (const std::vector<Tensor>& parts : columns) all.push_back(concat(parts, 0));
  return all;
}

Tensor Model::predict(const Examples& x, int64_t batch_size) {
  const Tensors all = predict_all(x, batch_size);
  if (all.size() != 1) {
    fail(Code::kInvalid, "predict", "outputs", "the model gives ", all.size(),
         " outputs; predict_all gives all of them");
  }
  return all[0];
}

Logs Model::train_on_batch(const Examples& batch, const ClassWeight& class_weight) {
  Compiled& how = compiled("train_on_batch");
  if (batch.dataset() != nullptr) {
    fail(Code::kInvalid, "train_on_batch", "batch",
         "the batch is a dataset; give it the tensors of one batch");
  }
  Batch one;
  for (const Tensor& x : batch.x()) one.x.push_back(x);
  for (const Tensor& y : batch.y()) one.y.push_back(y);
  one.weight = batch.weight();
  how.prepare(one);
  how.reset();
  const ModeIs training(module(), true);
  weigh(one, class_table(class_weight, "train_on_batch"));
  how.train(one);
  return how.logs();
}

}  // namespace weft::train
