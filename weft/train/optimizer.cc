// Optimizers by name.
#include "weft/train/optimizer.h"

#include "weft/optim/adadelta.h"
#include "weft/optim/adafactor.h"
#include "weft/optim/adagrad.h"
#include "weft/optim/adam.h"
#include "weft/optim/adamax.h"
#include "weft/optim/asgd.h"
#include "weft/optim/lamb.h"
#include "weft/optim/lion.h"
#include "weft/optim/nadam.h"
#include "weft/optim/radam.h"
#include "weft/optim/rmsprop.h"
#include "weft/optim/rprop.h"
#include "weft/optim/sgd.h"
#include "weft/train/names.h"

namespace weft::train {
namespace {

template <class O>
Shared<optim::Optimizer> usual(const std::vector<Variable>& parameters) {
  return new_shared<O>(optim::Parameters(parameters));
}

using Usual = Shared<optim::Optimizer> (*)(const std::vector<Variable>&);
constexpr Named<Usual> kOptimizers[] = {
    {"lamb", usual<optim::LAMB>},           {"sgd", usual<optim::SGD>},
    {"asgd", usual<optim::ASGD>},           {"adadelta", usual<optim::Adadelta>},
    {"adafactor", usual<optim::Adafactor>}, {"adagrad", usual<optim::Adagrad>},
    {"adam", usual<optim::Adam>},           {"adamax", usual<optim::Adamax>},
    {"adamw", usual<optim::AdamW>},         {"lion", usual<optim::Lion>},
    {"nadam", usual<optim::NAdam>},         {"radam", usual<optim::RAdam>},
    {"rmsprop", usual<optim::RMSprop>},     {"rprop", usual<optim::Rprop>},
};

}  // namespace

AnyOptimizer::AnyOptimizer(std::string_view name)
    : make_(named(std::span(kOptimizers), name, "optimizer", "optimizer")) {}

optim::Optimizer& AnyOptimizer::of(const nn::ModuleBase& module) {
  if (!held_) held_ = make_(module.parameters());
  return *held_;
}

}  // namespace weft::train
