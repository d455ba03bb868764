"""One step is one set of bits: now, in a traced function, in a graph, after a stop; and it allocates nothing."""

import numpy as np
import pytest

import weft as wf

OPTIMIZERS = [
    ("SGD", {"lr": 0.1}), ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.2}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}), ("Adam", {}), ("Adam", {"amsgrad": True}),
    ("AdamW", {}), ("AdamW", {"maximize": True}), ("NAdam", {}), ("RAdam", {"betas": (0.8, 0.9)}), ("Adamax", {}),
    ("Adagrad", {"lr_decay": 0.1}), ("Adadelta", {}), ("RMSprop", {}), ("RMSprop", {"centered": True, "momentum": 0.5}),
    ("Lion", {"weight_decay": 0.1}), ("LAMB", {"weight_decay": 0.1}), ("Adafactor", {}), ("Rprop", {}), ("ASGD", {"t0": 3.0}),
]
STARTS = [np.linspace(-1, 1, 12).reshape(3, 4), np.cos(np.arange(5.0)), np.asarray(0.7)]
STEPS = 12


def gradients_at(step, dtype):
    return [wf.tensor(np.sin(1.7 * step + start * 9), dtype=dtype) for start in STARTS]


def made(name, keywords, dtype=wf.float32):
    parameters = [wf.Variable(wf.tensor(start, dtype=dtype), name=f"p{k}") for k, start in enumerate(STARTS)]
    return parameters, getattr(wf.optim, name)(parameters, **keywords)


def values(parameters):
    return [p.detach().numpy().tobytes() if p.dtype != wf.bfloat16 else wf.cast(p.detach(), wf.float32).numpy().tobytes()
            for p in parameters]


def all_values(parameters, optimizer):
    return values(parameters) + [(name, values([v])) for name, v in sorted(optimizer.state_dict().items())]


def run_eagerly(name, keywords, dtype, steps=range(STEPS)):
    parameters, optimizer = made(name, keywords, dtype)
    for step in steps:
        optimizer.apply_gradients(zip(gradients_at(step, dtype), parameters))
    return all_values(parameters, optimizer)


@pytest.mark.parametrize("dtype", [wf.float32, wf.float64, wf.bfloat16], ids=str)
@pytest.mark.parametrize("name, keywords", OPTIMIZERS)
def test_a_function_and_a_graph_give_the_bits_of_eager_steps(name, keywords, dtype):
    eager = run_eagerly(name, keywords, dtype)

    parameters, optimizer = made(name, keywords, dtype)
    step = wf.function(lambda *gradients: optimizer.apply_gradients(zip(gradients, parameters)))
    for k in range(STEPS):
        step(*gradients_at(k, dtype))
    assert step.trace_count == 1 and all_values(parameters, optimizer) == eager

    parameters, optimizer = made(name, keywords, dtype)
    with wf.Graph() as graph:
        fed = [wf.placeholder(dtype, start.shape) for start in STARTS]
        train = optimizer.apply_gradients(zip(fed, parameters))
    session = wf.Session(graph)
    for k in range(STEPS):
        session.run(train, dict(zip(fed, gradients_at(k, dtype))))
    assert all_values(parameters, optimizer) == eager


@pytest.mark.parametrize("name, keywords", OPTIMIZERS)
def test_a_run_that_was_stopped_ends_with_the_same_bytes(name, keywords):
    whole = run_eagerly(name, keywords, wf.float32)
    parameters, optimizer = made(name, keywords)
    for k in range(5):
        optimizer.apply_gradients(zip(gradients_at(k, wf.float32), parameters))
    saved, weights = optimizer.state_dict(), [p.detach() for p in parameters]
    assert all(isinstance(key, str) and isinstance(value, wf.Tensor) for key, value in saved.items())

    parameters, optimizer = made(name, keywords)
    for parameter, weight in zip(parameters, weights):
        parameter.assign(weight)
    optimizer.load_state_dict(saved)
    assert optimizer.steps == 5
    for k in range(5, STEPS):
        optimizer.apply_gradients(zip(gradients_at(k, wf.float32), parameters))
    assert all_values(parameters, optimizer) == whole


@pytest.mark.parametrize("name, keywords", OPTIMIZERS)
def test_every_optimizer_descends(name, keywords):
    if keywords.get("maximize"):
        keywords = {**keywords, "maximize": False}
    x = wf.Variable(wf.tensor([[3.0, -2.0], [1.0, 0.5]]))
    lr = {"Adadelta": 20.0, "Adagrad": 0.5, "Lion": 0.02, "Rprop": 0.01}.get(name, 0.05)
    optimizer = getattr(wf.optim, name)([x], **{**keywords, "lr": lr})
    step = wf.function(lambda: optimizer.minimize(lambda: (x * x).sum()))
    first = step().item()
    for _ in range(150):
        last = step().item()
    assert last < 0.5 * first and step.trace_count == 1


def test_a_new_rate_is_no_new_trace():
    w = wf.Variable([1.0, 2.0])
    optimizer = wf.optim.SGD([w], lr=0.5)
    schedule = wf.optim.schedules.Exponential(optimizer, 0.5)

    @wf.function
    def step(x):
        loss = optimizer.minimize(lambda: ((w - x) ** 2).sum())
        schedule.step()
        return loss

    x = wf.zeros(2)
    step(x)
    assert optimizer.lr == 0.25 and schedule.count == 1
    step(x)
    optimizer.lr = 0.0
    before = w.numpy()
    step(x)
    assert (w.numpy() == before).all() and step.trace_count == 1
    assert optimizer.lr == 0.5 * 0.5 ** 3


def test_a_step_writes_where_the_parameters_are():
    w = wf.Variable(wf.zeros(1000))
    optimizer = wf.optim.AdamW([w])
    w.grad = wf.ones(1000)
    optimizer.step()                                     # zeros are one number, not a thousand
    state = optimizer.state
    written = (w, state["state.0.mean"], state["state.0.square"])
    places = [v.detach().numpy().ctypes.data for v in written]
    for _ in range(3):
        optimizer.step()
    held = w.detach()                                    # somebody holds the value: it stays as it is
    was = held.numpy().copy()
    assert [v.detach().numpy().ctypes.data for v in written] == places
    optimizer.step()
    assert (held.numpy() == was).all() and (w.numpy() != was).all()


def test_many_parameters_of_several_dtypes_and_layouts_are_one_step():
    rng = np.random.default_rng(0)
    starts = [rng.standard_normal((k % 7 + 1, 3)) for k in range(40)]
    dtypes = [[wf.float32, wf.float64, wf.bfloat16][k % 3] for k in range(40)]

    def parameters():
        return [wf.Variable(wf.tensor(s, dtype=d).T if k % 5 == 0 else wf.tensor(s, dtype=d))
                for k, (s, d) in enumerate(zip(starts, dtypes))]

    together, apart = parameters(), parameters()
    gradients = [wf.ones_like(p.detach()) * 0.3 for p in together]
    one = wf.optim.AdamW(together)
    several = [wf.optim.AdamW([p]) for p in apart]
    for _ in range(3):
        one.apply_gradients(zip(gradients, together))
        for optimizer, gradient, parameter in zip(several, gradients, apart):
            optimizer.apply_gradients([(gradient, parameter)])
    assert values(together) == values(apart)


def test_groups_have_numbers_of_their_own():
    a, b, c = (wf.Variable([1.0]) for _ in range(3))
    optimizer = wf.optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": [c], "lr": 1.0, "weight_decay": 0.5})
    one = wf.tensor([1.0])
    optimizer.apply_gradients([(one, b), (one, a), (one, c)])
    assert [p.numpy()[0] for p in (a, b, c)] == pytest.approx([0.9, 0.5, -0.5])
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.5, 1.0]
    optimizer.param_groups[1]["lr"] = 0.25
    assert optimizer.param_groups[1]["lr"] == 0.25 and optimizer.lr == 0.1
    optimizer.lr = 0.01
    assert {group["lr"] for group in optimizer.param_groups} == {0.01}
    assert set(optimizer.state_dict()) == {f"groups.{k}.{name}" for k in range(3) for name in ("steps", "lr", "weight_decay")}


def test_users_write_their_own():
    class Signs(wf.optim.Optimizer):
        def init(self, p):
            return {"count": wf.zeros(())}

        def update(self, p, g, state, lr, t):
            return p - wf.sign(g) * lr, {"count": state["count"] + t}

    def run(wrap):
        w = wf.Variable([1.0, -2.0])
        optimizer = Signs([w], lr=0.25)
        step = wrap(lambda: optimizer.minimize(lambda: (w * w).sum()))
        for _ in range(3):
            step()
        return w.numpy().tolist(), optimizer.state_dict()["state.0.count"].item()

    assert run(lambda f: f) == run(wf.function) == ([0.25, -1.25], 6.0)


def test_averages_clipping_and_accumulation():
    w = wf.Variable([3.0, 4.0])
    ema = wf.optim.EMA([w], decay=0.75)
    w.assign([7.0, 0.0])
    wf.function(ema.update)()
    with ema.applied():
        assert w.numpy().tolist() == [4.0, 3.0]
    assert w.numpy().tolist() == [7.0, 0.0] and set(ema.state_dict()) == {"averages.0", "decay"}

    w.grad = wf.tensor([3.0, -4.0])
    assert wf.optim.clip_grad_norm([w], 1.0).item() == 5.0
    assert w.grad.numpy().tolist() == pytest.approx([0.6, -0.8], rel=1e-5)
    assert wf.optim.clip_grad_norm([w], 10.0).item() == pytest.approx(1.0)
    wf.optim.clip_grad_value([w], 0.7)
    assert w.grad.numpy().tolist() == pytest.approx([0.6, -0.7])
    clipped, norm = wf.function(lambda g: wf.optim.clip_by_global_norm({"a": g, "b": [g]}, 1.0))(wf.tensor([1.0, 2.0, 2.0]))
    assert norm.item() == pytest.approx(18 ** 0.5) and set(clipped) == {"a", "b"}
    assert wf.optim.clip_by_value([wf.tensor([1.0, -5.0])], 2.0)[0].numpy().tolist() == [1.0, -2.0]

    # Gradients of two halves of a batch add up to those of the whole.
    x = wf.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    halves, whole = wf.Variable([1.0, 1.0]), wf.Variable([1.0, 1.0])
    first, second = wf.optim.SGD([halves], lr=0.01), wf.optim.SGD([whole], lr=0.01)
    for part in (x[:2], x[2:]):
        (wf.mean((part @ halves) ** 2) / 2).backward()
    first.step()
    second.minimize(lambda: wf.mean((x @ whole) ** 2))
    assert halves.numpy().tolist() == pytest.approx(whole.numpy().tolist())


def test_plateau_waits_and_cools():
    optimizer = wf.optim.SGD([wf.Variable(1.0)], lr=1.0)
    schedule = wf.optim.schedules.Plateau(optimizer, factor=0.5, patience=1, cooldown=2, min_lr=0.2)
    rates = []
    for loss in [3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]:
        schedule.step(loss)
        rates.append(optimizer.lr)
    assert rates == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25]


ERRORS = [
    (lambda v: wf.optim.AdamW([v], betas=(1.0, 0.9)), "AdamW: beta1 is 1.0; it is in [0, 1) [AdamW.beta1]"),
    (lambda v: wf.optim.AdamW([v], betas=0.9), "AdamW: betas must be a pair of numbers, but got 0.9 [AdamW.betas]"),
    (lambda v: wf.optim.SGD([v], lr=-1.0), "SGD: lr is -1.0; it is 0 or more [SGD.lr]"),
    (lambda v: wf.optim.Adafactor([v], d=0.0), "Adafactor: d is 0.0; it is above 0 [Adafactor.d]"),
    (lambda v: wf.optim.SGD([v], nesterov=True),
     "SGD: needs a momentum above 0 and no dampening, but they are 0.0 and 0.0 [SGD.nesterov]"),
    (lambda v: wf.optim.SGD([v], learning_rate=1.0), "SGD: has no argument 'learning_rate'; weft calls this lr [SGD.keyword]"),
    (lambda v: wf.optim.SGD([]), "optim: there are no parameters to optimize [optim.parameters]"),
    (lambda v: wf.optim.SGD([v, v]), "optim: parameters[0] and parameters[1] are one Variable ('v'), which would be updated twice a step; "
     "give each once [optim.twice]"),
    (lambda v: wf.optim.SGD([{"params": [v], "speed": 1.0}]),
     "SGD: has no option 'speed'; it has lr, weight_decay [SGD.option]"),
    (lambda v: wf.optim.SGD([v]).add_param_group({"lr": 1.0}),
     "SGD: a group has no \"params\"; it is a dict such as {\"params\": [v], \"lr\": 0.1} [SGD.group]"),
    (lambda v: wf.optim.SGD([v]).param_groups[0]["speed"],
     "param_groups: there is no 'speed'; there are params, lr, weight_decay [param_groups.name]"),
    (lambda v: wf.optim.SGD([v]).apply_gradients([]),
     "apply_gradients: parameters[0] ('v') has no gradient; give one for each parameter [apply_gradients.gradient]"),
    (lambda v: wf.optim.SGD([v]).apply_gradients([(wf.ones(3), v)]),
     "apply_gradients: parameters[0] ('v') holds f32[2] but its gradient is f32[3]; a gradient has its dtype and shape "
     "[apply_gradients.type]"),
    (lambda v: wf.optim.SGD([v]).apply_gradients([(wf.ones(2), wf.Variable(1.0, name="other"))]),
     "apply_gradients: the Variable ('other') is no parameter of this optimizer; give gradients of its parameters "
     "[apply_gradients.variable]"),
    (lambda v: wf.optim.SGD([v]).apply_gradients([(wf.ones(2), v), (wf.ones(2), v)]),
     "apply_gradients: there are two gradients for parameters[0] ('v'); add them up first [apply_gradients.twice]"),
    (lambda v: wf.optim.SGD([v]).minimize(3.0),
     "minimize: takes a function that computes the loss, or a tensor of the graph that is open, but got float; after "
     "loss.backward() call step() [minimize.loss]"),
    (lambda v: wf.function(wf.optim.SGD([v]).step)(),
     "step: gradients that backward leaves in Variables are no part of a graph; call minimize(loss), or apply_gradients with the "
     "gradients of value_and_grad, of a tape or of gradients() [step.traced]"),
    (lambda v: wf.optim.SGD([v]).load_state_dict({"speed": wf.ones(())}),
     "load_state_dict: there is a 'speed', which this SGD does not have; load what was saved of one like it [load_state_dict.name]"),
    (lambda v: wf.optim.SGD([v]).load_state_dict({"groups.0.lr": wf.ones(())}),
     "load_state_dict: 'groups.0.lr' is f32[] but this SGD holds f64[]; load what was saved of one like it [load_state_dict.type]"),
    (lambda v: wf.optim.SGD([v]).load_state_dict({}),
     "load_state_dict: there is no 'groups.0.steps', which this SGD has; load what was saved of one like it "
     "[load_state_dict.missing]"),
    (lambda v: wf.optim.EMA([v], decay=1.0), "EMA: decay is 1.0; it is in [0, 1) [EMA.decay]"),
    (lambda v: wf.optim.EMA([]), "EMA: there are no parameters to average [EMA.parameters]"),
    (lambda v: wf.optim.clip_grad_norm([v], -1.0), "clip_grad_norm: max_norm is -1.0; it is 0 or more [clip_grad_norm.max_norm]"),
    (lambda v: wf.optim.clip_by_value([v], -1.0), "clip_by_value: limit is -1.0; it is 0 or more [clip_by_value.limit]"),
    (lambda v: wf.optim.schedules.Step(wf.optim.SGD([v]), 0), "step: size is 0.0; it is above 0 [step.size]"),
    (lambda v: wf.optim.schedules.Sequential(o := wf.optim.SGD([v]), [wf.optim.schedules.Cosine(o, 3)], [2]),
     "sequential: there are 1 milestones for 1 schedules; there is one between each two [sequential.milestones]"),
    (lambda v: wf.optim.schedules.Schedule(3, abs), "Schedule: the first argument is an optimizer, but got int [Schedule.optimizer]"),
    (lambda v: wf.optim.schedules.Plateau(wf.optim.SGD([v]), mode="up"),
     "Plateau: mode is 'up'; it is 'min' or 'max' [Plateau.mode]"),
]


@pytest.mark.parametrize("wrong, message", ERRORS, ids=[message.split("[")[-1][:-1] for _, message in ERRORS])
def test_errors_say_what_would_be_right(wrong, message):
    with pytest.raises((ValueError, TypeError)) as error:
        wrong(wf.Variable([1.0, 2.0], name="v"))
    assert str(error.value).split("\n")[0] == message


def test_a_step_that_raises_changes_nothing():
    a, b = wf.Variable([1.0], name="a"), wf.Variable([2.0], name="b")
    optimizer = wf.optim.SGD([a, b], lr=1.0)
    with pytest.raises(TypeError):
        optimizer.apply_gradients([(wf.tensor([1.0]), a), (wf.ones(3), b)])
    assert a.numpy().tolist() == [1.0] and optimizer.steps == 0


def test_minimize_in_a_graph():
    w = wf.Variable([1.0, 2.0], name="w")
    optimizer = wf.optim.Adam([w], lr=0.1)
    with wf.Graph() as graph:
        x = wf.placeholder(wf.float32, (2,))
        loss = wf.sum((w - x) ** 2)
        train = optimizer.minimize(loss)
    session = wf.Session(graph)
    losses = [float(session.run([loss, train], {x: wf.zeros(2)})[0]) for _ in range(60)]
    assert losses[-1] < 0.1 * losses[0] and optimizer.steps == 60


def test_optimizers_are_made_in_graphs():
    """As programs of TensorFlow 1 are written: Variable, optimizer and step in one graph."""
    for kind in (wf.optim.SGD, wf.optim.Adam, wf.optim.Adagrad, wf.optim.Adafactor, wf.optim.LAMB):
        with wf.Graph() as graph:
            w = wf.Variable(wf.ones((3, 2)))
            train = kind([w], lr=0.1).minimize(wf.sum(w * w))
        with wf.Session(graph) as session:
            session.run(train)
        assert w.numpy().max() < 1
