"""wf.save and wf.load: tensors by name, in files that others read."""

from . import _core, _creation, _hints
from ._hints import brief as _brief


def _path(path, who):
    """The path as a string; anything else raises."""
    path = _hints.as_path(path, who)
    _hints.need_unicode(path, who, "path")
    return path


def _named(tensors):
    for name, value in tensors.items():
        if not isinstance(name, str):
            raise _core.WrongTypeError(f"save: the name of a tensor is {_brief(name)}; names are strings [save.names]")
        _hints.need_unicode(name, "save", "names")
        if isinstance(value, dict):
            raise _core.WrongTypeError(f"save: {_brief(name)} is a dict, but a file has one level of names; join them by dots, "
                                       f"{{'{name}.w': w}}, or keep several states with wf.CheckpointManager [save.tensors]")
        if isinstance(value, (str, bytes)) or value is None:
            who = f"{_brief(name)}" if name else "the tensor"
            raise _core.WrongTypeError(f"save: {who} is {_brief(value)}; it is a tensor, an array, a nested list or a number, and texts are "
                                       "metadata, {name: text} [save.tensors]")
        tensors[name] = value if isinstance(value, (_core.Tensor, _core.Variable)) else _creation.tensor(value)
    return tensors


@_hints.spoken
def save(path, tensors, metadata=None, compressed=False):
    """Writes tensors, `{name: tensor}`, to a file, in one step: who reads it sees the old content or the new.

    The file is in the safetensors format, with `metadata`, `{name: text}`. A path that ends in .npz is NumPy's archive,
    `compressed` or not; one that ends in .npy holds one array, given without a name.

    >>> wf.save("model.safetensors", {"w": wf.ones((2, 3))}, metadata={"epoch": "3"})
    >>> wf.load("model.safetensors")["w"].shape
    (2, 3)
    """
    path = _path(path, "save")
    if not isinstance(tensors, dict):
        if not path.endswith(".npy"):
            raise _core.WrongTypeError(f"save: the tensors must be a dict, {{name: tensor}}, but got {type(tensors).__name__}; only "
                                       "a file that ends in .npy holds one without a name [save.tensors]")
        tensors = {"": tensors}
    metadata = {} if metadata is None else metadata
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for item in metadata.items() for text in item):
        raise _core.WrongTypeError(f"save: metadata are texts by name, {{str: str}}, but got {_brief(metadata)}; make texts of them, "
                                   "with json.dumps for example [save.metadata]")
    for item in metadata.items():
        for text in item:
            _hints.need_unicode(text, "save", "metadata")
    _core._save(path, _named(dict(tensors)), metadata, _hints.as_flag(compressed, "save", "compressed"))


@_hints.spoken
def load(path, names=None):
    """The tensors of a file that `save`, the safetensors package or NumPy wrote, `{name: tensor}`; of an npy file the tensor.

    `names` are those to read; the others stay in the file. Of no names, `[]`, none are.
    """
    if isinstance(names, str):
        raise _core.WrongTypeError(f"load: names must be a list of names, but got {_brief(names)}; write [{_brief(names)}] [load.names]")
    loaded = _core._load(_path(path, "load"), None if names is None else _hints.as_list(names, "load", "names"))
    return loaded[0][1] if [name for name, _ in loaded] == [""] and names is None and _is_npy(path) else dict(loaded)


def _is_npy(path):
    with open(path, "rb") as file:
        return file.read(6) == b"\x93NUMPY"


@_hints.spoken
def load_metadata(path):
    """The texts in a safetensors file, `{name: text}`, without its tensors."""
    return _core._load_metadata(_path(path, "load_metadata"))
