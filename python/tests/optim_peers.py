"""Every optimizer for 50 steps beside PyTorch's, in float64 and float32; run by test_optim_peers.py in .venv-peers."""

import numpy as np
import torch

import weft as wf

STEPS = 50

# A class, and its keywords, which are PyTorch's, too.
CASES = [
    ("SGD", {"lr": 0.05}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.05, "amsgrad": True, "betas": (0.5, 0.8)}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.05, "amsgrad": True, "maximize": True}),
    ("NAdam", {"lr": 0.05, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.05, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True, "betas": (0.8, 0.9)}),
    ("Adamax", {"lr": 0.05, "weight_decay": 0.1}),
    ("Adagrad", {"lr": 0.05, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.3}),
    ("Adadelta", {"lr": 0.5, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.02}),
    ("RMSprop", {"lr": 0.02, "momentum": 0.9, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.02, "centered": True}),
    ("RMSprop", {"lr": 0.02, "centered": True, "momentum": 0.5}),
    ("Adafactor", {"lr": 0.05, "weight_decay": 0.1}),
    ("Rprop", {"lr": 0.01}),
    ("ASGD", {"lr": 0.05, "t0": 10.0, "lambd": 0.01, "weight_decay": 0.1}),
]
SHAPES = [(3, 4), (5,), (2, 3, 2), ()]


def gradients_at(step, dtype):
    # Not smooth in the step, and of both signs, but the same on both sides.
    return [np.asarray(np.sin(1.7 * step + 0.9 * np.arange(max(1, int(np.prod(shape))))).reshape(shape) * (1 + 0.1 * k), dtype)
            for k, shape in enumerate(SHAPES)]


def start(dtype):
    return [np.asarray(np.cos(np.arange(max(1, int(np.prod(shape)))) + k).reshape(shape), dtype) for k, shape in enumerate(SHAPES)]


def ours(name, keywords, dtype, way):
    parameters = [wf.Variable(wf.tensor(value)) for value in start(dtype)]
    optimizer = getattr(wf.optim, name)(parameters, **keywords)

    def step(*gradients):
        optimizer.apply_gradients(zip(gradients, parameters))

    run = wf.function(step) if way == "function" else step
    for k in range(STEPS):
        run(*[wf.tensor(g) for g in gradients_at(k, dtype)])
    return [p.numpy() for p in parameters]


def theirs(name, keywords, dtype):
    parameters = [torch.nn.Parameter(torch.tensor(value)) for value in start(dtype)]
    optimizer = getattr(torch.optim, name)(parameters, **keywords)
    for k in range(STEPS):
        for parameter, gradient in zip(parameters, gradients_at(k, dtype)):
            parameter.grad = torch.tensor(gradient)
        optimizer.step()
    return [p.detach().numpy() for p in parameters]


def compare_lbfgs():
    """The path of 50 steps, of lr each or by a line search: its losses and where it ends."""
    def bowl(x, lib):
        return ((x - 1) ** 4).sum() + (x[0] * x[1] - 0.5) ** 2 + lib.exp(-x).sum()

    def valley(x, lib):  # Rosenbrock's, where steps of lr fly away
        return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2

    for loss_of, start_at, search in ((bowl, [0.3, -0.7, 2.0], None), (bowl, [0.3, -0.7, 2.0], "strong_wolfe"),
                                      (valley, [-1.2, 1.0], "strong_wolfe")):
        x, y = wf.Variable(wf.tensor(np.array(start_at))), torch.nn.Parameter(torch.tensor(np.array(start_at)))
        mine = wf.optim.LBFGS([x], lr=0.5, max_iter=6, line_search=search)
        peer = torch.optim.LBFGS([y], lr=0.5, max_iter=6, line_search_fn=search)

        def closure():
            peer.zero_grad()
            loss = loss_of(y, torch)
            loss.backward()
            return loss

        for k in range(STEPS):
            first, second = mine.step(lambda: loss_of(x, wf)).item(), peer.step(closure).item()
            gap = np.max(np.abs(x.numpy() - y.detach().numpy()))
            assert abs(first - second) < 1e-8, f"LBFGS {search}, step {k}: loss {first} here, {second} in PyTorch"
            assert gap < 1e-8, f"LBFGS {search}, step {k}: {x.numpy()} here, {y} in PyTorch"
    return 3


def compare_plateaus():
    """Rates of 60 moves of a metric that falls, rests, jumps and is nan at times."""
    metrics = [3.0 / (1 + k // 9) + (0.5 if k % 13 == 12 else 0.0) + 1e-5 * (k % 3) for k in range(60)]
    metrics[30] = float("nan")
    cases = [{"factor": 0.5, "patience": 2}, {"factor": 0.3, "patience": 0, "cooldown": 3, "min_lr": 1e-3},
             {"factor": 0.5, "patience": 3, "mode": "max"}, {"factor": 0.5, "patience": 1, "threshold": 0.2, "threshold_mode": "abs"},
             {"factor": 0.9, "patience": 1, "threshold": 0.1, "mode": "max", "cooldown": 1}]
    for keywords in cases:
        optimizer, peer = wf.optim.SGD([wf.Variable(1.0)], lr=0.1), torch.optim.SGD([torch.nn.Parameter(torch.tensor(1.0))], lr=0.1)
        ours, theirs = wf.optim.schedules.Plateau(optimizer, **keywords), torch.optim.lr_scheduler.ReduceLROnPlateau(peer, eps=0.0, **keywords)
        for move, metric in enumerate(metrics):
            ours.step(metric)
            theirs.step(metric)
            have, want = optimizer.lr, peer.param_groups[0]["lr"]
            assert abs(have - want) <= 1e-9 * abs(want), f"Plateau {keywords}, move {move}: {have} here, {want} in PyTorch"
    return len(cases)


def compare_schedules():
    """Rates of 40 moves."""
    s, lr = wf.optim.schedules, torch.optim.lr_scheduler
    pairs = [
        (lambda o: s.Step(o, 7, 0.5), lambda o: lr.StepLR(o, 7, 0.5)),
        (lambda o: s.MultiStep(o, [3, 11, 12], 0.3), lambda o: lr.MultiStepLR(o, [3, 11, 12], 0.3)),
        (lambda o: s.Exponential(o, 0.9), lambda o: lr.ExponentialLR(o, 0.9)),
        (lambda o: s.Polynomial(o, 20, 2.0), lambda o: lr.PolynomialLR(o, 20, 2.0)),
        (lambda o: s.Linear(o, 10, 0.1), lambda o: lr.LinearLR(o, 0.1, 1.0, 10)),
        (lambda o: s.Constant(o, 0.25, 6), lambda o: lr.ConstantLR(o, 0.25, 6)),
        (lambda o: s.Cosine(o, 40, 0.1), lambda o: lr.CosineAnnealingLR(o, 40, eta_min=0.01)),
        (lambda o: s.CosineRestarts(o, 5, 2), lambda o: lr.CosineAnnealingWarmRestarts(o, 5, 2)),
        (lambda o: s.CosineRestarts(o, 7), lambda o: lr.CosineAnnealingWarmRestarts(o, 7)),
        (lambda o: s.OneCycle(o, 41), lambda o: lr.OneCycleLR(o, 0.1, 41, cycle_momentum=False)),
        (lambda o: s.OneCycle(o, 41, shape="linear"), lambda o: lr.OneCycleLR(o, 0.1, 41, cycle_momentum=False, anneal_strategy="linear")),
        (lambda o: s.Schedule(o, lambda t: 1 / (1 + t)), lambda o: lr.LambdaLR(o, lambda t: 1 / (1 + t))),
        (lambda o: s.Chained(o, [s.Step(o, 7, 0.5), s.Exponential(o, 0.9)]),
         lambda o: lr.ChainedScheduler([lr.StepLR(o, 7, 0.5), lr.ExponentialLR(o, 0.9)])),
        (lambda o: s.Sequential(o, [s.Linear(o, 5, 0.2), s.Cosine(o, 30)], [5]),
         lambda o: lr.SequentialLR(o, [lr.LinearLR(o, 0.2, 1.0, 5), lr.CosineAnnealingLR(o, 30)], [5])),
    ]
    for number, (our, their) in enumerate(pairs):
        optimizer = wf.optim.SGD([wf.Variable(1.0)], lr=0.1)
        schedule = our(optimizer)
        peer = torch.optim.SGD([torch.nn.Parameter(torch.tensor(1.0))], lr=0.1)
        peer_schedule = their(peer)
        for move in range(40):
            have, want = optimizer.lr, peer.param_groups[0]["lr"]
            assert abs(have - want) <= 1e-12 + 1e-9 * abs(want), f"schedule {number}, move {move}: {have} here, {want} in PyTorch"
            schedule.step()
            peer.step()
            peer_schedule.step()
    return len(pairs)


# PyTorch keeps NAdam's product of momenta and ASGD's rate in float32, whatever the parameters are.
LOOSER = {"NAdam": 1e-7, "ASGD": 1e-7}


def main():
    for name, keywords in CASES:
        for dtype, tolerance in (("float64", LOOSER.get(name, 1e-10)), ("float32", 2e-4)):
            want = theirs(name, keywords, dtype)
            for way in ("eager", "function"):
                for have, wanted in zip(ours(name, keywords, dtype, way), want):
                    gap = np.max(np.abs(have - wanted) / (1 + np.abs(wanted)))
                    assert gap <= tolerance, f"{name} {keywords} {dtype} {way}: {gap} apart\n{have}\n{wanted}"
    print(f"{len(CASES) + compare_lbfgs()} optimizers and {compare_schedules() + compare_plateaus()} schedules agree")


if __name__ == "__main__":
    main()
