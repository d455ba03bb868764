"""Trains the models of training_runs in Python: fingerprints, numbers by their bits and texts are equal.

    python compare.py <the program training_runs>
"""

import hashlib
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile

import weft as wf

FACTS = []


def say(run, fact, value):
    FACTS.append((run, fact, value))


def bits(number):
    return "nan" if number != number else struct.pack(">d", number).hex()


def say_numbers(run, fact, logs):
    say(run, fact, "".join(f"{name}={bits(value)} " for name, value in logs.items()))


def say_all(run, model, history):
    say(run, "parameters", wf.fingerprint(model.state_dict()))
    say(run, "optimizer", wf.fingerprint(model._compiled.optimizer.state_dict()))
    for name, values in history.history.items():
        if name != "confusion_matrix" and name != "val_confusion_matrix":  # no numbers: C++ has them in the metric alone
            say(run, f"history of {name}", "".join(f"{bits(value)} " for value in values))
    say(run, "why it stopped", str(history.stop_reason))
    say(run, "draws", str(wf._core._generator_state()[1]))


def points(seed, count):
    x = wf.random.normal(wf.random.Key(seed), (count, 4))
    return x, (x[..., 0] * x[..., 1] > 0.0).astype(wf.int64)


def curve(seed, count):
    x = wf.random.normal(wf.random.Key(seed), (count, 4))
    return x, wf.sin(x[..., 0:1]) + x[..., 1:2]


def mlp(outputs):
    return wf.nn.Sequential([wf.nn.Linear(4, 16), wf.nn.relu, wf.nn.Dropout(0.2), wf.nn.Linear(16, outputs)])


def run_mlp(name, run_eagerly):
    wf.seed(5)
    model = mlp(2)
    adam = wf.optim.Adam(model.parameters(), lr=0.02)
    rates = wf.callbacks.LearningRateScheduler(wf.optim.schedules.Cosine(adam, 30), every="step")
    model.compile(adam, wf.nn.CrossEntropyLoss(), ["accuracy"], run_eagerly=run_eagerly)
    kept = points(2, 37)
    history = model.fit(*points(1, 150), epochs=3, validation_data=kept, callbacks=[rates], verbose=0)
    say_all(name, model, history)
    say_numbers(name, "evaluated", model.evaluate(*kept, batch_size=10))
    say(name, "predicted", wf.fingerprint(model.predict(kept[0], 8)))
    say_numbers(name, "on a batch", model.train_on_batch(*kept, class_weight={1: 3.0}))
    say(name, "parameters after it", wf.fingerprint(model.state_dict()))


def run_dataset():
    wf.seed(6)
    model = mlp(1)
    optimizer = wf.optim.RMSprop(model.parameters(), lr=0.01)
    model.compile(optimizer, "huber", ["mse", "mae", "r2"], clip_norm=0.5)
    batches = wf.data.Dataset.from_tensor_slices(curve(3, 75)).shuffle(75, seed=9).batch(16)
    rest = wf.data.Dataset.from_tensor_slices(curve(4, 21)).batch(8)
    say_all("dataset", model, model.fit(batches, epochs=3, validation_data=rest, verbose=0))


def run_weights():
    wf.seed(7)
    model = mlp(2)
    optimizer = wf.optim.AdamW(model.parameters(), lr=0.01)
    confusion = wf.metrics.ConfusionMatrix(2)
    model.compile(optimizer, "cross_entropy", ["precision", "recall", "f1", "auc", confusion], accumulate=2)
    history = model.fit(*points(5, 101), epochs=3, batch_size=12, class_weight={0: 0.5, 1: 2.0}, verbose=0, validation_split=0.2)
    say_all("weights", model, history)
    say("weights", "confusion", wf.fingerprint(confusion.result()))


def run_float16():
    wf.seed(8)
    model = mlp(2)
    optimizer = wf.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model.compile(optimizer, "cross_entropy", ["accuracy", "perplexity"], precision="float16")
    say_all("float16", model, model.fit(*points(6, 64), epochs=2, verbose=0))


def run_frozen():
    wf.seed(12)
    model = mlp(1)
    optimizer = wf.optim.AdamW([{"params": model[0].parameters()}, {"params": model[3].parameters(), "lr": 0.02}])
    model.compile(optimizer, "binary_cross_entropy_with_logits", ["accuracy", "f1", "auc"], precision="float16", accumulate=2)
    x, y = points(13, 77)
    callbacks = [wf.callbacks.LambdaCallback(on_epoch_begin=lambda epoch: model[0].freeze(epoch == 0)),
                 wf.callbacks.LearningRateScheduler(lambda epoch: 0.005 / (epoch + 1))]
    history = model.fit(x, y.astype(wf.float32).reshape((77, 1)), epochs=3, batch_size=8, callbacks=callbacks, class_weight={0: 0.5},
                        verbose=0)
    say_all("frozen", model, history)
    say("frozen", "rate of the second", repr(optimizer.param_groups[1]["lr"]))


def run_convolution():
    wf.seed(9)
    nn = wf.nn
    model = nn.Sequential([nn.Conv2d(None, 4, 3, padding=1), nn.BatchNorm2d(), nn.relu, nn.Flatten(), nn.Linear(None, 3)])
    model.compile("adam", "cross_entropy", [wf.metrics.TopKAccuracy(2)])
    x = wf.random.normal(wf.random.Key(7), (50, 2, 5, 5))
    y = wf.argmax(x.reshape((50, 2, 25)).mean(axis=-1), axis=-1)
    say_all("convolution", model, model.fit(x, y, epochs=2, batch_size=16, validation_data=(x, y), verbose=0))


def run_layers():
    wf.seed(14)
    image, words = wf.nn.Input((4,), name="image"), wf.nn.Input((4,), name="words")
    shared = wf.nn.Linear(4, 8)
    looked = wf.nn.Dropout(0.2)(wf.tanh(shared(image)))
    read = wf.nn.LayerNorm()(shared(words))
    joined = wf.concat([looked, read], axis=1)
    scores = wf.nn.Linear(16, 2)(joined)
    wave = wf.nn.Linear(None, 1)(joined) * 0.5
    model = wf.nn.Model([image, words], {"class": scores, "wave": wave})
    say("layers", "text", repr(model))
    say("layers", "first parameters", wf.fingerprint(model.state_dict()))
    say("layers", "summary", str(model.summary()))
    adam = wf.optim.Adam(model.parameters(), lr=0.02)
    model.compile(adam, {"class": "cross_entropy", "wave": "mse"}, {"class": ["accuracy"]})
    (a, classes), (b, waves) = points(15, 70), curve(16, 70)
    history = model.fit([a, b], {"class": classes, "wave": waves}, epochs=3, batch_size=16, verbose=0)
    say("layers", "names", "".join(f"{name} " for name, _ in model.named_parameters()))
    say("layers", "parameters", wf.fingerprint(model.state_dict()))
    say("layers", "history of loss", "".join(f"{bits(value)} " for value in history["loss"]))
    say("layers", "draws", str(wf._core._generator_state()[1]))
    out = model.predict([a, b])
    say("layers", "predicted", wf.fingerprint(out["class"]) + wf.fingerprint(out["wave"]))


class Branch(wf.nn.Module):
    def __init__(self):
        self.body = wf.nn.Sequential([wf.nn.Linear(4, 4), wf.nn.ReLU()])
        self.heads = [wf.nn.Linear(4, 2)]

    def forward(self, x):
        return wf.tanh(self.heads[0](self.body(x)))


def run_scopes():
    wf.seed(15)
    outer = wf.nn.Sequential([Branch(), wf.nn.Linear(2, 2)])
    with wf.Graph() as graph:
        outer(wf.placeholder(wf.float32, (2, 4), name="x"))
    say("scopes", "names", "".join(f"{operation.name} " for operation in graph.operations))


def run_stopped(folder):
    wf.seed(10)
    model = mlp(1)
    optimizer = wf.optim.SGD(model.parameters(), lr=0.3)
    model.compile(optimizer, "mse")
    log = folder / "log_of_python.csv"
    callbacks = [wf.callbacks.EarlyStopping(patience=2, restore_best_weights=True),
                 wf.callbacks.ReduceLROnPlateau(factor=0.5, patience=1),
                 wf.callbacks.LearningRateScheduler(lambda epoch, rate: rate / (1.0 + 0.1 * epoch)),
                 wf.callbacks.CSVLogger(log)]
    history = model.fit(*curve(8, 40), epochs=30, batch_size=9, validation_data=curve(9, 20), callbacks=callbacks, initial_epoch=1,
                        verbose=0, shuffle=False)
    say_all("stopped", model, history)
    say("stopped", "rate", bits(optimizer.lr))
    say("stopped", "log", log.read_text())
    kept = curve(9, 20)[0]
    history.plot(folder / "curves.png")
    wf.train.draw_confusion(folder / "confusion.svg", [[12345, 2], [0, 7]], ["cat", "dog"])
    wf.train.draw_images(folder / "images.png", kept.reshape((20, 2, 2)), columns=5)
    for name in ("curves.png", "confusion.svg", "images.png"):
        say("stopped", name, hashlib.sha256((folder / name).read_bytes()).hexdigest())
    say("stopped", "summary", str(model.summary(kept)))


def run_resumed(folder, epochs):
    wf.seed(11)
    model = mlp(2)
    adam = wf.optim.Adam(model.parameters(), lr=0.02)
    schedule = wf.optim.schedules.Exponential(adam, 0.9)
    model.compile(adam, "cross_entropy", ["accuracy", "auc"])
    batches = wf.data.Dataset.from_tensor_slices(points(11, 90)).shuffle(90, seed=4).batch(16)
    # The third one kills runs in C++: callbacks keep their state by number.
    callbacks = [wf.callbacks.EarlyStopping(patience=5), wf.callbacks.LearningRateScheduler(schedule), wf.callbacks.LambdaCallback()]
    if folder is not None:
        callbacks.append(wf.callbacks.Resume(folder, every_steps=4))
    say_all("resumed", model, model.fit(batches, epochs=epochs, validation_data=points(12, 20), callbacks=callbacks, verbose=0))


def facts_of(program, *args):
    """{(run, fact): value} of what the program prints; a value may have several lines."""
    out, last = {}, None
    for line in subprocess.run([program, *map(str, args)], capture_output=True, text=True, check=True).stdout.splitlines():
        parts = line.split("\t")
        if len(parts) == 3:
            last = tuple(parts[:2])
            out[last] = parts[2]
        else:
            out[last] += "\n" + line
    return out


def of_python(run, *args):
    FACTS.clear()
    run(*args)
    return {(name, fact): value for name, fact, value in FACTS}


def differences(ours, theirs, what=""):
    out = []
    for place in {**ours, **theirs}:
        a, b = ours.get(place, "not there").rstrip(), theirs.get(place, "not there").rstrip()
        if a != b:
            out.append(f"{', '.join(place)}{what}: {a} in Python, {b} in C++")
    return out


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours = {}
        for run, *args in ((run_mlp, "mlp", False), (run_mlp, "mlp, eagerly", True), (run_dataset,), (run_weights,), (run_float16,),
                           (run_frozen,), (run_convolution,), (run_layers,), (run_scopes,), (run_stopped, folder), (run_resumed, None, 4)):
            ours |= of_python(run, *args)
        problems = differences(ours, facts_of(program, folder))
        whole = {place: value for place, value in ours.items() if place[0] == "resumed"}

        # What one language began the other takes up.
        of_python(run_resumed, folder / "begun by Python", 2)
        problems += differences(whole, facts_of(program, "resume", folder / "begun by Python", 4), ", taken up in C++")
        for place, step in (("killed early", 3), ("killed", 9), ("killed at the end", 23)):
            killed = subprocess.run([program, "resume", folder / place, "4", str(step)], capture_output=True, check=False)
            if killed.returncode != -signal.SIGKILL:
                problems.append(f"a run that was to be killed ended with {killed.returncode}")
            problems += differences(whole, facts_of(program, "resume", folder / place, 4), f", killed before step {step}")
        facts_of(program, "resume", folder / "begun by C++", 3)
        problems += differences(of_python(run_resumed, folder / "begun by C++", 4), whole, ", taken up in Python")
    print(*problems, f"{len(ours)} facts, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
