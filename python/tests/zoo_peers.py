"""The losses of the zoo's models in PyTorch, in float64; run by test_zoo.py in .venv-peers, which needs them to be those of the file.

  PYTHONPATH=build/release/python .venv-peers/bin/python python/tests/zoo_peers.py --write    makes zoo_losses.json anew
"""

import json
import pathlib
import sys

import numpy as np
import torch

import zoo
import zoo_example_peers

FILE = pathlib.Path(__file__).with_name("zoo_losses.json")


def cross_entropy(logits, classes):
    return torch.nn.functional.cross_entropy(logits.flatten(0, -2), classes.flatten())


class TorchSystem:
    nn, Module, optim = torch.nn, torch.nn.Module, torch.optim
    sequential = staticmethod(lambda *layers: torch.nn.Sequential(*layers))
    concat = staticmethod(lambda tensors, axis: torch.cat(tensors, dim=axis))
    mean = staticmethod(lambda x, axes: torch.mean(x, dim=axes))
    relu, exp, positions = staticmethod(torch.relu), staticmethod(torch.exp), staticmethod(torch.arange)
    stop_gradient = staticmethod(torch.Tensor.detach)
    cross_entropy = staticmethod(cross_entropy)
    mse = staticmethod(torch.nn.functional.mse_loss)
    binary = staticmethod(torch.nn.functional.binary_cross_entropy_with_logits)
    output = staticmethod(lambda output, target: output)

    @staticmethod
    def example(name):
        return zoo_example_peers.MODELS[name]()


def begun(model):
    """The model in float64, with the values that both systems start from."""
    model = model.double()
    values = zoo.starting_values({name: tuple(p.shape) for name, p in model.named_parameters()})
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.tensor(values[name], dtype=torch.float64))
    return model


def tensor(array):
    made = torch.tensor(array)
    return made.double() if made.is_floating_point() else made


def updated(optimizer, loss_of):
    optimizer.zero_grad()
    loss = loss_of()
    loss.backward()
    optimizer.step()
    return loss.item()


def losses_of(name):
    new, batches, loss, optimizer, keywords = zoo.MODELS[name]
    model, loss = begun(new(TorchSystem)), getattr(TorchSystem, loss)
    optimizer = getattr(torch.optim, optimizer)(model.parameters(), **keywords)
    return [updated(optimizer, lambda: loss(model(tensor(x)), tensor(y))) for x, y in batches()]


def losses_of_gan():
    forge, judged = begun(zoo.forger(TorchSystem)), begun(zoo.judge(TorchSystem))
    forging, judging = (torch.optim.Adam(model.parameters(), **zoo.GAN_ADAM) for model in (forge, judged))
    out = []
    for genuine, z in zoo.gan_batches():
        of_judge, of_forger = zoo.gan_losses(TorchSystem, forge, judged, tensor(genuine), tensor(z))
        out += [updated(judging, of_judge), updated(forging, of_forger)]
    return out


def main():
    found = {**{name: losses_of(name) for name in zoo.MODELS}, "gan": losses_of_gan()}
    if "--write" in sys.argv[1:]:
        lines = [f'  "{name}": [{", ".join(f"{loss:.9f}" for loss in losses)}]' for name, losses in found.items()]
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    kept = json.loads(FILE.read_text())
    assert kept.keys() == found.keys(), f"the file has {sorted(kept)}, PyTorch trained {sorted(found)}; write it anew"
    for name, losses in found.items():
        np.testing.assert_allclose(losses, kept[name], rtol=1e-6, atol=1e-8, err_msg=name)
    print(f"{len(found)} models have the losses of the file")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
