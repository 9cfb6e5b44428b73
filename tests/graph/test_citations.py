"""Every phrase family of claim references, in sentences invented for the purpose."""

import pytest

from phage.claims import Claim
from phage.errors import PhageError
from phage.graph import CiteKind, Reason
from phage.graph.citations import cite_edges
from phage.language import LANGUAGES, language_of

DEPENDENT, ALTERNATIVE, CROSS = CiteKind

ALL = [1, 2, 3, 4, 5]
FIRST = {
    "en": "A pump comprising a rotor.",
    "de": "Pumpe mit einem Rotor.",
    "fr": "Pompe comprenant un rotor.",
    "zh": "一种泵，包括转子。",
    "ja": "ロータを備えるポンプ。",
    "ko": "로터를 포함하는 펌프.",
}


def claim_set(language, *last, count=None):
    """Claims that begin with independent ones and end with ``last``."""
    count = count or 6
    first = [FIRST[language]] * (count - len(last))
    return tuple(Claim(n, text) for n, text in enumerate([*first, *last], start=1))


def parents(language, text, count=6):
    """The claims that the last of ``count`` claims cites."""
    edges, diagnostics = cite_edges(claim_set(language, text, count=count), LANGUAGES[language])
    for edge in edges:
        for item in edge.evidence:
            assert text[item.start : item.end] == item.phrase
            assert item.claim == edge.target == count
    assert diagnostics == ()
    return [edge.source for edge in edges]


ENGLISH = {
    # one number, every connector
    **{
        f"The pump {words} claim 2, wherein the rotor is hollow.": [2]
        for words in (
            "of", "according to", "as claimed in", "as in", "as set forth in", "as defined in",
            "as recited in", "in accordance with", "as described in", "defined in",
            "set forth in", "described in", "claimed in", "recited in", "as specified in",
            "as stated in", "as per", "under", "per", "by", "with", "in", "as disclosed in",
            "according", "accordance to", "on", "as defined by", "in conformity with",
        )
    },
    # lists
    "The pump of claim 1 or 2, wherein the rotor is hollow.": [1, 2],
    "The pump of claim 1 or claim 3 wherein the rotor is hollow.": [1, 3],
    "The pump of claim 1 or of claim 3 wherein the rotor is hollow.": [1, 3],
    "The pump according to claim 2, 3, 4 or 5, further comprising a lid.": [2, 3, 4, 5],
    "The pump of claims 1, 2, and 4, further comprising a lid.": [1, 2, 4],
    "The pump of claims 1 and/or 2.": [1, 2],
    "The pump of claims 1-3, inclusive.": [1, 2, 3],
    "The pump of claims 1-3 inclusive, and 5.": [1, 2, 3, 5],
    "The pump of claim 1 (or claim 2).": [1, 2],
    "The pump of any one of claims 1 to 5, except claim 3.": [1, 2, 4, 5],
    "The pump of claim 1, wherein the insurance claim 3 is paid.": [1],
    "The pump of either claim 1 or claim 2.": [1, 2],
    "The pump of any one of claims 1, 3 and 5.": [1, 3, 5],
    "The pump of claim 1, or as claimed in claim 4.": [1, 4],
    "The pump of claim 1 as well as claim 4.": [1, 4],
    "The pump of claims 1/2.": [1, 2],
    "The pump of claims 1 & 2.": [1, 2],
    # ranges
    "The pump of any one of claims 1 to 4, wherein the rotor is hollow.": [1, 2, 3, 4],
    "The pump of claims 2 through 4.": [2, 3, 4],
    "The pump of claims 2 thru 4.": [2, 3, 4],
    "The pump of claims 2-4.": [2, 3, 4],
    "The pump of claims 2–4.": [2, 3, 4],
    "The pump of claims 2 — 4.": [2, 3, 4],
    "The pump of claims 1 and 3-5.": [1, 3, 4, 5],
    "The pump according to one of the claims 1 to 3.": [1, 2, 3],
    "The pump according to any of claims 1 to 3 or 5.": [1, 2, 3, 5],
    "The pump according to claim 1 to claim 3.": [1, 2, 3],
    "The pump of claims 1 up to and including 3.": [1, 2, 3],
    "The pump of claims 1-2, 4-5.": [1, 2, 4, 5],
    # relative
    **{
        f"The pump {words}, wherein the rotor is hollow.": [1, 2, 3, 4, 5]
        for words in (
            "of any preceding claim", "according to any one of the preceding claims",
            "according to any of the foregoing claims", "as claimed in any previous claim",
            "according to one or more of the previous claims",
            "according to one of the preceding Claims", "of any of the above claims",
            "of the previous claims", "according to the preceding claims",
            "according to any of the claims above", "of any one of the prior claims",
            "according to at least one of the preceding claims", "as in any earlier claim",
            "according to any of the preceeding claims", "of any of the aforementioned claims",
        )
    },
    "The pump of the preceding claim, wherein the rotor is hollow.": [5],
    "The pump according to the immediately preceding claim, having a lid.": [5],
    "The pump of any of the preceding claims except claim 3, having a lid.": [1, 2, 4, 5],
    "The pump of any one of claims 1 to 5 other than claims 2 and 4.": [1, 3, 5],
    # word numbers
    "The pump according to the first claim, wherein the rotor is hollow.": [1],
    "The pump of the second claim.": [2],
    "The pump of claim two wherein the rotor is hollow.": [2],
    "The pump of claims one to three.": [1, 2, 3],
    "The pump of claim number 2.": [2],
    "The pump of claim No. 2.": [2],
    "The pump of claim (2).": [2],
    # late, and several sets
    "A test for wear, comprising running water through a tube and counting drops while using "
    "the pump in claim 4.": [4],
    "A pump as in claims 1-2, made by a process of claims 4-5.": [1, 2, 4, 5],
    # misprints, glued words, scans
    "The pump ofclaim 2, wherein the rotor is hollow.": [2],
    "The pump according toclaim 2, wherein the rotor is hollow.": [2],
    "The pump of claim 2wherein the rotor is hollow.": [2],
    "The pump of claim2, wherein the rotor is hollow.": [2],
    "The pump of claim 2 , wherein the rotor is hollow.": [2],
    "The pump of Claim 2, wherein the rotor is hollow.": [2],
    "The pump of CLAIM 2, wherein the rotor is hollow.": [2],
    "The pump of claim\u00a02, wherein the rotor is hollow.": [2],
    "The pump of claim. 2, wherein the rotor is hollow.": [2],
    "The pump of clam 2, wherein the rotor is hollow.": [2],
    "The pump of cliam 2, wherein the rotor is hollow.": [2],
    "The pump of claim l, wherein the rotor is hollow.": [1],
    "The pump of claim I, wherein the rotor is hollow.": [1],
    "The pump of claiml, wherein the rotor is hollow.": [1],
    "The pump of claimed 2, wherein the rotor is hollow.": [2],
    "The pump of claim of claim 2, wherein the rotor is hollow.": [2],
    "The pump of 2 claim, wherein the rotor is hollow.": [2],
    "appliance on claim 1 wherein the rotor is hollow": [1],
    # "claim" as another word, and numbers that are not claims
    "A method of paying medical claims, comprising reading 3 claims and 12 forms.": [],
    "A server that checks an insurance claim and the previous claims of the insured.": [],
    "A server that takes a set of 5 claims, and adds to the first claim, then sends it.": [],
    "A server that stores the date of the first claim, and a sum.": [],
    "A method of reclaiming water, in which 5 l are reclaimed.": [],
    "The pump of claim 1, 5 % of the rotor being hollow.": [1],
    "The pump of claim 1, (2) opening a lid and (3) closing it.": [1],
    "The liquid of claim 1, 2-methylbutane being added.": [1],
    "The pump of claim 2 substantially as described.": [2],
    # more of the same
    "The pump of any one or more of the preceding claims.": ALL,
    "The pump according to any one of the claims 1, 2 or 3.": [1, 2, 3],
    "The pump according to claims 1 through to 3.": [1, 2, 3],
    "The pump as claimed in either one of claims 1 and 2.": [1, 2],
    "The pump of claim 1, claim 2, or claim 3.": [1, 2, 3],
    "The pump according to claim 1 and any one of claims 3 to 5.": [1, 3, 4, 5],
    "The pump of claim 1 or any one of claims 3-4.": [1, 3, 4],
    "The pump as in claim 1 or as in claim 3.": [1, 3],
    "Use of a pump according to any of the preceding claims.": ALL,
    "The pump recited by claim 2.": [2],
    "The pump of at least one of claims 1 or 2.": [1, 2],
    "The pump as claimed in all preceding claims.": ALL,
    "The pump of any one of the two preceding claims.": [4, 5],
    "The pump of one of the last two claims.": [4, 5],
    "The pump according to any other claim.": ALL,
    "The pump of claims 1, 2, 3, 4, or 5.": ALL,
    "The pump as recited in claims 1-3, and 5.": [1, 2, 3, 5],
    "The pump of claims 1 to 3, inclusive.": [1, 2, 3],
    "2.The pump of claim 1": [1],
    "The pump of any of claims 1, 2, or 4 to 5 further": [1, 2, 4, 5],
    "The pump, according to claim 3, in which": [3],
    "According to claim 2, the pump wherein": [2],
    "Claim 2 wherein the pump": [2],
    "The claim 2 pump, wherein": [2],
    "The pump of claim 2's": [2],
    "The pump of claims 1 or 2 having 3 blades and 4 rotors": [1, 2],
    "The pump of claim 1 and 2 rotors": [1],
    "The pump of claim 1 or 2 blades": [1],
    "The pump of claim 1 and 5 mm blades": [1],
    "The pump of claim 3, 10 to 20 blades being used": [3],
    "The pump of claim 3, 4 to 5 blades being used": [3],
    "The pump according to the method of claim 3 of U.S. Pat. No. 5,123,456": [],
    "The pump as set forth in claim 2 of the parent application": [],
}  # fmt: skip

GERMAN = {
    "Pumpe nach Anspr. 2, wobei der Rotor hohl ist.": [2],
    "Pumpe nach Anspruch 2, wobei der Rotor hohl ist.": [2],
    "Pumpe nach Patentanspruch 2, dadurch gekennzeichnet, dass der Rotor hohl ist.": [2],
    "Pumpe gemäß Anspruch 2 mit hohlem Rotor.": [2],
    "Pumpe gemäss Anspruch 2 mit hohlem Rotor.": [2],
    "Pumpe nach Anspruch 2dadurch gekennzeichnet, dass der Rotor hohl ist.": [2],
    "Pumpe nach Anspruch 1 oder 2, wobei der Rotor hohl ist.": [1, 2],
    "Pumpe nach Anspruch 1 oder Anspruch 3, wobei der Rotor hohl ist.": [1, 3],
    "Pumpe nach einem der Ansprüche 1 bis 4, wobei der Rotor hohl ist.": [1, 2, 3, 4],
    "Pumpe nach einem der Ansprüche 1-4, wobei der Rotor hohl ist.": [1, 2, 3, 4],
    "Pumpe gemaß irgendeinem der Anspruche 1 bis 3, deren Rotor hohl ist.": [1, 2, 3],
    "Pumpe nach einem oder mehreren der Ansprüche 2 bis 4, wobei sie leise ist.": [2, 3, 4],
    "Pumpe nach einem der Ansprüche 1, 2 und 5.": [1, 2, 5],
    "Pumpe nach mindestens einem der Ansprüche 1 bis 2 oder 4 bis 5.": [1, 2, 4, 5],
    **{
        f"Pumpe nach einem der {word} Ansprüche, wobei der Rotor hohl ist.": [1, 2, 3, 4, 5]
        for word in (
            "vorhergehenden", "vorstehenden", "voranstehenden", "vorangegangenen", "vorgehenden",
            "vorherigen", "vorangehenden", "vorausgehenden", "obigen", "vorgenannten",
        )
    },
    "Pumpe nach einem oder mehreren der vorhergehenden Ansprüche.": [1, 2, 3, 4, 5],
    "Pumpe gemäß einem vorhergehenden Anspruch, wobei der Rotor hohl ist.": [1, 2, 3, 4, 5],
    "Pumpe nach den vorhergehenden Ansprüchen, wobei der Rotor hohl ist.": [1, 2, 3, 4, 5],
    "Pumpe nach dem vorhergehenden Anspruch, wobei der Rotor hohl ist.": [5],
    "Pumpe nach einem der vorhergehenden Ansprüche 1 bis 3.": [1, 2, 3],
    "Pumpe nach einem der vorhergehenden Ansprüche mit Ausnahme von Anspruch 3.": [1, 2, 4, 5],
    "Pumpe nach dem Hauptanspruch, wobei der Rotor hohl ist.": [1],
    "Pumpe nach dem zweiten Anspruch, wobei der Rotor hohl ist.": [2],
    "Pumpe nach Anspruch 4, wenn rückbezogen auf Anspruch 2.": [2, 4],
    "Stark beanspruchte Pumpe mit 3 anspruchsvollen Rotoren.": [],
    # more of the same
    "Pumpe nach Anspruch 1 und/oder 2.": [1, 2],
    "Pumpe nach Anspruch 1 bzw. 2.": [1, 2],
    "Pumpe nach wenigstens einem der vorangehenden Ansprüche.": ALL,
    "Pumpe nach einem der Ansprüche 1 - 3 oder 5.": [1, 2, 3, 5],
    "Verwendung der Pumpe nach Anspruch 1.": [1],
    "Pumpe gemäß einem oder mehreren der Patentansprüche 1 bis 5.": ALL,
    "Pumpe nach Anspruch 1, 2 oder 3.": [1, 2, 3],
    "Pumpe nach jedem der vorhergehenden Ansprüche.": ALL,
    "Pumpe nach den Ansprüchen 1 bis 3.": [1, 2, 3],
    "Pumpe, wie in Anspruch 1 definiert.": [1],
    "Pumpe nach einem der vorhergehenden Verfahrensansprüche.": ALL,
    "Pumpe nach mindestens einem vorhergehenden Anspruch.": ALL,
    "Pumpe nach Anspruch 1 oder nach Anspruch 3.": [1, 3],
    "Pumpe nach Ansprüchen 1 und 2.": [1, 2],
    "Pumpe nach irgendeinem vorangehenden Anspruch.": ALL,
    "Pumpe nach einem der vorausgegangenen Ansprüche.": ALL,
    "Pumpe nach einem der vorherstehenden Ansprüche.": ALL,
    "Pumpe nach einem der vorher genannten Ansprüche.": ALL,
    "Pumpe nach einem der oben genannten Ansprüche.": ALL,
    "Pumpe nach einem der Ansprüche 1 bis einschließlich 3.": [1, 2, 3],
    "Pumpe nach Anspruch 1 mit 3 bis 5 Flügeln.": [1],
    "Pumpe nach Anspruch 1, 3 mm dick.": [1],
    "Pumpe nach dem unmittelbar vorhergehenden Anspruch": [5],
    "Pumpe nach einem der zwei vorhergehenden Ansprüche": [4, 5],
}  # fmt: skip

FRENCH = {
    "Pompe selon la revendication 2, caractérisée en ce que le rotor est creux.": [2],
    "Pompe suivant la revendication 2, dont le rotor est creux.": [2],
    "Pompe conforme à la revendication 2.": [2],
    "Pompe selon la revendication 1 ou 2.": [1, 2],
    "Pompe selon la revendication 1 ou la revendication 3.": [1, 3],
    "Pompe selon l'une des revendications 1 et 4.": [1, 4],
    "Pompe selon l'une quelconque des revendications 1 à 4.": [1, 2, 3, 4],
    "Pompe selon l’une quelconque des revendications 1-3 ou 5.": [1, 2, 3, 5],
    "Pompe selon l'une au moins des revendications 2 à 3.": [2, 3],
    "Pompe selon l'une quelconque des revendications précédentes.": [1, 2, 3, 4, 5],
    "Pompe selon l’une des revendications précédentes, silencieuse.": [1, 2, 3, 4, 5],
    "Pompe selon une quelconque revendication précédente.": [1, 2, 3, 4, 5],
    "Pompe selon n'importe quelle revendication précédente.": [1, 2, 3, 4, 5],
    "Pompe selon l'une quelconque des précédentes revendications.": [1, 2, 3, 4, 5],
    "Pompe selon l'une des revendications ci-dessus.": [1, 2, 3, 4, 5],
    "Pompe selon la revendication précédente, dont le rotor est creux.": [5],
    "Pompe selon l'une quelconque des revendications précédentes 1 à 3.": [1, 2, 3],
    "Pompe selon la revendication précédente et la revendication 2.": [2, 5],
    "Pompe selon l’une quelconque des revendications précédentes à l’exception des "
    "revendications 2 et 4.": [1, 3, 5],
    "Pompe selon la première revendication.": [1],
    "[Revendication 6] Pompe selon la revendication 2.": [2],
    "Pompe telle que revendiquée, avec 3 rotors.": [],
    # more of the same
    "Pompe selon les revendications 1 à 3.": [1, 2, 3],
    "Pompe selon l'une quelconque des revendications 1, 2 et 4 à 5.": [1, 2, 4, 5],
    "Pompe selon la revendication n° 1.": [1],
    "Pompe telle que définie dans la revendication 1.": [1],
    "Pompe selon l'une ou l'autre des revendications 1 ou 2.": [1, 2],
    "Pompe conformément à l'une des revendications 1 à 2.": [1, 2],
    "Pompe d'après la revendication 1.": [1],
    "Pompe selon l'une quelconque des revendications 1 à 3 et 5.": [1, 2, 3, 5],
    "Pompe selon toute revendication précédente.": ALL,
    "Pompe selon l'une au moins des revendications précédentes.": ALL,
    "Pompe selon les revendications précédentes.": ALL,
    "Pompe selon l'une des revendications antérieures.": ALL,
    "Pompe selon une ou plusieurs des revendications précédentes.": ALL,
    "Pompe selon la revendication 1 à 3.": [1, 2, 3],
    "Pompe selon l'une quelconque des revendications de procédé précédentes.": ALL,
    "Pompe selon la revendication 2 avec 3 à 5 pales.": [2],
    "Pompe selon la revendication 2, 3 pales étant creuses.": [2],
    "Pompe selon l'une quelconque des revendications 1 à 5, sauf la revendication 3.": [1, 2, 4, 5],
    "Pompe selon les revendications 1 et 2, ou 3.": [1, 2, 3],
    "Pompe selon l'une des deux revendications précédentes.": [4, 5],
}

CHINESE = {
    "根据权利要求2所述的泵，其中转子是空心的。": [2],
    "如权利要求2所述的泵，其特征在于转子是空心的。": [2],
    "按照权利要求2所述的泵。": [2],
    "根据权利要求１或２所述的泵。": [1, 2],
    "如权利要求1或权利要求3所述的泵。": [1, 3],
    "根据权利要求1至4中任一项所述的泵。": [1, 2, 3, 4],
    "根据权利要求1-4任一项所述的泵。": [1, 2, 3, 4],
    "根据权利要求1~3中任意一项所述的泵。": [1, 2, 3],
    "根据权利要求1、2和5中任一项所述的泵。": [1, 2, 5],
    "根据权利要求1、3-5任一所述的泵。": [1, 3, 4, 5],
    "如前述权利要求中任一项所述的泵。": [1, 2, 3, 4, 5],
    "根据上述权利要求中任一项所述的泵。": [1, 2, 3, 4, 5],
    "根据任一前述权利要求所述的泵。": [1, 2, 3, 4, 5],
    "根据前一项权利要求所述的泵。": [5],
    "根据前述权利要求2所述的泵。": [2],
    "根据前述权利要求中除了权利要求2和4之外的任一项所述的泵。": [1, 3, 5],
    "根据权利要求二所述的泵。": [2],
    "如請求項2所述之泵。": [2],
    "如請求項1至3中任一項所述之泵。": [1, 2, 3],
    "如申請專利範圍第2項所述之泵。": [2],
    "如申請專利範圍第1項或第3項所述之泵。": [1, 3],
    "一种泵，要求转子转速为3至5转。": [],
    # more of the same
    "根据权利要求1到3中任意一项所述的泵。": [1, 2, 3],
    "如权利要求1-3中任一权利要求所述的泵。": [1, 2, 3],
    "权利要求1～3任一项所述的泵。": [1, 2, 3],
    "根据权利要求1,2或3所述的泵。": [1, 2, 3],
    "如权利要求1、2所述的泵。": [1, 2],
    "根据权利要求第1项所述的泵。": [1],
    "如任一前述请求项所述的泵。": ALL,
    "如請求項1或2之裝置。": [1, 2],
    "根据前面任一权利要求所述的泵。": ALL,
    "根据权利要求1所述的泵，3个转子。": [1],
    "根据前述任一项权利要求所述的泵": ALL,
    "根据上述任意一项权利要求所述的泵": ALL,
    "如前述任一項請求項所述之泵": ALL,
    "根据权利要求1或2或3所述的泵": [1, 2, 3],
    "根据权利要求1至3和5中任一项所述的泵": [1, 2, 3, 5],
    "如权利要求1所述的泵在制备药物中的用途": [1],
    "根据在前的权利要求中任一项所述的泵": ALL,
    "根据前述权利要求之一所述的泵": ALL,
    "根据前述任意权利要求所述的泵": ALL,
    "根据权利要求1-3，5任一项所述的泵": [1, 2, 3, 5],
    "根据上一权利要求所述的泵": [5],
}

JAPANESE = {
    "ロータが中空である請求項2に記載のポンプ。": [2],
    "ロータが中空である請求項２記載のポンプ。": [2],
    "請求項2において、ロータが中空であるポンプ。": [2],
    "ロータが中空である請求項1または2に記載のポンプ。": [1, 2],
    "ロータが中空である請求項1又は請求項3に記載のポンプ。": [1, 3],
    "請求項1乃至4のいずれか一項に記載のポンプ。": [1, 2, 3, 4],
    "請求項1から4のいずれか1項に記載のポンプ。": [1, 2, 3, 4],
    "請求項1ないし3の何れか一つに記載のポンプ。": [1, 2, 3],
    "請求項１～３のいずれかに記載のポンプ。": [1, 2, 3],
    "請求項1から請求項3までのいずれか1項に記載のポンプ。": [1, 2, 3],
    "請求項1、2、および5のいずれか1項に記載のポンプ。": [1, 2, 5],
    "請求項1～3及び5のうちいずれか一項に記載のポンプ。": [1, 2, 3, 5],
    "先行する請求項のいずれか一項に記載のポンプ。": [1, 2, 3, 4, 5],
    "前記請求項のいずれかに記載のポンプ。": [1, 2, 3, 4, 5],
    "前記請求項2に記載のポンプ。": [2],
    "前項に記載のポンプ。": [5],
    "請求項3を除く請求項1から5のいずれか一項に記載のポンプ。": [1, 2, 4, 5],
    "請求項二に記載のポンプ。": [2],
    "2つのロータを備え、項目3を表示するポンプ。": [],
    # more of the same
    "請求項1または請求項2に記載のポンプ。": [1, 2],
    "請求項1、2又は3記載のポンプ。": [1, 2, 3],
    "請求項1～3のいずれか1つに記載のポンプ。": [1, 2, 3],
    "請求項１ないし請求項３のうちいずれか１項に記載のポンプ。": [1, 2, 3],
    "前記各請求項に記載のポンプ。": ALL,
    "上記請求項のいずれか1項に記載のポンプ。": ALL,
    "先の請求項のいずれかに記載のポンプ。": ALL,
    "請求項1に記載のポンプと、2つのロータとを備えるポンプ。": [1],
    "請求項1から3、または5のいずれか一項に記載のポンプ。": [1, 2, 3, 5],
    "請求項1乃至3の何れか1項記載のポンプ。": [1, 2, 3],
    "請求項1及び2のいずれかに記載のポンプ": [1, 2],
    "いずれかの先行請求項に記載のポンプ": ALL,
    "前述の請求項のいずれか一項に記載のポンプ": ALL,
    "請求項1-3のいずれか一項のポンプ": [1, 2, 3],
    "請求項１，２または５に記載のポンプ": [1, 2, 5],
    "請求項１～３、５のいずれか": [1, 2, 3, 5],
    "請求項第１項記載のポンプ": [1],
    "特許請求の範囲第1項記載のポンプ": [1],
    "特許請求の範囲第1項又は第2項記載のポンプ": [1, 2],
}

KOREAN = {
    "제2항에 있어서, 상기 로터는 중공인 펌프.": [2],
    "제 2 항에 있어서, 상기 로터는 중공인 펌프.": [2],
    "제2 항에 있어서, 상기 로터는 중공인 펌프.": [2],
    "청구항 2에 있어서, 상기 로터는 중공인 펌프.": [2],
    "청구항 제2항에 있어서, 상기 로터는 중공인 펌프.": [2],
    "2항에 있어서, 상기 로터는 중공인 펌프.": [2],
    "제1항 또는 제2항에 있어서, 상기 로터는 중공인 펌프.": [1, 2],
    "청구항 1 또는 3에 있어서, 상기 로터는 중공인 펌프.": [1, 3],
    "제1항 내지 제4항 중 어느 한 항에 있어서, 상기 로터는 중공인 펌프.": [1, 2, 3, 4],
    "제1 내지 4항 중 어느 한 항에 있어서, 상기 로터는 중공인 펌프.": [1, 2, 3, 4],
    "제1항 내지 제3항 및 제5항 중 어느 한 항에 따른 펌프.": [1, 2, 3, 5],
    "청구항 1 내지 청구항 3 중 어느 한 항에 있어서, 조용한 펌프.": [1, 2, 3],
    "청구항 1-2 또는 4-5 중 어느 한 항에 있어서, 조용한 펌프.": [1, 2, 4, 5],
    "제1항, 제2항 또는 제5항에 있어서, 조용한 펌프.": [1, 2, 5],
    "선행하는 청구항 중 어느 한 항에 있어서, 조용한 펌프.": [1, 2, 3, 4, 5],
    "전술한 청구항 중 어느 한 항에 있어서, 조용한 펌프.": [1, 2, 3, 4, 5],
    "전항에 있어서, 조용한 펌프.": [5],
    "제3항을 제외한 제1항 내지 제5항 중 어느 한 항에 있어서, 조용한 펌프.": [1, 2, 4, 5],
    "제1 항원 및 제2 항체를 포함하는 펌프.": [],
    "제2 항에스트로겐제를 포함하는 펌프.": [],
    # more of the same
    "청구항 1 또는 청구항 2에 있어서, 펌프.": [1, 2],
    "제 1 항 내지 제 3 항중 어느 한항에 있어서, 펌프": [1, 2, 3],
    "제1항 및 제2항에 있어서, 펌프": [1, 2],
    "제1항에 기재된 펌프": [1],
    "전항들 중 어느 한 항에 있어서, 펌프": ALL,
    "제1항 내지 3항 중 어느 한 항에 있어서": [1, 2, 3],
    "제1항~제3항 중 어느 한 항에 있어서": [1, 2, 3],
    "청구항 1 내지 3 중 어느 한 항에 따른 펌프": [1, 2, 3],
    "청구항 제1항 또는 제2항에 있어서": [1, 2],
    "상기 청구항들 중 어느 한 항에 있어서": ALL,
    "이전 청구항 중 어느 하나에 있어서": ALL,
    "선행 청구항 중 어느 한 항의 펌프": ALL,
    "제1항, 제2항, 제5항 중 어느 한 항의 펌프": [1, 2, 5],
    "앞선 청구항 중 어느 한 항에 따른": ALL,
    "제1항에 있어서, 2 이상의 로터": [1],
    "청구항 1에 있어서, 3개의": [1],
    "제1항 또는 제 2항 또는 제 3항에": [1, 2, 3],
    "제1항 내지 제2항 및 제4항 내지 제5항 중 어느 한 항에 있어서": [1, 2, 4, 5],
    "바로 앞의 항에 있어서": [5],
    "제1항에서, 상기": [1],
    "제1항의 펌프를 포함하는 차량": [1],
}

PHRASES = {
    "en": ENGLISH, "de": GERMAN, "fr": FRENCH, "zh": CHINESE, "ja": JAPANESE, "ko": KOREAN,
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [(code, text, want) for code, table in PHRASES.items() for text, want in table.items()],
)
def test_phrase(language, text, expected):
    assert parents(language, text) == expected


@pytest.mark.parametrize(
    ("language", "first", "last", "kind"),
    [
        ("en", "A pump.", "The pump of claim 1.", DEPENDENT),
        ("en", "A pumping device.", "The apparatus of claim 1.", DEPENDENT),
        ("en", "A method of pumping.", "The method of pumping of claim 1.", DEPENDENT),
        ("en", "A method of pumping.", "A process for pumping as in claim 1.", DEPENDENT),
        ("en", "A method.", "Apparatus for carrying out the method of claim 1.", CROSS),
        ("en", "A socket.", "A plug for co-operation with the socket of claim 1.", CROSS),
        ("en", "A product.", "Process for the manufacture of the product of claim 1.", CROSS),
        (
            "en",
            "A method.",
            "A storage medium with code causing computers to perform the method of claim 1.",
            CROSS,
        ),
        ("en", "A device.", "A camera including the device according to claim 1.", CROSS),
        ("en", "A compound.", "A composition comprising a compound of claim 1.", CROSS),
        ("en", "An apparatus.", "A method using the apparatus of claim 1.", CROSS),
        ("en", "A process.", "A film obtained by the process of claim 1.", CROSS),
        (
            "en",
            "A drive device.",
            "A display device comprising the drive device of claim 1.",
            CROSS,
        ),
        ("de", "Verfahren zum Pumpen.", "Verfahren zum Pumpen nach Anspruch 1.", DEPENDENT),
        (
            "de",
            "Verfahren zum Pumpen.",
            "Vorrichtung zur Durchführung des Verfahrens nach Anspruch 1.",
            CROSS,
        ),
        ("de", "Pumpe.", "Fahrzeug mit einer Pumpe nach Anspruch 1.", CROSS),
        ("fr", "Procédé de pompage.", "Procédé de pompage selon la revendication 1.", DEPENDENT),
        (
            "fr",
            "Procédé de pompage.",
            "Dispositif pour la mise en œuvre du procédé selon la revendication 1.",
            CROSS,
        ),
        ("fr", "Pompe.", "Véhicule comprenant une pompe selon la revendication 1.", CROSS),
        ("zh", "一种泵，包括转子。", "根据权利要求1所述的泵，其中转子空心。", DEPENDENT),
        ("zh", "一种泵，包括转子。", "一种车辆，包括权利要求1所述的泵。", CROSS),
        ("zh", "一种方法，包括步骤。", "一种用于实施权利要求1所述的方法的装置，包括泵。", CROSS),
        ("ja", "ロータを備えるポンプ。", "静かな請求項1に記載のポンプ。", DEPENDENT),
        (
            "ja",
            "工程を含む方法。",
            "請求項1に記載の方法において、静かな工程を含む方法。",
            DEPENDENT,
        ),
        ("ja", "ロータを備えるポンプ。", "請求項1に記載のポンプを備える車両。", CROSS),
        ("ko", "로터를 포함하는 펌프.", "제1항에 있어서, 조용한 펌프.", DEPENDENT),
        ("ko", "로터를 포함하는 펌프.", "제1항에 따른 펌프를 포함하는 차량.", CROSS),
    ],
)
def test_kind(language, first, last, kind):
    edges, _ = cite_edges((Claim(1, first), Claim(2, last)), LANGUAGES[language])
    assert [edge.kind for edge in edges] == [kind]


def test_several_parents_are_alternatives_unless_the_reference_is_cross_category():
    claims = (
        Claim(1, "A pump."),
        Claim(2, "A process of casting."),
        Claim(3, "The pump of claim 1."),
        Claim(4, "The pump of claim 1 or 3, made by the process of claim 2."),
    )
    edges, _ = cite_edges(claims, LANGUAGES["en"])
    assert [(e.source, e.kind) for e in edges if e.target == 4] == [
        (1, ALTERNATIVE),
        (2, CROSS),
        (3, ALTERNATIVE),
    ]


def test_a_noun_narrows_the_preceding_claims():
    claims = (
        Claim(1, "A pump."),
        Claim(2, "A method of casting."),
        Claim(3, "The method of claim 2."),
        Claim(4, "Use of any preceding method claim."),
    )
    edges, _ = cite_edges(claims, LANGUAGES["en"])
    assert [e.source for e in edges if e.target == 4] == [2, 3]


@pytest.mark.parametrize(
    ("language", "text", "reference", "reason"),
    [
        ("en", "The pump of claim 5.", 5, Reason.LATER),
        ("en", "The pump of claim 4.", 4, Reason.SELF),
        ("en", "The pump of claim 9.", 9, Reason.MISSING),
        ("en", "The pump of claim 3.", 3, Reason.CANCELLED),
        ("en", "The pump of any of the following claims, having a lid.", 5, Reason.LATER),
        ("en", "The pump of claim, wherein the rotor is hollow.", 0, Reason.MISSING),
        ("de", "Pumpe nach Anspruch 5.", 5, Reason.LATER),
        ("de", "Pumpe nach einem der nachfolgenden Ansprüche.", 5, Reason.LATER),
        ("fr", "Pompe selon la revendication 4.", 4, Reason.SELF),
        ("fr", "Pompe selon la revendication, dont le rotor est creux.", 0, Reason.MISSING),
        ("de", "Pumpe nach Anspruch, wobei der Rotor hohl ist.", 0, Reason.MISSING),
        ("zh", "根据权利要求9所述的泵。", 9, Reason.MISSING),
        ("zh", "根据权利要求所述的泵。", 0, Reason.MISSING),
        ("ja", "静かな請求項に記載のポンプ。", 0, Reason.MISSING),
        ("ja", "請求項3に記載のポンプ。", 3, Reason.CANCELLED),
        ("ko", "제5항에 있어서, 조용한 펌프.", 5, Reason.LATER),
        ("ko", "청구항 오류! 참조원을 찾을 수 없습니다.에 있어서, 펌프.", 0, Reason.MISSING),
    ],
)
def test_what_cannot_be_an_edge_is_a_diagnostic(language, text, reference, reason):
    other = FIRST[language]
    claims = (Claim(1, other), Claim(2, other), Claim(4, text), Claim(5, other))
    edges, diagnostics = cite_edges(claims, LANGUAGES[language], cancelled=(3,))
    assert edges == ()
    assert [(d.claim, d.reference, d.reason) for d in diagnostics] == [(4, reference, reason)]
    assert text[diagnostics[0].start : diagnostics[0].end] == diagnostics[0].phrase


def test_a_range_past_the_claim_keeps_its_earlier_part():
    claims = claim_set("en", "The pump of any of claims 1 to 99.", FIRST["en"], count=4)
    edges, diagnostics = cite_edges(claims, LANGUAGES["en"])
    assert [e.source for e in edges] == [1, 2]
    assert [(d.reference, d.reason) for d in diagnostics] == [
        (3, Reason.SELF),
        (4, Reason.LATER),
        (5, Reason.MISSING),
    ]


def test_first_claim_has_no_preceding_one():
    edges, diagnostics = cite_edges(
        (Claim(1, "The pump of any preceding claim."),), LANGUAGES["en"]
    )
    assert edges == ()
    assert [(d.reference, d.reason) for d in diagnostics] == [(0, Reason.MISSING)]


def test_two_phrases_for_one_parent_are_one_edge_with_both():
    text = "The pump of claim 1, wherein the rotor is that of claim 1."
    edges, _ = cite_edges(claim_set("en", text, count=2), LANGUAGES["en"])
    assert [len(edge.evidence) for edge in edges] == [2]


def test_paper_mode_reads_five_prepositions_and_one_number():
    texts = (
        "A pump.",
        "The pump of claim 1 or 2.",
        "The pump as recited in claim 1.",
        "The pump according to any of claims 1 to 3.",
        "The pump as set forth in claim 1.",
        "The pump as claimed in claim 2.",
        "The pump as in claim 3.",
        "The pump according to claim 4.",
    )
    claims = tuple(Claim(n, text) for n, text in enumerate(texts, start=1))
    edges, _ = cite_edges(claims, LANGUAGES["en"], mode="paper")
    assert [(e.source, e.target) for e in edges] == [(1, 2), (1, 5), (2, 6), (3, 7), (4, 8)]


def test_paper_mode_is_english_and_modes_are_named():
    with pytest.raises(PhageError, match="English"):
        cite_edges((), LANGUAGES["de"], mode="paper")
    with pytest.raises(PhageError, match="'full' or 'paper'"):
        cite_edges((), LANGUAGES["en"], mode="strict")


def test_unknown_language_lists_the_known():
    with pytest.raises(PhageError, match=r"en \(English\), de \(German\)"):
        language_of("es", place="ES1A")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "claim 1" + "," * 5000),
        ("en", "claim 1" + ", " * 5000 + "x"),
        ("en", "claims " + "1, " * 5000),
        ("en", "claim 1" + " " * 9000 + "x"),
        ("de", "Anspruch 1" + ", " * 5000 + "x"),
        ("fr", "revendication 1" + ", " * 5000 + "x"),
        ("zh", "权利要求1" + "、" * 5000 + "x"),
        ("ja", "請求項1" + "、" * 5000 + "x"),
        ("ko", "제1항" + ", " * 5000 + "x"),
        ("ko", "제1 또는 " * 5000),
        ("ko", "1, " * 5000 + "항"),
    ],
)
def test_hostile_lists_end(language, text):
    LANGUAGES[language].references(text)
