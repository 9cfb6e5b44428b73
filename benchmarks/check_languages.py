"""How good antecedents are in languages without a ladder: alarms per patent, and faults found.

In:   the multilingual patents of shared/data.
Out:  per language: findings of antecedent-missing per patent, and the share found of one fault per
      patent: a name behind "ledit", 所述, 前記 or 상기 replaced by one that no claim has.
Why:  a rule that runs in a language must have been measured in it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from phage.checking import CheckSettings, check
from phage.claims import Patent, read

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
FILES = (
    DATA / "multilingual-families.jsonl.xz",
    DATA / "korean-japanese-claims.jsonl.xz",
)
MOST = 200
_TAKEN_UP = {
    "fr": re.compile(r"\b(?:ledit|ladite|dudit) ([a-zéèêà]{4,})(?=[ ,;.])"),
    "zh": re.compile("所述([\u4e00-\u9fff]{2,4})(?=[,，。；;(（、])"),
    "ja": re.compile("前記([\u30a0-\u30ff\u4e00-\u9fff]{2,8})(?=[はがをのにと、])"),
    "ko": re.compile("상기 ([가-힣]{2,5})(?=[은는이가을를의에])"),
}
"""The name behind a word that takes up, by plain patterns."""
_NAMES = {
    "fr": ("trampoline", "télescope", "carburateur"),
    "zh": ("齿轮箱", "望远镜", "橡皮筋"),
    "ja": ("歯車箱", "望遠鏡", "輪ゴム"),
    "ko": ("기어박스", "망원경", "고무줄"),
}
_ONLY = CheckSettings(select=("antecedent-missing",))


def languages() -> dict[str, Any]:
    """Measure every language."""
    patents: dict[str, list[Patent]] = {language: [] for language in _NAMES}
    for path in FILES:
        for patent in read(path):
            found = patents.get(patent.language)
            if found is not None and len(found) < MOST:
                found.append(patent)
    return {language: _measured(language, found) for language, found in patents.items() if found}


def _measured(language: str, patents: list[Patent]) -> dict[str, Any]:
    alarms = sum(len(check(patent, _ONLY).findings) for patent in patents)
    hits = [hit for patent in patents for hit in _fault(language, patent)]
    return {
        "patents": len(patents),
        "antecedent_per_patent": round(alarms / len(patents), 3),
        "faults": len(hits),
        "found": round(sum(hits) / max(1, len(hits)), 3),
    }


def _fault(language: str, patent: Patent) -> Iterator[bool]:
    """Put one wrong name into a patent and say whether it was found."""
    rng = random.Random(patent.number)
    unchecked = check(patent, _ONLY).unchecked
    spots = [
        (claim, match)
        for claim in patent.claims
        if claim.number not in unchecked
        for match in _TAKEN_UP[language].finditer(claim.text)
    ]
    if not spots:
        return
    claim, match = rng.choice(spots)
    name = rng.choice(_NAMES[language])
    text = claim.text[: match.start(1)] + name + claim.text[match.end(1) :]
    claims = tuple(replace(c, text=text) if c is claim else c for c in patent.claims)
    end = match.start(1) + len(name)
    yield any(
        place.claim == claim.number and place.start < end and match.start() < place.end
        for finding in check(replace(patent, claims=claims), _ONLY).findings
        for place in (finding.place, *finding.related)
    )
