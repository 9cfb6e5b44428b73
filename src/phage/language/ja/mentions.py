"""Japanese: noun phrases with their markers.

In:   claim text.
Out:  its mentions.
Why:  nouns are runs of kanji and katakana; the hiragana between them are particles and verb
      endings. 前記 marks known things; a bare noun is new."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.language.ja.citations import references
from phage.language.marked_phrases import ClaimedThing, MarkedPhrase, Marker, mentions_of
from phage.language.words import load_words

_SIGN = r"[一-龥々〆ヶァ-ヴー・A-Za-zＡ-Ｚａ-ｚα-ωΑ-Ω0-9０-９]"
# Verb stems inside a name: 取り付け部, 折り曲げ片, 組み合わせ部材.
_STEM = r"[りきけみちえげじびめれせわ]{1,2}"
_KANA = r"(?:[高長厚深広太重強]さ(?!れ)|(?<=[A-Za-z0-9])[-‐－](?=[A-Za-z0-9])|ばね|ねじ|はんだ|つば|くさび|ころ|てこ|ふた|つまみ|めっき|すべり|ひも|いす)"
_BREAK = r"(?!及び|又は|並びに|若しくは|或いは|且つ|以上|以下|未満|前記|上記|当該|該)"
_COUNT = r"(?:少なくとも)?(?:[0-9０-９一二三四五六七八九十]+|[nmNMｎ]|複数|多数|数)(?:つ|個|本|枚|種|台|組|対|箇所|種類)?(?:以上)?の"
_TOKEN = re.compile(
    r"(?P<part>及び|並びに|又は|若しくは|或いは|或は|且つ|および|または|もしくは|ならびに|あるいは|かつ|"
    r"更に|互いに|共に|少なくとも(?:一部|一方|1つ|一つ)|請求項|記載|特徴|のうち|に対し|ように|ため|"
    r"それぞれ|夫々|さらに|より|から|まで|など|以上|以下|未満|場合|例えば|すなわち|とき|際)|"
    r"(?P<known>(?:前記|上記|前述の|当該|該|かかる|これらの|それらの|この|その)(?:各|各々の)?)|"
    rf"(?P<new>{_COUNT}|一対の|他の|別の|一の|ある)|"
    r"(?P<each>各々の|それぞれの|各)|"
    rf"(?P<noun>(?:第\s?[0-9０-９一二三四五六七八九十]+の?)?(?:{_KANA}|{_SIGN})"
    rf"(?:{_BREAK}(?:{_KANA}|{_SIGN}|{_STEM}{_BREAK}(?={_SIGN})))*)"
)
_PLACE = re.compile(r"(?<=..)(?:上|内|間|中|下|外|毎|等|後|前|時)$")
_WHOLE = re.compile(
    r"(?:空間|期間|時間|区間|隙間|中間|瞬間|車内|室内|体内|案内|以上|以下|同時|均等|直前)$"
)
_QUANTITY = re.compile(
    r"[0-9０-９.．]+(?:[A-Za-zμ℃°%％]|質量|重量|体積|モル|度|つ|個|本|枚|回|倍|以|分|秒|時間|年|月|日)?"
)
_GOES_ON = re.compile(
    r"\s*(?:さ(?=れ|せ|ら)|な(?![らいくけ])|[ぁ-ゖ](?<![はがをにへとのでもやかなまよおさだごあ]))"
)
"""Hiragana that is not a particle: the run before it is a verb or an adjective."""


def chunks(text: str) -> Iterator[MarkedPhrase]:
    """Find runs of kanji and katakana with the marker before them.

    >>> [(p.term, str(p.mark)) for p in chunks("前記第1の軸に接続された軸受を備える")]
    [('第1軸', 'known'), ('軸受', 'none')]
    """
    mark, start, place = Marker.NONE, -1, -1
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind != "noun":
            marks = {"known": Marker.KNOWN, "new": Marker.NEW, "each": Marker.EACH}
            if mark is Marker.NEW and kind == "known" and not text[place : token.start()].strip():
                mark, place = Marker.KNOWN, token.end()  # "複数の前記"
                continue
            if mark is Marker.KNOWN and kind == "new" and not text[place : token.start()].strip():
                place = token.end()  # "前記一対の"
                continue
            mark = marks.get(kind or "", Marker.NONE)
            start, place = (token.start(), token.end()) if mark is not Marker.NONE else (-1, -1)
            continue
        if start >= 0 and text[place : token.start()].strip():
            mark, start = Marker.NONE, -1
        phrase = _phrase(text, token.group(), token.start(), mark, start)
        mark, start = Marker.NONE, -1
        if phrase:
            yield phrase


def _phrase(text: str, printed: str, begin: int, mark: Marker, start: int) -> MarkedPhrase | None:
    """Normalise a run; None if it is a verb's stem, a quantity or an adverb."""
    end = begin + len(printed)
    if _GOES_ON.match(text, end) or _QUANTITY.fullmatch(printed):
        return None
    if not _WHOLE.search(printed) and (place := _PLACE.search(printed)):
        printed = printed[: place.start()]
    term = _ORDINAL.sub(lambda m: "第" + m.group(1).translate(_DIGIT), printed)
    term = term.translate(_NARROW).lower()
    known = mark is Marker.KNOWN
    if _QUANTITY.match(term) or term.endswith(_ADVERB) or (term.endswith("状") and not known):
        return None
    if re.fullmatch(r"第[a-z]?", term):
        return None
    if len(term) < 2 and not (known and re.match(r"[一-龥]", term)):
        return None  # a name of a single sign (軸, 板) only where a marker says so
    return MarkedPhrase(term, mark, start if start >= 0 else begin, begin + len(printed))


_ORDINAL = re.compile(r"^第\s?([0-9０-９一二三四五六七八九十]+)の?")
_ADVERB = ("可能", "自在", "的", "略")
_DIGIT = str.maketrans("一二三四五六七八九", "123456789")
_NARROW = str.maketrans(
    "０１２３４５６７８９ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ",
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
)


mentions = mentions_of(
    chunks, references, ClaimedThing(stop=load_words(__package__)["stop"], last=True)
)
