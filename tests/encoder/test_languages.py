"""A text in a language that the model does not know is encoded, counted and warned about."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.claims.foreign import Foreign
from phage.cli import app
from phage.encoder import Encoder
from phage.encoder.loading import find_model
from phage.encoder.settings import known_languages
from phage.errors import PhageError

GERMAN = "Eine Pumpe mit einer Welle, die nach Anspruch 1 in der Pumpe ist und das Gehäuse hat."
ENGLISH = "A pump with a shaft, wherein the shaft of the pump is coupled to said housing."


@pytest.fixture
def model(tiny, tmp_path):
    """A folder that says which language it knows."""
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    encoder.settings = replace(encoder.settings, languages=("en",))
    encoder.save_pretrained(tmp_path / "english")
    return tmp_path / "english"


def patents(tmp_path, *languages):
    texts = {"de": GERMAN, "en": ENGLISH}
    made = [
        Patent(f"US{n}A", (Claim(1, texts[code]),), language=code, title="Pump")
        for n, code in enumerate(languages)
    ]
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(json.dumps(one.to_json()) for one in made))
    return path


def call(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def said(done) -> str:
    return " ".join(done.stderr.split())


def test_the_embedded_model_knows_english():
    assert known_languages(find_model("phage-mini")) == ("en",)


def test_a_folder_keeps_its_languages(model, tiny):
    assert Encoder.from_pretrained(model).settings.languages == ("en",)
    assert Encoder.from_pretrained(tiny).settings.languages == ()


@pytest.mark.parametrize("wrong", ['"en"', "[1]"])
def test_languages_that_are_no_list_are_named(model, wrong):
    (model / "reading.json").write_text(f'{{"section": "whole", "languages": {wrong}}}')
    with pytest.raises(PhageError, match=r"languages in reading\.json"):
        Encoder.from_pretrained(model)


def test_encode_counts_them_and_warns_once(model, tmp_path):
    source = patents(tmp_path, "de", "en", "de")
    done = call("encode", model, source, "-o", tmp_path / "v", "--json")
    told = json.loads(done.stdout)
    assert told["vectors"] == 3 and told["unknown_language"] == {"de": 2}
    assert said(done).count("2 of 3 texts are not in English (German 2)") == 1


def test_a_model_that_names_none_is_not_warned_about(tiny, tmp_path):
    done = call("encode", tiny, patents(tmp_path, "de"), "-o", tmp_path / "v", "--json")
    assert json.loads(done.stdout)["unknown_language"] == {}
    assert "German" not in done.stderr


def test_index_and_search_warn(model, tmp_path):
    pytest.importorskip("lancedb")
    place = tmp_path / "ix"
    done = call(
        "index", patents(tmp_path, "en", "de", "en"), "-o", place, "--model", model, "--json"
    )
    assert json.loads(done.stdout)["unknown_language"] == 1
    assert "1 of 3 texts is not in English (German 1)" in said(done)
    assert "this text is in German" in said(call("search", place, GERMAN))
    assert "German" not in call("search", place, ENGLISH).stderr
    lines = [{"text": GERMAN}, {"text": ENGLISH}, {"number": "US0A"}]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = call("search", place, "--queries", tmp_path / "q.jsonl")
    assert "1 of 2 texts is not in English" in said(done) and len(done.stdout.splitlines()) == 3


def test_the_service_says_it_in_its_answer(model):
    pytest.importorskip("fastapi")
    from phage.serve.dispatch import Service
    from phage.serve.service import Desk
    from phage.serve.settings import Settings

    service = Service(Desk(Encoder.from_pretrained(model, device="cpu"), None), Settings())
    assert "this text is in German, but english knows only English" in service.warning([GERMAN])
    assert service.warning([ENGLISH, Patent("US1A")]) == ""


def test_a_language_without_a_name_is_called_by_its_code():
    foreign = Foreign(("en", "de"))
    foreign.add(Patent("PL1A", language="pl"))
    foreign.add(Patent("EP1A", language="de"))
    assert "1 of 2 texts is not in English or German (pl 1), the languages" in foreign.warning("m")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Pumpengehäuse mit Dichtung", "German"),
        ("Verfahren zum Kühlen einer Batterie", "German"),
        ("procédé de refroidissement d'une batterie", "French"),
        ("dispositif de pompage pour le sang", "French"),
        ("一种泵，包括壳体", "Chinese"),
        ("電池の冷却装置", "Japanese"),
        ("배터리 냉각 장치", "Korean"),
    ],
)
def test_a_short_query_in_another_language_is_known(text, name):
    foreign = Foreign(known_languages(find_model("phage-mini")))
    foreign.add(text)
    assert f"this text is in {name}, but phage-mini knows only English" in foreign.warning(
        "phage-mini"
    )


@pytest.mark.parametrize(
    "text",
    [
        "pump", "die casting", "centrifugal pump seal", "a promoter as well as a plant cell",
        "2-(2,2-dimethylpropyl)-7-[2-(5-methyl-2-phenyloxazol-4-yl)ethoxy]-l,2,3,4-tetrahydro",
        "N-cyclopropyl-5-(pyrrolidin-1-yl)piperidin-1-yl)carbonyl)amino)pyridine", "C6H12O6, NaCl",
        "Möbius strip", "Fabry-Pérot interferometer", "γ-Fe2O3 nanoparticles, 5 µm", "42 °C", "",
    ],
)  # fmt: skip
def test_english_chemistry_and_short_queries_are_not_warned_about(text):
    foreign = Foreign(("en",))
    foreign.add(text)
    assert foreign.warning("phage-mini") == ""
