"""The reference pages are what the registry says, every example gives what is shown, and wf.help finds ops by a word."""

import pathlib
import subprocess
import sys

import pytest
import weft as wf

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_pages_are_up_to_date():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "reference.py", "--check"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr


def test_help_finds_ops_by_a_word(capsys):
    wf.help("convol")
    text = capsys.readouterr().out
    assert text.startswith("no op is called 'convol'; these have to do with it:")
    assert "wf.nn.conv2d: " in text
    wf.help("entropy")
    assert "wf.nn.cross_entropy: " in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"\[help.topic\]"):
        wf.help("nothing_of_the_kind")
