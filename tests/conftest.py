"""The tiny model as a fixture, how properties are tried, and the modules that tests may import."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # before the hub's library is imported

import pytest
from hypothesis import HealthCheck, settings

for _name in ("layouts", "plain", "tiny_model"):
    _spec = importlib.util.spec_from_file_location(_name, Path(__file__).with_name(f"{_name}.py"))
    sys.modules[_name] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules[_name])

import tiny_model

# The same cases in every run, and no clock: a change fails by what it does. HYPOTHESIS=explore
# looks for new ones (make explore); what it finds becomes a case of its own.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("steady"), derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS", "steady"))


@pytest.fixture(scope="session", autouse=True)
def exact_products():
    """Multiply in float32 unless a test asks otherwise, whatever this processor does best."""
    from phage.encoder import loading

    own = loading.fast_half
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "fast_half", lambda: False)
        yield own


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A plain transformers folder: a random BERT of two layers and a word tokenizer."""
    folder = tmp_path_factory.mktemp("tiny")
    tiny_model.save(folder)
    return folder


@pytest.fixture
def phage(capsys, monkeypatch):
    """Run the command line in this process, as a shell would: code, stdout, stderr."""
    from phage.cli import main

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["phage", *map(str, words)])
        monkeypatch.delenv("PHAGE_DEBUG", raising=False)
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return run
