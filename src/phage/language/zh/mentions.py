"""Chinese: noun phrases with their markers.

In:   claim text, simplified or traditional.
Out:  its mentions.
Why:  nothing separates the words, so a phrase is the text between words that surely do not belong
      to it. 所述 marks known things; a bare noun is new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phage.language.marked_phrases import ClaimedThing, MarkedPhrase, Marker, mentions_of
from phage.language.words import load_words
from phage.language.zh.citations import references

_WORDS = load_words(__package__)
_OPENS_NAME, _WHOLE, _CUT, _ACTION = (
    _WORDS[name] for name in ("opens_name", "whole", "cut", "action")
)
_KNOWN = (
    r"所述(?:的|各|每个|每一)?|[该該](?:些|等)?|[这這]些|上述(?:的|各)?|前述(?:的)?|所说(?:的)?|"
    r"此(?![外时前后])"
)
_UNIT = r"[个個种種组組对對条條根块塊只隻路台套片支段排列项項类類件颗张名]"
_COUNT = rf"(?:[一二两兩三四五六多几數数]|[\dA-Za-zη×+*-]{{1,6}}|复数|複數)\s?{_UNIT}(?:以上)?的?"
_NEW = (
    rf"至少{_COUNT}|{_COUNT}|至少一|若干|另一个?|其他|其它|"
    r"一(?![端侧体般定次致起些样直方旦部者级维个個])"
)
_EACH = r"每一?[个個条组根级相路]?|各个?(?!自)"
_HEAD = re.compile(
    r"模块|模組|模型|单元|單元|装置|裝置|机构|機構|组件|組件|电路|電路|系统|系統|元件|信号|信號|数据|参数|"
    r"部件|构件|構件|结构|結構|设备|設備|材料|介质|溶液|方法|算法|程序|关系|状态|步骤|时间|方式|性能|速度|"
    r"温度|电压|电流|功率|频率|阈值|指令|命令|请求|结果|信息|接口|通道|回路|开关|母线|弹簧|螺栓|螺钉|螺母|"
    r"齿轮|轴承|电机|马达|气缸|油缸|活塞|滑块|导轨|皮带|把手|手柄|按钮|面板|支架|支座|底座|壳体|箱体|腔体|"
    r"本体|主体|电容|电阻|电感|电极|电源|电池|电缆|表面|区域|位置|空间|脉冲|部分|基板|节点|支承|终端|控制|采集|"
    r"[件部板杆桿器座架轴軸孔端线線管柱块塊环環槽面口片体體机機组組层層腔室盒箱带轮輪盘盤盖蓋套销栓筒臂爪头"
    r"頭腿脚框壁罩网布膜极極点點值量率比角力区區段侧側位域路库表图圖集码碼流压壓波场栅阀閥泵缸杯]"
)


def _any(listed: Iterable[str]) -> str:
    return "|".join(sorted(listed, key=lambda word: (-len(word), word)))


_TOKEN = re.compile(
    rf"(?P<cut0>权利要求|其特[征徵性])|(?P<new>{_NEW})|(?P<known>{_KNOWN})|(?P<each>{_EACH})|"
    rf"(?P<whole>{_any(_WORDS['whole'])})|(?P<cut>{_any(w for w in _CUT if len(w) > 1)})|"
    rf"(?P<action>{_any(_WORDS['action'])})|(?P<cut1>{_any(w for w in _CUT if len(w) == 1)})|"
    r"(?P<sign>[一-龥A-Za-z0-9α-ωΑ-Ω_/‐-])"
)
_PLACE = re.compile(r"(?<=..)(?:上方|下方|一侧|两侧|两端|一端|内部|外部|[上中内內下外里间間处處])$")
_INSIDE = re.compile(r"(?:空间|时间|期间|区间|中间|车间|集中|室内|体内|以上|以下|以内)$")
_NUMBER = re.compile(r"[\d.~～/%A-Za-z-]{1,3}|[\d.~～/-]+[A-Za-z%μ度]*")
_ADJECTIVE = re.compile(
    r"[性形型状式色]$|^(?:相应|对应|不同|相同|较高|较低|一定|空心|独立|液压|单独|大致|剩余|合成树脂)$"
)


def chunks(text: str) -> Iterator[MarkedPhrase]:
    """Find the text between words that surely end a phrase, with its marker.

    >>> [(p.term, str(p.mark)) for p in chunks("所述第一连接件与至少一个壳体连接")]
    [('第一连接件', 'known'), ('壳体', 'new')]
    """
    # One blank is a line break inside a word; more are a numeral in brackets, which ends one.
    places = [m.start() for m in re.finditer(r"\S|\s(?=\s)", text)]
    for phrase in _compact("".join(text[place] for place in places)):
        start, end = places[phrase.start], places[phrase.end - 1] + 1
        yield MarkedPhrase(phrase.term, phrase.mark, start, end)


_MARKS = {"known": Marker.KNOWN, "new": Marker.NEW, "each": Marker.EACH}


def _compact(text: str) -> Iterator[MarkedPhrase]:
    """Chunk a text from which line breaks inside words are gone."""
    mark, start, begin, before, place = Marker.NONE, -1, -1, "", 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        kind, word = (token.lastgroup or "", token.group()) if token else ("", text[place])
        near = text[max(begin, place - 4) : place] if begin >= 0 else ""
        if (
            kind in ("sign", "whole")
            or (kind in ("new", "each") and near.endswith(("第", "单", "统", "同", "唯", "任")))
            or (kind == "action" and _names(text, place + len(word), near, mark, before))
        ):
            begin = begin if begin >= 0 else place
        else:
            inner = text[begin:place] if begin >= 0 else ""
            adjective = word == "的" and bool(inner) and _ADJECTIVE.search(inner) is not None
            if inner and word != "地" and not adjective:
                yield from _phrase(inner, mark, start, begin)
            waits = kind in ("new", "each") and mark is Marker.KNOWN and not inner
            if not adjective and not waits:  # 所述环形的凸缘, 所述多个凸缘
                mark = _MARKS.get(kind, Marker.NONE)
                start = place if kind in _MARKS else -1
            begin, before = -1, word
        place += len(word)
    if begin >= 0:
        yield from _phrase(text[begin:], mark, start, begin)


_ENDS_NAME = re.compile(
    r"(?:[器机機部]|模块|模組|单元|單元|系统|系統|装置|裝置|电路|電路|设备|設備|芯片)$"
)
"""A thing that acts: the next word is its verb, not part of its name."""


def _names(text: str, end: int, inner: str, mark: Marker, before: str) -> bool:
    """Return whether a verb is part of a name: 连接件, 驱动电机, 第一检测信号."""
    head = _HEAD.match(text, end)
    if head is None:
        return False
    if len(head.group()) == 1:
        return True
    if inner:
        return not (len(inner) > 1 and _ENDS_NAME.search(inner))
    return mark is not Marker.NONE or before in _OPENS_NAME or not before.strip()


def _phrase(inner: str, mark: Marker, start: int, begin: int) -> Iterator[MarkedPhrase]:
    """Cut words that only give a location; yield nothing if no thing is named."""
    end = len(inner)
    while not _INSIDE.search(inner, max(0, end - 2), end) and (
        place := _PLACE.search(inner, max(0, end - 2), end)
    ):
        end = place.start()
    name = inner[:end]
    named = re.search(r"[一-龥]", name) is not None or mark is not Marker.NONE
    if named and not _NUMBER.fullmatch(name) and (len(name) > 1 or mark is Marker.KNOWN):
        yield MarkedPhrase(name.lower(), mark, start if start >= 0 else begin, begin + len(name))


mentions = mentions_of(
    chunks,
    references,
    ClaimedThing(
        stop=_WORDS["stop"],
        head_last=True,
        blank=r"[（(][^()（）]*[)）]|[①-⓿]",
        preamble=r"[,，;；:：]|其特征|包括|包含",
    ),
)
