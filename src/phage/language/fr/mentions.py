"""French: noun phrases with their articles.

In:   claim text.
Out:  its mentions.
Why:  an article opens nearly every phrase; the noun, its adjectives and "de" + noun follow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.language.fr.citations import references
from phage.language.marked_phrases import ClaimedThing, MarkedPhrase, Marker, mentions_of
from phage.language.words import load_words

_WORDS = load_words(__package__)
_SINGULAR, _NO_NOUN = _WORDS["singular"], _WORDS["no_noun"]


def singular(word: str) -> str:
    """Reduce a word to its singular.

    >>> [singular(word) for word in ("arbres", "canaux", "moyens", "boîtier")]
    ['arbre', 'canal', 'moyen', 'boîtier']
    """
    word = word.lower()
    if len(word) > 4 and word.endswith("aux") and not word.endswith(("eaux", "niveaux")):
        return word[:-3] + "al"
    return word[:-1] if len(word) > 3 and word[-1] in "sx" and word not in _SINGULAR else word


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


def chunks(text: str) -> Iterator[MarkedPhrase]:
    """Find article, noun, and what belongs to the noun's name.

    >>> [(p.term, str(p.mark)) for p in chunks("un premier arbre rotatif de la pompe à vide")]
    [('premier arbre rotatif', 'new'), ('pompe à vide', 'known')]
    """
    first = _FIRST.match(text)
    place = first.end() if first else 0
    if not _OPEN.match(text, place):  # the claimed thing has no article
        yield from (found := _read(text, place, place, Marker.NEW))[0]
        place = found[1]
    while match := _OPEN.search(text, place):
        phrases, place = _read(text, match.start(), match.end(), _mark(text, match))
        yield from phrases


def _read(text: str, start: int, place: int, mark: Marker) -> tuple[list[MarkedPhrase], int]:
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
    return [MarkedPhrase(term, mark, start, end, head) for term in terms], end


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


def _mark(text: str, match: re.Match[str]) -> Marker:
    """Distinguish new from known; "des" is "de + les" after a noun, otherwise an article."""
    if match.lastgroup == "des":
        before = re.search(
            r"([^\W\d_]+|[^\w\s])\s*$", text[max(0, match.start() - 30) : match.start()]
        )
        last = before.group(1).lower() if before else ""
        return Marker.NEW if not last.isalpha() or _TAKES_NEW.fullmatch(last) else Marker.KNOWN
    if _PARTITIVE.search(text, max(0, match.start() - 16), match.start()):
        return Marker.NEW  # "est de la fibre"
    return {"each": Marker.EACH, "new": Marker.NEW, "one": Marker.NEW}.get(
        match.lastgroup or "", Marker.KNOWN
    )


_PARTITIVE = re.compile(r"\b(?:est|sont|et|avec|compren\w+|conten\w+|comport\w+)\s+de\s+$")
_TAKES_NEW = re.compile(
    r"outre|avec|par|sur|dans|pour|entre|sous|sans|à|et|ou|comme|que|sont|est|"
    r"\w+(?:ant|end|orte|ente|ient|uent|ennent|ortent|ède|èdent|er|ir|oit|oivent)"
)


mentions = mentions_of(
    chunks, references, ClaimedThing(stop=frozenset(map(singular, _WORDS["stop"])))
)
