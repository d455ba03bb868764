"""States of objects as checkpoints keep them: plain values, lists and dicts, and (tag, content) for what else Python has."""

from . import _core, _hints, _tree


def plain(value, name):
    """The value made of None, numbers, texts, tensors, lists, dicts with names as keys, and pairs (tag, content)."""
    return _tree.walked("CheckpointManager", _plain, value, name)


def _plain(value, name):
    if value is None or isinstance(value, (bool, float, str, _core.Tensor, _core.Variable)):
        return _finite_kind(value)
    if isinstance(value, int):
        return int(value) if -2**63 <= value < 2**64 else ("int", str(int(value)))
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            for key in value:
                _hints.need_unicode(key, "CheckpointManager", "state")
            return {key: _plain(item, f"{name}.{key}") for key, item in value.items()}
        return "dict", [[_plain(key, name), _plain(item, f"{name}.{key}")] for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        items = [_plain(item, f"{name}.{i}") for i, item in enumerate(value)]
        return items if isinstance(value, list) else ("tuple", items)
    if isinstance(value, (bytes, bytearray)):
        return "bytes", bytes(value).hex()
    if isinstance(value, _core.DType):
        return "dtype", str(value)
    return _other(value, name)


def _finite_kind(value):
    """Subclasses of numbers and texts, NumPy's among them, as their Python kind."""
    for kind in (float, str):
        if isinstance(value, kind):
            value = kind(value)
    if isinstance(value, str):
        _hints.need_unicode(value, "CheckpointManager", "state")
    return value


def _other(value, name):
    import numpy as np

    from . import _creation, random

    if isinstance(value, random.Key):
        return "key", value.__weft_tensor__
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        return "array" if isinstance(value, np.ndarray) else "scalar", _creation.tensor(np.array(value))
    raise _core.WrongTypeError(f"CheckpointManager: '{name}' is an object of type {type(value).__name__}; a state is made of "
                               "tensors, arrays, numbers, texts, and lists, tuples and dicts of these [CheckpointManager.state]")


def rich(value):
    """What `plain` was given."""
    if isinstance(value, list):
        return [rich(item) for item in value]
    if isinstance(value, dict):
        return {key: rich(item) for key, item in value.items()}
    return _tagged(*value) if isinstance(value, tuple) else value


def _tagged(tag, content):
    if tag == "tuple":
        return tuple(rich(item) for item in content)
    if tag == "dict":
        return {rich(key): rich(item) for key, item in content}
    if tag == "int":
        return int(content)
    if tag == "bytes":
        return bytes.fromhex(content)
    if tag == "dtype":
        return _core.dtype(content)
    if tag in ("array", "scalar"):
        array = content.numpy().copy()
        return array if tag == "array" else array[()]
    if tag == "key":
        from .random import Key

        return Key(content)
    raise _core.InvalidError(f"CheckpointManager: the state holds a '{tag}', which this version of Weft does not know; load it "
                             "with the version that saved it [CheckpointManager.state]")
