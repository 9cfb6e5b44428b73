"""Japanese: noun phrases with their markers, and couplings.

In:   claim text.
Out:  phrases and components for ``ja.py``.
Why:  nouns are runs of kanji and katakana, and the hiragana between them are particles and verb
      endings; 前記 marks what is known, a bare noun is new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phage.graph.language.passage import Passage
from phage.graph.language.phrases import (
    Mark,
    Naming,
    Phrase,
    Predicate,
    VerbLast,
    components_of,
    words,
)
from phage.graph.language.types import Mention

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
"""Hiragana that is no particle: the run before it is a verb or an adjective."""
NAMING = Naming(
    last=True,
    stop=words(
        "方法 装置 システム 機器 組成物 製品 発明 工程 手段 請求項 記載 特徴 場合 際 時 前 後 上 下 中 内 "
        "間 側 一方 他方 互い 同一 例 一部 全部 全体 程度 範囲 群 種 他 上方 下方 前方 後方 周囲 近傍 内部 "
        "外部 可能 自在 相互 順 数 量 割合 構成 状態 用途 以上 以下 両方 双方 各 複数 少なく 何れ 本 式 "
        "一般 請求 項 別 共 通り 対 方 点 物 者 所定 一体 ステップ 段階 平行 垂直 有効 徐々 直角 特定 単一 途中 "
        "ml mg mm cm nm kg wt 両側 内方 外方"
    ),
)


def chunks(text: str) -> Iterator[Phrase]:
    """Find runs of kanji and katakana with the marker before them.

    >>> [(p.term, str(p.mark)) for p in chunks("前記第1の軸に接続された軸受を備える")]
    [('第1軸', 'known'), ('軸受', 'none')]
    """
    mark, start, place = Mark.NONE, -1, -1
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind != "noun":
            marks = {"known": Mark.KNOWN, "new": Mark.NEW, "each": Mark.EACH}
            if mark is Mark.NEW and kind == "known" and not text[place : token.start()].strip():
                mark, place = Mark.KNOWN, token.end()  # "複数の前記"
                continue
            if mark is Mark.KNOWN and kind == "new" and not text[place : token.start()].strip():
                place = token.end()  # "前記一対の"
                continue
            mark = marks.get(kind or "", Mark.NONE)
            start, place = (token.start(), token.end()) if mark is not Mark.NONE else (-1, -1)
            continue
        if start >= 0 and text[place : token.start()].strip():
            mark, start = Mark.NONE, -1
        phrase = _phrase(text, token.group(), token.start(), mark, start)
        mark, start = Mark.NONE, -1
        if phrase:
            yield phrase


def _phrase(text: str, printed: str, begin: int, mark: Mark, start: int) -> Phrase | None:
    """Normalise a run; none where it is a verb's stem, a quantity or an adverb."""
    end = begin + len(printed)
    if _GOES_ON.match(text, end) or _QUANTITY.fullmatch(printed):
        return None
    if not _WHOLE.search(printed) and (place := _PLACE.search(printed)):
        printed = printed[: place.start()]
    term = _ORDINAL.sub(lambda m: "第" + m.group(1).translate(_DIGIT), printed)
    term = term.translate(_NARROW).lower()
    known = mark is Mark.KNOWN
    if _QUANTITY.match(term) or term.endswith(_ADVERB) or (term.endswith("状") and not known):
        return None
    if re.fullmatch(r"第[a-z]?", term):
        return None
    if len(term) < 2 and not (known and re.match(r"[一-龥]", term)):
        return None  # a name of a single sign (軸, 板) only where a marker says so
    return Phrase(term, mark, start if start >= 0 else begin, begin + len(printed))


_ORDINAL = re.compile(r"^第\s?([0-9０-９一二三四五六七八九十]+)の?")
_ADVERB = ("可能", "自在", "的", "略")
_DIGIT = str.maketrans("一二三四五六七八九", "123456789")
_NARROW = str.maketrans(
    "０１２３４５６７８９ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ",
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
)


# --- Couplings ---

_DO = r"(?=\s*(?:さ|し|する|せ|可能|自在))"
VERBS = {
    "couple": rf"(?:連結|結合|継合){_DO}",
    "connect": rf"(?:接続|連接|連通){_DO}|つなが[りるっ]|繋が[りるっ]",
    "attach": rf"(?:装着|貼着|取着|固着|付着){_DO}|取り?付け(?=[らるて、])",
    "mount": rf"(?:搭載|載置|実装|軸支|枢支){_DO}",
    "dispose": rf"(?:配置|配設|配備|載設){_DO}",
    "position": rf"位置決め{_DO}|位置付け(?=[らるて])",
    "support": rf"(?:支持|支承){_DO}|支え(?=[らるて])",
    "engage": rf"(?:係合|噛合|嵌合|係止){_DO}|噛み合[いうっ]",
    "receive": rf"(?:収容|収納|受信|受光|受容){_DO}|受け(?=[らるて入取])",
    "extend": rf"(?:延在|延設|延伸|延出){_DO}|延び(?=[るてた、])",
    "interpose": rf"(?:介在|介装|介挿|挟持){_DO}",
    "configure": rf"(?<=ように)\s*構成{_DO}",
    "adapt": rf"適合{_DO}|適応{_DO}",
}
_CLAUSE = re.compile(r"[。；;：:]|(?:て|し|り|れ|え|せ|み|き|び|ず|おり|共に|とともに|であって)、")
_ADNOMINAL = re.compile(
    r"(?:[たるいうつむぶ]|な|して|って)"
    r"(?=(?P<ahead>\s*(?:その|[一-龥ァ-ヴ])))|[たるいうむと]、"
)
_ENDING = re.compile(
    r"\s*(?:可能|自在)?\s*(?:に|な)?(?:さ|し|せ|ら|れ|て|い|た|る|す|る|得|う|ま|あ|っ|く|な){0,9}\s*"
)
_TAKES = re.compile(
    r"\s*(?:[にをがはへでも]|と(?!も)|から|まで|より|及び|および|又は|または|並びに|、|"
    r"の(?:間|上|下|内|中|内部|外部|内側|外側|周囲|近傍|前|後|上方|下方|側|一方|他方))"
)
_ORDER = VerbLast(_CLAUSE, _ADNOMINAL, _TAKES, re.compile(r"\s*(?:は|が)"), re.compile(r"、"))


def joins(passage: Passage, predicate: Predicate) -> Iterable[Mention]:
    """Give the objects before the verb, and its subject: the topic, or the noun it describes."""
    following = passage.next_from(predicate.end)
    ending = _ENDING.match(passage.text, predicate.end)
    near = following and ending and ending.end() >= following.start
    return _ORDER.arguments(passage, predicate, [following] if following and near else None)


components = components_of(VERBS, joins)
