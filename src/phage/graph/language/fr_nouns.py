"""French: noun phrases with their articles, and couplings.

In:   claim text.
Out:  phrases and components for ``fr.py``.
Why:  an article opens nearly every phrase; the noun, its adjectives and "de" + noun follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phage.graph.language.passage import Passage
from phage.graph.language.phrases import (
    Mark,
    Naming,
    Phrase,
    Predicate,
    components_of,
    words,
)
from phage.graph.language.types import Mention


def singular(word: str) -> str:
    """Fold a word to its singular.

    >>> [singular(word) for word in ("arbres", "canaux", "moyens", "boîtier")]
    ['arbre', 'canal', 'moyen', 'boîtier']
    """
    word = word.lower()
    if len(word) > 4 and word.endswith("aux") and not word.endswith(("eaux", "niveaux")):
        return word[:-3] + "al"
    return word[:-1] if len(word) > 3 and word[-1] in "sx" and word not in _SINGULAR else word


_SINGULAR = words("axe bras cas corps gaz poids processus accès bus repos fois temps sous dans "
                  "faux flux choix croix voix plus moins vis puits palais dessus dessous")  # fmt: skip
_ONE = r"(?:au\s+moins\s+(?:un|une|deux|trois)|un(?:e)?\s+ou\s+plusieurs)"
_OPEN = re.compile(
    r"(?<![\w'’-])(?:"
    r"(?P<each>chaque|chacune?\s+des)(?=\s)|"
    rf"(?P<new>{_ONE}|une?|plusieurs|deux|trois|quatre|cinq|six|aucune?|certaine?s)(?=\s)|"
    r"(?P<known>(?:le|la|les)dite?s?|lesdite?s|dudit|desdite?s|audit|auxdite?s|les?|la|du|aux?|"
    r"cet?(?:te)?|ces|son|sa|ses|leurs?)(?=\s)|(?P<elided>l['’])|(?P<des>des)(?=\s))"
    r"|(?<=\bd['’])(?P<one>une?)(?=\s)",
    re.IGNORECASE,
)
_FIRST = re.compile(r"^(?:[\W\d]|revendications?)*(?=[^\W\d_])", re.IGNORECASE)
_MANY = re.compile(
    r"\s*(?:pluralité|multiplicité|paire|série|ensemble|nombre|multitude|groupe)\s+d(?:e\s+|['’])",
    re.IGNORECASE,
)
_BEFORE_NOUN = re.compile(
    r"\s*(?P<skip>(?:moins|deux|trois|quatre|autres?|mêmes?|dite?s?|plusieurs|un|une|ou|tels?|telles?|de|au|[a-z])\b\s*){0,20}"
    r"(?P<adjectives>(?:(?:premi(?:er|ère)|second(?:e)?|deuxième|troisième|quatrième|cinquième|"
    r"dernier|dernière|nouveau|nouvelle|grand(?:e)?|petit(?:e)?|haut(?:e)?|bas(?:se)?|demi)s?"
    r"(?:\s+(?:et|ou|et/ou)(?=\s+(?:second|premi|deux|trois)))?\s+)*)",
    re.IGNORECASE,
)
_NOUN = re.compile(r"[^\W\d_][\w-]*(?<!-)")
_ADJECTIVE = re.compile(
    r"\s+(?P<word>(?:[^\W\d_]+(?:al|ale|aux|el|elle|els|elles|if|ive|ifs|ives|ique|iques|ible|"
    r"ibles|able|ables|aire|aires|ieur|ieure|ieurs|ieures|eux|euse|euses|aine?s?|ulier|ulière|"
    r"ctile|ile|iles|ide|ides|ien|ienne|iens|oïde|forme|onde?|aux|estre|atique|éen|éenne)s?"
    r"|fixe|mobile|creu(?:x|se)|plat(?:e)?|plan(?:e)?|rond(?:e)?|court(?:e)?|long(?:ue)?|libre|"
    r"souple|étanche|simple|double|unique|seul(?:e)?|froid(?:e)?|chaud(?:e)?|arrière|avant|"
    r"gauche|droite?|interne|externe|entrante?|sortante?|coulissante?|tournante?|roulante?|"
    r"transparente?|conducteur|conductrice|isolante?|support|porteur|pliée?s?)s?)(?![\w-])",
    re.IGNORECASE,
)
_NO_NOUN = words(
    "est sont a ont été être étant avoir plus moins même autre ainsi que qui dont où ne pas se si "
    "comprend comporte présente caractérisé selon dans par pour sur avec sans sous entre vers de du "
    "des et ou en à un une le la les ce cette dit dite quoi quel quelle quelconque invention "
    "revendication revendications lequel laquelle fait cas titre moyen sens premier première second "
    "seconde deuxième troisième"
)
_COMPLEMENT = re.compile(
    r"\s+(?:(?P<link>de|en|à)\s+|(?P<elided>d['’])\s*)(?P<noun>[^\W\d_][\w-]*(?<!-))",
    re.IGNORECASE,
)
_NO_COMPLEMENT = re.compile(
    r"(?:aux?|coopération|relation|liaison|saillie|place|appui|forme|une?|deux|trois|chaque|plusieurs|ce|cet|cette|ces|son|sa|ses|leurs?|le|la|les|quoi|"
    r"manière|façon|préférence|environ|(?:le|la|au|du)dite?|lesdite?s|desdite?s|\w|sorte|moins|plus|tels?|telles?|part|autres?|outre|fonction|réponse|"
    r"combinaison|contact|regard|série|parallèle|direction|vue|cas|variante|position|particulier|"
    r"l['’]|[^\W\d_]+(?:ant|(?<!t)ée?s?)|être|avoir|savoir|partir|travers|proximité|côté|"
    r"[^\W\d_]{2,}(?:iser|ifier|oir|ettre|ondre|uire|aître|ourir))$",
    re.IGNORECASE,
)
NAMING = Naming(
    stop=frozenset(
        map(
            singular,
            words(
                "procédé méthode dispositif système appareil ensemble composition produit machine "
                "article utilisation invention revendication kit installation type cas manière "
                "façon exemple étape groupe fait fois titre base fonction caractéristique nombre "
                "quantité pourcentage ordre sens but présence partir moyen un une autre long part "
                "intermédiaire biais aide haut bas tel regard niveau travers forme"
            ),
        )
    )
)


def chunks(text: str) -> Iterator[Phrase]:
    """Find article, noun, and what belongs to the noun's name.

    >>> [(p.term, str(p.mark)) for p in chunks("un premier arbre rotatif de la pompe à vide")]
    [('premier arbre rotatif', 'new'), ('pompe à vide', 'known')]
    """
    first = _FIRST.match(text)
    place = first.end() if first else 0
    if not _OPEN.match(text, place):  # the claimed thing has no article
        yield from (found := _read(text, place, place, Mark.NEW))[0]
        place = found[1]
    while match := _OPEN.search(text, place):
        phrases, place = _read(text, match.start(), match.end(), _mark(text, match))
        yield from phrases


def _read(text: str, start: int, place: int, mark: Mark) -> tuple[list[Phrase], int]:
    """Read what follows an article: the phrases, more than one in "les premier et second arbres"."""
    if many := _MANY.match(text, place):
        place = many.end()
    before = _BEFORE_NOUN.match(text, place)
    noun = _NOUN.match(text, before.end() if before else place)
    if noun is None or noun.group().lower() in _NO_NOUN or text.startswith(("'", "’"), noun.end()):
        return [], place
    head = singular(noun.group())
    tail, end = _tail(text, noun.end())
    groups = re.split(r"\s(?:et/ou|et|ou)\s", before["adjectives"] if before else "")
    terms = [" ".join([*map(singular, group.split()), head, *tail]) for group in groups]
    return [Phrase(term, mark, start, end, head) for term in terms], end


def _tail(text: str, place: int) -> tuple[list[str], int]:
    """Read adjectives and bare complements: "d'énergie", "à billes"."""
    tail: list[str] = []
    for _ in range(4):
        if match := _ADJECTIVE.match(text, place):
            tail.append(singular(match["word"]))
        elif (match := _COMPLEMENT.match(text, place)) and not _NO_COMPLEMENT.match(match["noun"]):
            link = match["link"].lower() if match["link"] else "de"
            if link == "à" and match["noun"].endswith("er"):
                break  # "à monter"
            tail += [link, singular(match["noun"])]
        else:
            break
        place = match.end()
    return tail, place


def _mark(text: str, match: re.Match[str]) -> Mark:
    """Tell new from known; "des" is "de + les" after a noun, an article after anything else."""
    if match.lastgroup == "des":
        before = re.search(
            r"([^\W\d_]+|[^\w\s])\s*$", text[max(0, match.start() - 30) : match.start()]
        )
        last = before.group(1).lower() if before else ""
        return Mark.NEW if not last.isalpha() or _TAKES_NEW.fullmatch(last) else Mark.KNOWN
    if _PARTITIVE.search(text, max(0, match.start() - 16), match.start()):
        return Mark.NEW  # "est de la fibre"
    return {"each": Mark.EACH, "new": Mark.NEW, "one": Mark.NEW}.get(
        match.lastgroup or "", Mark.KNOWN
    )


_PARTITIVE = re.compile(r"\b(?:est|sont|et|avec|compren\w+|conten\w+|comport\w+)\s+de\s+$")
_TAKES_NEW = re.compile(
    r"outre|avec|par|sur|dans|pour|entre|sous|sans|à|et|ou|comme|que|sont|est|"
    r"\w+(?:ant|end|orte|ente|ient|uent|ennent|ortent|ède|èdent|er|ir|oit|oivent)"
)


# --- Couplings ---

_E = "(?:ée?s?)"
VERBS = {
    "couple": rf"\b(?:ac)?coupl(?:{_E}|e|ent|er|ant)\b",
    "connect": (
        rf"\b(?:connect|raccord|branch)(?:{_E}|e|ent|er|ant)\b|\breli(?:{_E}|e|ent|er|ant)\b"
    ),
    "attach": rf"\b(?:attach|fix)(?:{_E}|e|ent|er|ant)\b|\bsolidaris{_E}\b",
    "mount": rf"\bmont(?:{_E}|e|ent|er|ant)\b",
    "dispose": rf"\b(?:dispos|agenc)(?:{_E}|e|ent|er|ant)\b",
    "position": rf"\bposition(?:n{_E}|ne|nent|ner|nant)\b|\bplac(?:{_E}|er)\b",
    "support": rf"\b(?:support|port)(?:{_E}|e|ent|er|ant)\b|\bsouten(?:ue?s?|ir|ant)\b",
    "engage": rf"\bengag(?:{_E}|e|ent|er|eant)\b|\bengrèn(?:e|ent)\b|\bengren(?:er|ant)\b",
    "receive": r"\bre(?:çoi(?:t|vent)|cevoir|cevant|çue?s?)\b|\bloge(?:r|nt|ant|ée?s?)\b",
    "extend": r"\bs['’]étend(?:ent|ant|re)?\b|\bs['’]étendent\b",
    "interpose": rf"\binterpos(?:{_E}|er|ant)\b|\bintercal(?:{_E}|er)\b",
    "configure": rf"\b(?:configur|conç)(?:{_E}|ue?s?)\b",
    "adapt": rf"\badapt{_E}\b|\baptes?\s+à\b|\bdestin{_E}\b",
}
_CLAUSE = re.compile(
    r"[,;:.]|\b(?:dans\s+(?:lequel|laquelle|lesquel(?:le)?s)|caractéris\w+\s+en\s+ce|tandis|"
    r"comport\w+|compren\w+|présent(?:e|ent|ant)|possèd\w+|ayant|inclu\w+|conten\w+)\b"
)
_SUBJECT_END = re.compile(r"\b(?:qui|lequel|laquelle|lesquels|lesquelles|que)\b")
_TO = re.compile(
    r"(?:\s+(?:pour|à|afin\s+de|de\s+manière\s+à))?\s+(?:se\s+|s['’])?\w+(?:er|ir|re|oir)\b"
)
_VERB = re.compile(r"\b(?:et|ou)\s+(?:\w+(?:ant|er|ir|re)|est|sont)\b")
_GENITIVE = re.compile(r"\b(?:de|d['’])\s*$")
_CONTRACTED = re.compile(r"(?:du|des|dudit|desdit|de la|de l)", re.IGNORECASE)
_TIME = re.compile(r"\b(?:lors|pendant|durant|après|avant)\s*$")


def joins(passage: Passage, predicate: Predicate) -> Iterable[Mention]:
    """Give the subject that leads to the verb and the objects that follow it without a break."""
    text = passage.text
    start = passage.with_enumeration(passage.last_before(_CLAUSE, predicate.start))
    end = passage.first_after(_CLAUSE, predicate.end)
    near = passage.within(start, predicate.start, predicate.start)
    subjects = [m for m in near if not _owner(text, m)]
    if not subjects:  # "un arbre, monté sur le bâti"
        earlier = next((m for m in passage.back_from(start) if not _owner(text, m)), None)
        subjects = [earlier] if earlier else []
    if subjects and not _leads(passage, subjects[-1].end, predicate.start):
        subjects = []
    after = predicate.end
    if predicate.verb in ("configure", "adapt"):
        to = _TO.match(text, after)
        after = to.end() if to else after
    objects: list[Mention] = []
    for mention in passage.within(after, end, after):
        if _owner(text, mention):
            after = mention.end if _OF.fullmatch(text, after, mention.start) else after
        elif _GAP.fullmatch(text, after, mention.start):
            objects.append(mention)
            after = mention.end
        else:
            break
    return [*_coordinated(text, subjects), *objects]


# Whole words only, so that no text can be read in more than one way.
_GAP = re.compile(
    r"(?:\s|[,'’/]|\b(?:et|ou|ainsi|que|à|au|aux|sur|dans|avec|par|entre|sous|vers|depuis|en|contre|"
    r"autour|d|de|jusqu|via|\w+ment|le|long|l|série|parallèle|intermédiaire|moyen|travers|être|"
    r"reliée?s?|connectée?s?|montée?s?|partir)\b)*"
)
_LEADS = re.compile(
    r"(?:\s|[,'’-]|\b(?:qui|est|sont|étant|être|soit|soient|peut|peuvent|en|outre|également|ainsi|"
    r"\w+ment|lequel|laquelle|de|du|des|d|dont|respectifs?|respectives?)\b)*"
)
_OF = re.compile(r"\s*(?:de|d['’])?\s*")


_FARTHEST = 1000
"""Characters between a subject and its verb."""


def _leads(passage: Passage, start: int, end: int) -> bool:
    """Say whether only owners, auxiliaries and adverbs stand between subject and verb."""
    if end - start > _FARTHEST:
        return False
    for mention in passage.within(start, end, start):
        if not _LEADS.fullmatch(passage.text, start, mention.start):
            return False
        start = mention.end
    return _LEADS.fullmatch(passage.text, start, end) is not None


def _coordinated(text: str, subjects: list[Mention]) -> list[Mention]:
    """Keep the last phrase and those that "et" joins to it."""
    kept = subjects[-1:]
    for mention in reversed(subjects[:-1]):
        if not re.fullmatch(r"\s*(?:,|et|ou|et/ou|,\s*et)?\s*", text[mention.end : kept[0].start]):
            break
        kept.insert(0, mention)
    return kept


def _owner(text: str, mention: Mention) -> bool:
    """Say whether the phrase hangs on a noun or names a time: "l'extrémité de l'arbre"."""
    before = text[max(0, mention.start - 30) : mention.start]
    return bool(
        _GENITIVE.search(before)
        or _TIME.search(before)
        or (
            _CONTRACTED.match(text, mention.start)
            and re.search(r"[^\W\d_]\s*$", before)
            and not re.search(
                r"\b(?:autour|partir|long|travers|dessus|dessous|moyen|près)\s*$", before
            )
        )
    )


components = components_of(VERBS, joins)
