"""Korean: noun phrases with their markers.

In:   claim text.
Out:  its mentions.
Why:  a noun phrase is a run of words whose last word carries a particle. 상기 marks known things; a
      bare noun is new."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.language.ko.citations import references
from phage.language.marked_phrases import ClaimedThing, MarkedPhrase, Marker, mentions_of
from phage.language.words import load_table, load_words

_WORDS = load_words(__package__)
_PARTICLES = tuple(load_table(__package__, "words.toml")["particles"].split())  # in this order
_JOINT, _CLOSED, _OPEN = _WORDS["joint"], _WORDS["closed"], _WORDS["open"]
_ADVERB, _PLACE = _WORDS["adverb"], _WORDS["place"]
_WORD = re.compile(r"제\s\d+(?![\d\w])|[^\s,;:.。、…()\[\]\"“”]+|[,;:.。、]")
_KNOWN = re.compile(r"상기(?:의|한)?|해당|당해|전술한|상술한|전기|그|이러한|이|이들|그들의?|본")
_NEW = re.compile(
    r"하나(?:의|이상의)?|한|일|복수(?:의|개의|개)?|다수(?:의|개의)?|적어도|최소한|둘|두|세|네|쌍의|"
    r"이상의|개의|개|\d+개의|\d+종|\w개의|다른|또다른|임의의|어느|소정의|별도의"
)
_EACH = re.compile(r"각(?:각의?|각|기)?")
# Nouns whose last syllable looks like a particle.
_WHOLE = re.compile(
    r"(?:회|경|통|선|도|미|수|유|진|기|전|후|항|원|소|요|고|용|난|연|노)로$|"
    r"(?:길|높|깊|넓|사|차|둘레|놀|손잡|걸|꽂|덮|끼|굽|바|나|다|추|파|게|벌|케)이$|"
    r"(?:결|효|성|경|통|투|초|부)과$|(?:평|증|추|첨|인|대|참|휴|물|시)가$|"
    r"(?:정|주|유|회|강|합|동|문|상|편)의$|(?:마|가|조|대|평|시|진|수|비|지|각|하)은$|"
    r"(?:고|라|디자|코|확|요|원|승|개|노|본|정|타|외|내)인$|(?:스위치|세)와$|"
    r"(?:부하|변화|강화|산화|열화|정화|활성화|최소화)$"
)
_BY_END = {end: [p for p in _PARTICLES if p[-1] == end] for end in {p[-1] for p in _PARTICLES}}
_VERBAL = re.compile(
    r".*(?:되는|된|될|되어|되고|되며|되도록|되거나|되지|됨|됨을|하는|하여|하고|하며|하도록|하거나|하되|하지|하기|"
    r"한|할|함|함을|하면|시키는|시킨|시켜|시키고|시키며|있는|있고|있으며|있어서|있도록|있다|없는|없이|않는|"
    r"위한|위하여|위해|따른|따라|따라서|대한|대하여|대해|의한|의해|의하여|통한|통해|통하여|관한|갖는|갖고|가지는|"
    r"가지고|가지며|가진|이루어진|이루어지는|이루는|이루고|만들어진|이용하여|사용하여|포함하는|구비하는|"
    r"(?:나타내|이루|지니|보이|둘러싸|감싸|흐르|따르|움직이|당기|나누|바꾸|낮추|높이|늘리|줄이|끼우|놓이|맞물리|걸리|"
    r"열리|닫히|마주보|거치|미치)(?:는|고|며|되|면|거나)|"
    r"[^제]거나|면서|면|도록|게|히|지며|지고|지는|진|어진|어서|아서|여서|며|고서)"
)
_NOUNS = re.compile(r".*(?:제한|상한|하한|극한|권한|전면|후면|상면|하면|측면|표면|단면|저면|평면|내면|외면|배면|"
                    r"도면|화면|양면|일면|타면|장면|경면|계면|노면|정면|곡면|접촉면|지면)")  # fmt: skip
_QUANTITY = re.compile(
    r"[\d.,~∼\-+/≤≥<>=×%℃°㎜㎛μ]+(?:[a-zA-Z%℃㎜㎛㎝]*|중량|몰|개|회|배|도|초|분|시간|이상|이하)?"
)


def chunks(text: str) -> Iterator[MarkedPhrase]:
    """Find runs of words that end with a particle, and the marker before them.

    >>> [(p.term, str(p.mark)) for p in chunks("상기 제1 회전축에 결합된 베어링을 포함")]
    [('제1 회전축', 'known'), ('베어링', 'none')]
    """
    mark, start = Marker.NONE, -1
    run: list[tuple[str, int, int]] = []
    for match in _WORD.finditer(text):
        word, begin = match.group(), match.start()
        if word.startswith("상기") and len(word) > 4 and not _KNOWN.fullmatch(word):
            yield from _closed(run, mark, start)  # "상기하우징은"
            run, mark, start = [], Marker.KNOWN, begin
            word, begin = word[2:], begin + 2
        if run and word in _PARTICLES and begin - run[-1][2] > 2:
            yield from _closed(run, mark, start)  # "중쇄(VH)가"
            run, mark, start = [], Marker.NONE, -1
            continue
        if found := _mark(word, mark):
            yield from _closed(run, mark, start)
            keep = mark if not run and mark is Marker.KNOWN and found is Marker.NEW else found
            start = start if keep is mark and start >= 0 else begin
            run, mark = [], keep
            continue
        if word in _JOINT or not re.match(r"\w", word) or _verbal(word):
            yield from _closed(run, mark, start)
            run, mark, start = [], Marker.NONE, -1
            continue
        stem, particle = particle_of(word)
        if particle == "인" and not _THAT.match(text, match.end()):
            stem, particle = word, ""  # 도메인, 라인
        if particle == "의" and stem.endswith("형"):
            continue  # "환형의 부분": an adjective
        if _QUANTITY.fullmatch(stem) or stem.endswith("적") or stem.startswith("것"):
            yield from _closed(run, mark, start)
            run, mark, start = [], Marker.NONE, -1
            continue
        run.append((stem, begin, begin + len(stem)))
        if particle:
            yield from _closed(run, mark, start)
            run, mark, start = [], Marker.NONE, -1
    yield from _closed(run, mark, start)


def _mark(word: str, mark: Marker) -> Marker | None:
    if _KNOWN.fullmatch(word):
        return Marker.KNOWN
    if _EACH.fullmatch(word):
        return Marker.EACH if mark is not Marker.KNOWN else Marker.KNOWN
    return Marker.NEW if _NEW.fullmatch(word) else None


def _closed(run: list[tuple[str, int, int]], mark: Marker, start: int) -> Iterator[MarkedPhrase]:
    """Yield the run as a phrase; "제 1 축" and "제1 축" are the same."""
    first = next((at for at, word in enumerate(run) if word[0] not in _ADVERB), len(run))
    run = run[first:]
    while len(run) > 1 and run[-1][0] in _PLACE:
        run.pop()
    if not run:
        return
    term = re.sub(r"^제\s+(?=\d)", "제", " ".join(word for word, _, _ in run)).lower()
    term = re.sub(r"^(제\d+)(?=[가-힣])", r"\1 ", term)
    if re.search(r"[가-힣a-z]{2}|[가-힣]\s", term) or (mark is Marker.KNOWN and len(term) > 0):
        yield MarkedPhrase(term, mark, start if start >= 0 else run[0][1], run[-1][2])


_THAT = re.compile(r"\s*(?:것|경우)")


def _verbal(word: str) -> bool:
    return _VERBAL.fullmatch(word) is not None and _NOUNS.fullmatch(word) is None


def particle_of(word: str) -> tuple[str, str]:
    """Split a word into stem and particle; the last syllable decides which one can follow.

    >>> particle_of("하우징에"), particle_of("회로를"), particle_of("회로"), particle_of("길이")
    (('하우징', '에'), ('회로', '를'), ('회로', ''), ('길이', ''))
    """
    for particle in _BY_END.get(word[-1], ()):
        stem = word[: -len(particle)]
        if not word.endswith(particle) or not stem:
            continue
        if _WHOLE.search(word) and len(particle) == 1:
            return word, ""
        last = stem[-1]
        if "가" <= last <= "힣":
            final = (ord(last) - 0xAC00) % 28
            if particle in _CLOSED and not final:
                continue
            if (particle in _OPEN and final) or (particle[0] == "로" and final not in (0, 8)):
                continue
        return stem, particle
    return word, ""


mentions = mentions_of(chunks, references, ClaimedThing(stop=_WORDS["stop"], last=True))
