"""One training step, three ways: eagerly, as a graph in a session, as one traced function. The bits are the same.

mlp.py, lenet.py, lstm.py and transformer.py bring a model each, and train it here. three_ways.h is the twin in C++.
"""

import functools
import re
import sys

import weft as wf


def eagerly(weights, loss_of, rate):
    """Every op computes when it is reached."""

    def step(inputs, targets):
        loss, slopes = wf.value_and_grad(loss_of)(weights, inputs, targets)
        for weight, slope in zip(weights, slopes):
            weight.assign_sub(slope * rate)
        return loss

    return step


def as_function(weights, loss_of, rate):
    """The same lines, traced at the first call: forward, backward and update are one graph, which later calls run."""
    return wf.function(eagerly(weights, loss_of, rate))


class InSession:
    """Define, then run: placeholders stand for a batch, the gradients and the updates are further nodes."""

    def __init__(self, weights, loss_of, rate, types):
        with wf.Graph() as self.graph:
            self.inputs, self.targets = (wf.placeholder(type, name=name) for name, type in types.items())
            values = [weight.read() for weight in weights]
            loss = loss_of(values, self.inputs, self.targets)
            for weight, slope in zip(weights, wf.gradients(loss, values)):
                weight.assign_sub(slope * rate)
        updates = [op for op in self.graph.operations if op.type == "assign_variable"]
        self.fetches = [loss, updates]
        self.session = wf.Session(self.graph)

    def __call__(self, inputs, targets):
        return self.session.run(self.fetches, {self.inputs: inputs, self.targets: targets})[0]


def trained(new_weights, loss_of, rate, types, batches):
    """Trains three times from the same weights, tells how it went, and gives the trained weights.

    `types` names the placeholders, {"x": "f32[batch, 2]", "labels": "i64[batch]"}. Asked for --graph the program prints
    the graph of a step instead. Ends with an error if two ways differ in a single bit.
    """
    in_session = functools.partial(InSession, types=types)
    if "--graph" in sys.argv[1:]:
        print_graph(in_session(new_weights(), loss_of, rate).graph)
    outcomes = {}
    for name, way in {"eager": eagerly, "session": in_session, "function": as_function}.items():
        weights = new_weights()
        step = way(weights, loss_of, rate)
        losses = [float(step(inputs, targets)) for inputs, targets in batches]
        outcomes[name] = losses, wf.fingerprint(weights)
    print(f"loss {losses[0]:.4f} at first, {losses[-1]:.4f} after {len(batches)} steps")
    for name, (_, bits) in outcomes.items():
        print(f"  {name:<10}{bits}")
    require(all(outcome == (losses, bits) for outcome in outcomes.values()), "the three ways differ")
    require(step.trace_count == 1, f"the function was traced again: {step.trace_log()[-1]}")
    print(f"  one trace served {shapes(inputs for inputs, _ in batches)}")
    return weights


def shapes(tensors):
    """How many shapes there were: "one shape", "7 shapes"."""
    count = len({tuple(x.shape) for x in tensors})
    return "one shape" if count == 1 else f"{count} shapes"


def print_graph(graph):
    """Prints the text of a graph, without the lines of the program, and ends it."""
    print(re.sub(r' at "[^"]*"', "", str(graph)), end="")
    sys.exit()


def require(condition, message):
    if not condition:
        sys.exit(f"wrong: {message}")
