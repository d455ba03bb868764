"""wf.help knows every law that an error can carry: those in the sources, in C++ and in Python."""

import pathlib
import re

import pytest

import weft as wf
from weft import _core, _help, _laws

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHO = r'(?:"([\w.]+)"|[^",;]+?)'
RAISED = (re.compile(r'\bfail\(\s*Code::\w+,\s*' + WHO + r',\s*"(\w+)"', re.S),
          re.compile(r'\brequire(?:_index|_type)?\((?:[^;"]*?)()"(\w+)",', re.S), re.compile(r'()\bLaw\{"(\w+)"'))
# "... [who.law]" at the end of a message; {who} is known when it runs.
SPOKEN = re.compile(r'\[(\w+|\{[\w.()]+\})\.(\w+)\]"')


def of_sources():
    """{(who or None, law): the file that raises it}."""
    found = {}
    for path in [*(ROOT / "weft").rglob("*.cc"), *(ROOT / "weft").rglob("*.h"), *(ROOT / "python/bindings").iterdir()]:
        if not path.name.endswith(("_test.cc", "_samples.h")) and path.suffix in (".cc", ".h"):
            for pattern in RAISED:
                for who, law in pattern.findall(path.read_text()):
                    found.setdefault((who or None, law), path)
    for path in (ROOT / "python/weft").rglob("*.py"):
        for who, law in SPOKEN.findall(path.read_text()):
            found.setdefault((None if who.startswith("{") else who, law), path)
    return found


def test_every_law_in_the_sources_has_a_text():
    laws = of_sources()
    assert len(laws) > 500 and ("fit", "class_weight") in laws and (None, "rows") in laws
    of_ops = {label for entry in _core.registry() for label in entry["laws"]}
    silent = {f"{path.relative_to(ROOT)}: {who or '...'}.{law}" for (who, law), path in laws.items()
              if f"{who}.{law}" not in _laws.NAMED and law not in _laws.WORDS and law not in _help._COMMON and law not in of_ops}
    assert not silent, "laws without a text in python/weft/_laws.py:\n" + "\n".join(sorted(silent))


def test_every_law_with_a_name_is_explained(capsys):
    for who, law in of_sources():
        if who is not None:
            wf.help(f"{who}.{law}")
            out = capsys.readouterr().out
            assert f".{law}: " in out.partition("\n")[0], (who, law, out[:80])


def test_no_text_is_of_a_law_that_nobody_raises():
    laws = {law for _, law in of_sources()}
    told = {"cooldown", "epochs", "initial_epoch", "jvp", "path", "patience", "type", "y"}  # whose words the message fills in
    assert not set(_laws.WORDS) - laws - told
    assert not {name for name in _laws.NAMED if name.rpartition(".")[2] not in laws | told}


@pytest.mark.parametrize("topic, first, more", [
    ("fit.class_weight", "fit.class_weight: class_weight is {class: weight}: classes are those that the model tells apart",
     "Trains the model"),
    ("csv.types", "csv.types: types has a dtype or str for each column", "csv("),
    ("load_state_dict.match", "load_state_dict.match: a state has the names, shapes and dtypes", "load_state_dict("),
    ("CheckpointManager.checksum", "CheckpointManager.checksum: the bytes are not those that were written", "Saves objects to a folder"),
    ("safetensors.safetensors", "safetensors.safetensors: the file is no whole safetensors file", ""),
    ("ModelCheckpoint.every_steps", "ModelCheckpoint.every_steps: ", "Saves the model and its optimizer")])
def test_laws_outside_of_ops_are_explained(topic, first, more, capsys):
    wf.help(topic)
    out = capsys.readouterr().out
    assert out.startswith(first) and more in out
