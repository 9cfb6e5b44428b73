"""Term flow and couplings in German, French, Chinese, Japanese, Korean; all texts are invented."""

import json
import lzma
from importlib.resources import files
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phage.claims.types import Claim, Patent
from phage.graph.build import build_graph
from phage.graph.types import Relation, closure
from phage.language import LANGUAGES, language_of
from phage.language.de.mentions import stem
from phage.language.predicates import verb_patterns

DATA = Path(__file__).parents[3] / "shared" / "data"
VERBS = {
    "couple", "connect", "attach", "mount", "dispose", "position", "support", "engage", "receive",
    "extend", "interpose", "configure", "adapt",
}  # fmt: skip
SAME = {
    "de": (
        "Pumpe mit einem Gehäuse (1) und einer Welle (2), die in dem Gehäuse (1) gelagert ist.",
        "Pumpe nach Anspruch 1, ferner umfassend eine Feder (3), die mit der Welle verbunden ist.",
        "Pumpe nach Anspruch 1, wobei die Feder (3) durch das Gehäuse (1) gestützt wird.",
        "Verfahren zum Betreiben einer Presse, wobei ein Kolben erwärmt wird.",
    ),
    "fr": (
        "Pompe comprenant un boîtier (1) et un arbre (2) monté dans le boîtier (1).",
        "Pompe selon la revendication 1, comprenant en outre un ressort (3) relié à l'arbre (2).",
        "Pompe selon la revendication 1, dans laquelle le ressort est supporté par le boîtier.",
        "Procédé pour actionner une presse, dans lequel un piston est chauffé.",
    ),
    "zh": (
        "一种泵，其特征在于，包括：壳体（1）；以及轴杆（2），所述轴杆安装在所述壳体内。",
        "根据权利要求1所述的泵，其特征在于，还包括弹簧（3），所述弹簧与所述轴杆连接。",
        "根据权利要求1所述的泵，其特征在于，所述弹簧由所述壳体支撑。",
        "一种压机的操作方法，其特征在于，对活塞进行加热。",
    ),
    "ja": (
        "ハウジング（1）と、前記ハウジングに支持されたシャフト（2）とを備えることを特徴とするポンプ。",
        "前記シャフトに接続されたスプリング（3）をさらに備える、請求項1に記載のポンプ。",
        "前記スプリングは、前記ハウジングに支持されている、請求項1に記載のポンプ。",
        "ピストンを加熱する工程を有するプレス機の運転方法。",
    ),
    "ko": (
        "하우징(1); 및 상기 하우징(1)에 장착된 샤프트(2)를 포함하는 펌프.",
        "제1항에 있어서, 상기 샤프트(2)에 연결된 스프링(3)을 더 포함하는 펌프.",
        "제1항에 있어서, 상기 스프링은 상기 하우징에 지지되는 것을 특징으로 하는 펌프.",
        "피스톤을 가열하는 단계를 포함하는 프레스의 운전 방법.",
    ),
}


def graph_of(language, texts):
    claims = tuple(Claim(number, text) for number, text in enumerate(texts, start=1))
    return build_graph(Patent("XX1A", claims, language=language)), claims


@pytest.mark.parametrize("language", SAME)
def test_one_invention_gives_one_graph_in_every_language(language):
    graph, _ = graph_of(language, SAME[language])
    assert [(edge.source, edge.target, str(edge.relation)) for edge in graph.edges] == [
        (1, 2, "cite"),
        (1, 3, "cite"),
        (2, 3, "both"),
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # Ordinals keep terms apart; cases and numbers meet.
        ("de", "Presse mit einer ersten und zweiten Walze", ["indef erst walz", "indef zweit walz"]),
        ("de", "Presse, wobei die Walzen drehbar sind", ["def walz"]),
        ("de", "Presse, wobei das Ende der Walze heiß ist", ["def end", "def walz"]),
        ("de", "Presse mit einer Vielzahl von Walzen", ["indef walz"]),
        ("de", "Presse mit wenigstens zwei Walzen", ["indef walz"]),
        ("de", "Presse, wobei die mindestens eine Walze (7) heiß ist", ["def walz"]),
        ("de", "Presse, wobei die mit dem Rahmen verbundene Walze heiß ist", ["def rahm", "def walz"]),
        ("de", "Presse, wobei die Presse dicht ist und die Vorrichtung kalt", []),
        ("fr", "Presse comprenant une pluralité de rouleaux", ["indef rouleau"]),
        ("fr", "Presse comprenant un premier et un second rouleau", ["indef second rouleau"]),
        (
            "fr",
            "Presse, dans laquelle les premier et second rouleaux tournent",
            ["def premier rouleau", "def second rouleau"],
        ),
        ("fr", "Presse, dans laquelle l'extrémité dudit rouleau", ["def extrémité", "def rouleau"]),
        ("fr", "Presse comprenant une pompe à vide (3)", ["indef pompe à vide"]),
        ("fr", "Presse, caractérisée en ce que ladite presse est froide", []),
        ("zh", "一种压机，包括第一辊轴和多个第二辊轴", ["indef 第一辊轴", "indef 第二辊轴"]),
        ("zh", "一种压机，包括3个辊轴和12根弹簧", ["indef 辊轴", "indef 弹簧"]),
        ("zh", "一种压机，所述多个辊轴 的端部", ["def 辊轴", "indef 端部"]),
        ("zh", "一种压机，所述连接件与该机架连接", ["def 连接件", "def 机架"]),
        ("zh", "一种压机，该压机包括辊轴", ["indef 辊轴"]),
        ("ja", "前記第1のローラ及び複数のばねを備える印刷機。", ["def 第1ローラ", "indef ばね"]),
        ("ja", "前記一対のローラと当該取り付け部とを備える印刷機。", ["def ローラ", "def 取り付け部"]),
        ("ja", "前記ローラを接続する印刷機。", ["def ローラ"]),
        ("ko", "상기 제 1 롤러 및 복수의 스프링을 포함하는 인쇄기.", ["def 제1 롤러", "indef 스프링"]),
        ("ko", "상기 적어도 하나의 롤러(3)의 길이를 측정하는 인쇄기.", ["def 롤러", "indef 길이"]),
        ("ko", "상기 회로를 포함하는 인쇄기.", ["def 회로"]),
    ],
)  # fmt: skip
def test_mentions(language, text, expected):
    found = language_of(language).mentions(text)
    assert [f"{mention.determiner} {mention.term}" for mention in found] == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Presse, wobei die Walze mit dem Ende des Rahmens verbunden ist",
         {"walz": "connect", "end": "connect"}),
        ("de", "Presse mit einem an der Walze befestigten Hebel", {"walz": "attach", "hebel": "attach"}),
        ("de", "Presse mit einem Hebel, der sich durch den Rahmen erstreckt",
         {"hebel": "extend", "rahm": "extend"}),
        ("de", "Presse, wobei das Verbindungselement heiß ist", {}),
        ("fr", "Presse, dans laquelle le levier est fixé à l'extrémité du rouleau",
         {"levier": "attach", "extrémité": "attach"}),
        ("fr", "Presse, dans laquelle une unité est configurée pour chauffer le rouleau",
         {"unité": "configure", "rouleau": "configure"}),
        ("zh", "一种压机，所述杠杆设置在所述辊轴的端部", {"杠杆": "dispose", "端部": "dispose"}),
        ("ja", "前記レバーは、前記ローラの端部に接続されている、印刷機。",
         {"レバー": "connect", "端部": "connect"}),
        ("ja", "前記ローラの端部に接続されたレバーを備える印刷機。",
         {"端部": "connect", "レバー": "connect"}),
        ("ko", "상기 롤러의 단부에 결합된 레버를 포함하는 인쇄기.", {"단부": "couple", "레버": "couple"}),
    ],
)  # fmt: skip
def test_components(language, text, expected):
    spoken = language_of(language)
    found = spoken.components(text, spoken.mentions(text))
    assert {component.term: component.verb for component in found} == expected


@pytest.mark.parametrize(
    "forms",
    ["Welle Wellen", "Gehäuse Gehäuses Gehäusen", "Rad Rads Räder Rädern", "Träger Trägers Trägern",
     "Rotor Rotors Rotoren", "Kolben Kolbens", "Zahn Zähne Zähnen", "ersten erste erster erstem"],
)  # fmt: skip
def test_german_forms_of_one_word_share_a_stem(forms):
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {"en"}))
def test_every_verb_of_the_paper_is_translated(language):
    assert set(verb_patterns(f"phage.language.{language}")) == VERBS


def test_every_language_has_the_same_files():
    common = {
        "__init__.py",
        "citations.py",
        "citations.toml",
        "couplings.py",
        "mentions.py",
        "words.toml",
    }
    for code in LANGUAGES:
        assert common <= {path.name for path in files(f"phage.language.{code}").iterdir()}


def check(graph, claims):
    """A graph's laws: forward, exclusive, outside the closure, each with words that prove it."""
    texts = {claim.number: claim.text for claim in claims}
    pairs = [(edge.source, edge.target) for edge in graph.edges]
    assert all(source < target for source, target in pairs)
    assert len(pairs) == len(set(pairs))
    implied = closure((e.source, e.target) for e in graph.edges if e.relation is Relation.CITE)
    for edge in graph.edges:
        signals = {item.signal for item in edge.evidence}
        for item in edge.evidence:
            assert item.phrase
            assert item.claim == edge.target
            assert texts[item.claim][item.start : item.end] == item.phrase
        if edge.relation is Relation.CITE:
            continue
        assert (edge.source, edge.target) not in implied
        expected = (
            {Relation.TERM, Relation.FUNC} if edge.relation is Relation.BOTH else {edge.relation}
        )
        assert signals == expected
        assert all(item.term for item in edge.evidence)
        assert all(item.verb in VERBS for item in edge.evidence if item.signal is Relation.FUNC)


WORDS = {
    "de": "der die das einer eine erste zweite Welle Gehäuse Feder Ende mit an verbunden ist , wobei "
    "und Anspruch 1 2 (3) befestigte nach sich erstreckt Vielzahl von",
    "fr": "le la l'arbre un une des premier second ressort boîtier de d'entrée relié monté sur à , "
    "dans lequel et revendication 1 2 (3) chaque",
    "zh": "所述 该 一 多个 第一 壳体 弹簧 轴 连接 设置 在 上 的 与 ， 其中 权利要求 1 （3） 延伸",
    "ja": "前記 当該 複数の 第1の ハウジング ばね 軸 に を は が 接続された 支持される 、 請求項 1 （3） の",
    "ko": "상기 해당 복수의 제1 하우징 스프링 축 에 을 는 이 연결된 지지되는 , 제1항 (3) 의 및",
}


@pytest.mark.parametrize("language", WORDS)
@settings(max_examples=60)
@given(data=st.data())
def test_laws_hold_for_any_order_of_words(language, data):
    claim = st.lists(st.sampled_from(WORDS[language].split()), min_size=1, max_size=30).map(
        " ".join
    )
    graph, claims = graph_of(language, data.draw(st.lists(claim, min_size=1, max_size=6)))
    check(graph, claims)


@pytest.mark.parametrize("language", WORDS)
@settings(max_examples=60)
@given(text=st.text(max_size=80))
def test_any_text_is_read_without_fail(language, text):
    spoken = language_of(language)
    mentions = spoken.mentions(text)
    for part in (*mentions, *spoken.components(text, mentions)):
        assert 0 <= part.start < part.end <= len(text)


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize(
    "unit",
    [
        "ment",
        "de ",
        "des ",
        "(",
        "（",
        "et ",
        "erer",
        "所述",
        "的",
        "前記",
        "して",
        "상기 ",
        "되고 ",
    ],
)
def test_hostile_repetitions_end(language, unit):
    spoken = language_of(language)
    text = unit * 3000 + "!"
    spoken.components(text, spoken.mentions(text))


@pytest.mark.data
@pytest.mark.parametrize("language", WORDS)
def test_laws_hold_on_real_claims(language):
    path = DATA / "multilingual-families.jsonl.xz"
    if not path.exists():
        pytest.skip("real patents are not beside the checkout")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = (row for row in map(json.loads, lines) if row["lang"] == language)
        for row in islice(rows, 20):
            check(*graph_of(language, [" ".join(text.split()) for text in row["claims"]]))
