// Layers watched while they are called, to find the one that an error begins with.
#include "weft/train/blame.h"

#include "weft/base/error.h"
#include "weft/op/levels.h"
#include "weft/trace/eager_scope.h"

namespace weft::train {
namespace {

// Axes of space by type; 0: it is no convolution.
int64_t axes_of(std::string_view type) {
  constexpr std::string_view kTypes[] = {"Conv", "ConvTranspose"};
  for (const std::string_view one : kTypes) {
    if (type.size() == one.size() + 2 && type.starts_with(one) && type.ends_with('d')) {
      return type[one.size()] - '0';
    }
  }
  return 0;
}

std::string path_in_quotes(const std::string& path) {
  return path.empty() ? "" : text(" '", path, "'");
}

// Looks at calls of convolutions as long as it lives.
class Watch {
 public:
  Watch(nn::ModuleBase& root, const Batch& batch, bool only_pending) : count_(batch.count()) {
    for (const auto& [path, module] : root.named_modules()) {
      const int64_t axes = axes_of(module->type_name());
      if (axes == 0 || (only_pending && !module->is_pending())) continue;
      const std::string who = module->type_name() + path_in_quotes(path);
      hooks_.push_back(module->register_forward_pre_hook(
          [this, axes, who](const nn::ModuleBase&, TensorSpan inputs) {
            if (!inputs.empty()) look(axes, who, inputs[0]);
          }));
    }
    raises_ = only_pending;
  }
  ~Watch() {
    for (const nn::Hook& hook : hooks_) hook.remove();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void tell() const {
    if (!found_.empty()) fail(Code::kInvalid, "fit", "channels", found_);
  }

 private:
  void look(int64_t axes, const std::string& who, const Tensor& x) {
    if (x.rank() != axes + 1 || same(x.dim(0), count_) != Tri::kYes || !found_.empty()) return;
    found_ = text(who, " was given a batch of shape ", x.shape(), ", and takes its ", count_,
                  " examples for channels; it needs an axis of channels after that of examples: "
                  "expand_dims(x, 1) makes one");
    if (raises_) tell();
  }

  const int64_t count_;
  bool raises_ = false;
  std::vector<nn::Hook> hooks_;
  std::string found_;
};

}  // namespace

void need_batches(nn::ModuleBase& module, const Batch& first, FunctionRef<void()> action) {
  if (first.x.empty()) return action();
  const Watch watch(module, first, /*only_pending=*/true);
  action();
}

void told_of_layers(const Compiled& compiled, const Batch& batch, FunctionRef<void()> step) {
  try {
    step();
  } catch (const Error&) {
    const EagerScope now;
    const ModeIs evaluating(compiled.module(), false);
    const NoGrad no_grad;
    const Watch watch(compiled.module(), batch, /*only_pending=*/false);
    compiled.call(batch.x);  // raises what the model has to say, with sizes for a trace's symbols
    watch.tell();
    throw;
  }
}

}  // namespace weft::train
