"""Good inputs for every command, and a way to run one."""

import pytest

from phage.claims import write
from phage.invented import invent
from tiny_model import recipe


def some_patents(count=60):
    return (invention.patent for invention in invent(count, seed=7))


@pytest.fixture(scope="session")
def own(tiny, tmp_path_factory):
    """Good inputs of every kind that are cheap to make."""
    folder = tmp_path_factory.mktemp("own")
    write(some_patents(), folder / "patents.jsonl")
    (folder / "recipe.toml").write_text(recipe(tiny, max_steps=1))
    from phage.encoder import Encoder
    from phage.searching.index import Index

    encoder = Encoder.from_pretrained(tiny)
    Index.create(folder / "own.index", encoder).add(list(some_patents(2)), encoder)
    (folder / "recipes").mkdir()
    (folder / "recipes" / "one.toml").write_text(recipe(tiny, max_steps=1))
    return {
        "patents": folder / "patents.jsonl",
        "recipe": folder / "recipe.toml",
        "ownpatents": folder / "patents.jsonl",
        "ownrecipe": folder / "recipe.toml",
        "ownrecipes": folder / "recipes",
        "tiny": tiny,
        "owntiny": tiny,
        "ownvectors": folder / "vectors.npz",
        "ownindex": folder / "own.index",
    }


@pytest.fixture
def answer(phage):
    """Run a command; give its exit code and everything it wrote."""

    def run(command, words):
        code, out, err = phage(command, *words)
        return code, out + err

    return run
