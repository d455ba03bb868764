"""A model that is changed is trained, evaluated and asked as it is then: steps see what they read, as wf.function does."""

import warnings

import numpy as np
import pytest

import weft as wf
from weft import nn

X = np.random.default_rng(0).normal(size=(48, 4)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int64)


class Net(nn.Module):
    def __init__(self):
        self.fc, self.drop = nn.Linear(4, 4), nn.Dropout(0.5)
        self.factor, self.act, self.flag, self.layers = 1.0, wf.tanh, False, [nn.Linear(4, 4)]

    def forward(self, x):
        y = self.act(self.fc(x)) * self.factor
        for layer in self.layers:
            y = layer(y)
        if self.flag:
            y = y * 100
        return self.drop(y)


def number(m):
    m.factor = 3.0


def flag(m):
    m.flag = True


def function(m):
    m.act = wf.relu


def layer(m):
    m.fc = nn.Linear(4, 4)


def in_list(m):
    m.layers[0] = nn.Linear(4, 3)


def one_more(m):
    m.layers.append(nn.Linear(4, 5))


def hook(m):
    m.fc.register_forward_hook(lambda module, args, out: out * 5)


def variable(m):
    m.fc.weight = wf.Variable(wf.ones((4, 4)))


def bias(m):
    m.fc.bias = None


def dtype(m):
    m.to(wf.float64).to(wf.float32)
    m.fc.weight.assign(wf.ones((4, 4)))


CHANGES = [number, flag, function, layer, in_list, one_more, hook, variable, bias, dtype]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_predict_and_evaluate_see_what_was_changed(change):
    wf.seed(0)
    m = Net().eval()
    m.compile("sgd", "cross_entropy")
    m.predict(X)
    before = m.evaluate(X, Y)
    change(m)
    out = m(wf.tensor(X))
    np.testing.assert_allclose(m.predict(X).numpy(), out.numpy(), rtol=1e-5, atol=1e-6)
    after = m.evaluate(X, Y)
    assert after["loss"] == pytest.approx(nn.cross_entropy(out, wf.tensor(Y)).item(), rel=1e-4) and after != before


@pytest.mark.parametrize("change", [number, flag, function, hook], ids=lambda change: change.__name__)
def test_fit_sees_what_was_changed(change):
    losses = []
    for is_eager in (False, True):
        wf.seed(0)
        m = Net()
        m.compile(wf.optim.SGD(m.parameters(), lr=0.1), "cross_entropy", run_eagerly=is_eager)
        m.fit(X, Y, verbose=0)
        change(m)
        losses.append(m.fit(X, Y, verbose=0)["loss"])
    assert losses[0] == losses[1]


@pytest.mark.parametrize("change, words", [
    (layer, "fit: the model has a parameter 'fc.weight' that it did not have when it was compiled, and that the optimizer does not know; "
            "call compile again [fit.optimizer]"),
    (one_more, "fit: the model has a parameter 'layers.1.weight' that it did not have when it was compiled, and that the optimizer does "
               "not know; call compile again [fit.optimizer]"),
    (bias, "fit: the optimizer has a parameter, 'bias', float32[4], that the model does not have; if the model was changed, call compile "
           "again [fit.optimizer]")], ids=["layer", "one_more", "bias"])
@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}, {"accumulate": 2}, {"precision": "float16"}], ids=str)
def test_other_parameters_need_another_compile(change, words, options):
    m = Net()
    m.compile("adam", "cross_entropy", **options)
    m.fit(X, Y, verbose=0)
    change(m)
    kept = wf.fingerprint(m.state_dict())
    for train in (lambda: m.fit(X, Y, verbose=0), lambda: m.train_on_batch(X, Y)):
        with pytest.raises(wf.InvalidError) as caught:
            train()
        assert str(caught.value).partition("\n")[0] == words
    assert wf.fingerprint(m.state_dict()) == kept
    m.compile("adam", "cross_entropy", **options)
    m.fit(X, Y, verbose=0, epochs=2)
    assert wf.fingerprint(m.state_dict()) != kept


def test_a_layer_that_was_replaced_is_not_trained():
    m = nn.Sequential([nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 5)])
    m.compile("adam", "cross_entropy")
    m.fit(X, Y, verbose=0)
    assert m.predict(X).shape == (48, 5)
    old = m[2]
    m[2] = nn.Linear(8, 2)
    assert m.predict(X).shape == (48, 2)
    m.compile("adam", "cross_entropy")
    kept, new = wf.fingerprint(old.state_dict()), wf.fingerprint(m[2].state_dict())
    m.fit(X, Y, verbose=0)
    assert wf.fingerprint(old.state_dict()) == kept and wf.fingerprint(m[2].state_dict()) != new


def test_an_optimizer_of_a_part_of_the_parameters_says_what_to_do():
    m = nn.Sequential([nn.Linear(4, 8), nn.Linear(8, 2)])
    m.compile(wf.optim.SGD(m[1].parameters(), lr=0.1), "cross_entropy")
    with pytest.raises(wf.InvalidError, match=r"given a part of the parameters, without '0\.weight'; freeze the rest, as by "
                                              r"layer\.freeze\(\), or give it all of them \[fit\.optimizer\]"):
        m.fit(X, Y, verbose=0)
    m[0].freeze()
    m.fit(X, Y, verbose=0)


# Inside one fit.


class Weighted(nn.Module):
    """A loss with a number that callbacks change."""

    beta = 0.0

    def forward(self, out, y):
        return nn.cross_entropy(out, y) * self.beta


def annealed(is_eager, make, set_to, epochs=3):
    wf.seed(0)
    m, loss = make()
    m.compile(wf.optim.SGD(m.parameters(), lr=0.1), loss, run_eagerly=is_eager)
    begin = wf.callbacks.LambdaCallback(on_epoch_begin=lambda epoch: set_to(m, loss, epoch))
    return m.fit(X, Y, epochs=epochs, verbose=0, callbacks=[begin])["loss"]


def scaled_net():
    m = Net()
    m.drop.p = 0.0
    return m, "cross_entropy"


@pytest.mark.parametrize("make, set_to", [
    (scaled_net, lambda m, loss, epoch: setattr(m, "factor", float(epoch))),
    (scaled_net, lambda m, loss, epoch: setattr(m.drop, "p", epoch / 4)),
    (lambda: (nn.Linear(4, 2), Weighted()), lambda m, loss, epoch: setattr(loss, "beta", float(epoch))),
    (lambda: (nn.Linear(4, 2), nn.CrossEntropyLoss()), lambda m, loss, epoch: loss._options.update(label_smoothing=epoch / 4)),
], ids=["attribute", "dropout", "loss", "option"])
def test_numbers_that_callbacks_change_are_seen(make, set_to):
    losses = annealed(False, make, set_to)
    assert losses == annealed(True, make, set_to) and len(set(losses)) == 3


def test_a_number_of_each_epoch_is_traced_each_time_and_told_of_once():
    def set_to(m, loss, epoch):
        loss.beta = float(epoch)

    with pytest.warns(RuntimeWarning, match=r"fit: `loss\.beta`, .* was 63\.0 and is 64\.0; .*wf\.Variable.*\[fit\.traces\]|"
                                            r"fit: `Weighted\.beta`, .* was 63\.0 and is 64\.0; .*wf\.Variable.*\[fit\.traces\]") as told:
        losses = annealed(False, lambda: (nn.Linear(4, 2), Weighted()), set_to, 140)
    assert losses == annealed(True, lambda: (nn.Linear(4, 2), Weighted()), set_to, 140) and len(told) == 1


def test_a_layer_in_eval_mode_leaves_its_statistics_in_this_fit_alone():
    m = nn.Sequential([nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)])
    m.compile("adam", "cross_entropy")
    counts = []
    still = wf.callbacks.LambdaCallback(on_batch_begin=lambda batch: m[1].eval() if still.run.epoch >= 1 else None,
                                        on_epoch_end=lambda epoch, logs: counts.append(m[1].num_batches_tracked.item()))
    m.fit(X, Y, epochs=3, batch_size=24, verbose=0, callbacks=[still])
    assert counts == [2, 2, 2]
    m.fit(X, Y, epochs=1, batch_size=24, verbose=0)
    assert m[1].num_batches_tracked.item() == 4


def test_a_metric_and_an_optimizer_of_ones_own_are_seen():
    def above(out, y):
        return (out[:, 0] > limits["low"]).astype(wf.float32)

    class Plain(wf.optim.Optimizer):
        sign = 1.0

        def update(self, p, g, state, lr, t):
            return p - g * lr * self.sign, state

    limits, m = {"low": -1e9}, nn.Linear(4, 2)
    optimizer = Plain(m.parameters(), lr=0.1)
    m.compile(optimizer, "cross_entropy", metrics=[above])
    assert m.fit(X, Y, verbose=0)["above"] == [1.0]
    limits["low"], optimizer.sign = 1e9, 0.0
    kept = wf.fingerprint(m.state_dict())
    assert m.fit(X, Y, verbose=0)["above"] == [0.0] and wf.fingerprint(m.state_dict()) == kept


# Control flow.


class Branching(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        y = self.fc(x)
        if wf.sum(x) > 0:
            y = y * 2
        else:
            y = y * 3
        return y


def branching_loss(out, y):
    loss = nn.cross_entropy(out, y)
    if loss > 0.5:
        loss = loss * 2
    return loss


def branching_metric(out, y):
    if wf.sum(out) > 0:
        return wf.ones(())
    return wf.zeros(())


@pytest.mark.parametrize("options", [{}, {"accumulate": 2}, {"precision": "bfloat16"}], ids=str)
def test_branches_on_tensors_in_models_losses_and_metrics(options):
    results = []
    for is_eager in (False, True):
        wf.seed(0)
        m = Branching()
        m.compile(wf.optim.SGD(m.parameters(), lr=0.1), branching_loss, [branching_metric], run_eagerly=is_eager, **options)
        results.append((m.fit(X, Y, epochs=3, batch_size=8, verbose=0).history, m.evaluate(X, Y, batch_size=8)))
    assert results[0] == results[1]
    for x in (X, -X):
        assert m.predict(x, batch_size=48).tolist() == m(wf.tensor(x)).tolist()


class Leaking(Branching):
    def forward(self, x):
        self.seen = self.fc(x)
        return self.seen


def test_what_forward_leaves_behind_is_refused_unless_steps_are_eager():
    m = Leaking()
    m.compile("adam", "cross_entropy")
    with pytest.raises(wf.WrongTypeError, match=r"`Leaking\.seen` is left with a traced .* \[function\.leak\]"):
        m.fit(X, Y, verbose=0)
    m.compile("adam", "cross_entropy", run_eagerly=True)
    m.fit(X, Y, verbose=0)
    assert m.seen.shape == (16, 2)


def test_a_model_that_is_not_changed_is_traced_once():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = Net()
        m.compile("adam", "cross_entropy", metrics=["accuracy"])
        m.fit(X, Y, epochs=3, verbose=0, validation_split=0.25)
        m.fit(X, Y, epochs=2, verbose=0)
        m.predict(X), m.predict(X)
    steps = m._compiled
    assert [len(step._function._traced.trace_log()) for step in (steps.train_step, steps.test_step)] == [1, 1]
    assert len(m._predict._traced.trace_log()) == 1


@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}, {"accumulate": 2}, {"clip_norm": 1.0}])
def test_a_layer_that_the_forward_pass_adds_to_those_of_the_optimizer_is_refused(options):
    class Late(nn.Module):
        def __init__(self):
            self.first, self.second = nn.Linear(4, 4), None

        def forward(self, x):
            if self.second is None:
                self.second = nn.Linear(4, 2)
            return self.second(self.first(x))

    for optimizer in ("sgd", wf.optim.SGD):
        model = Late()
        before = model.first.weight.numpy()
        model.compile(optimizer if optimizer == "sgd" else optimizer(model.parameters(), 0.1), "cross_entropy", **options)
        with pytest.raises(wf.InvalidError, match=r"'second.weight' that it did not have when it was compiled.*call compile again"):
            model.fit(X, Y, epochs=2, batch_size=8, verbose=0)
        np.testing.assert_array_equal(model.first.weight.numpy(), before)
        model.compile("sgd", "cross_entropy", **options)
        model.fit(X, Y, epochs=1, batch_size=8, verbose=0)
