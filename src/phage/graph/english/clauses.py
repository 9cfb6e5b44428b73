"""Components: what a functional verb joins, found by patterns around the verb.

In:   a Reading and its Phrases.
Out:  (phrase, verb) for the subject and the objects of each of the 13 verbs.
Why:  claims are regular enough that the neighbours of "coupled to" can be read off the tags.

A claim becomes a string of nodes, one sign each: n noun phrase, q "one" or "each" alone, e -ed,
g -ing, v other verb, b auxiliary, j adjective without noun, t to, p preposition, o of, c and,
w which or that, W wherein and the like, comma, and ; for every stronger stop."""

from __future__ import annotations

from phage.graph.english.phrases import Phrase
from phage.graph.english.tagging import Reading, verb_forms

FORMS: dict[str, str] = {
    form: verb
    for verb in (
        "couple", "connect", "attach", "mount", "dispose", "position", "support", "engage",
        "receive", "extend", "interpose", "configure", "adapt",
    )
    for form in (verb, *verb_forms(verb))
}  # fmt: skip
"""Every inflected form of R_lex of the appendix → its verb."""

_PURPOSE = frozenset(("configure", "adapt"))
_NO_PARTY = frozenset(
    """
    for during as upon based per than after before until without except like regarding concerning
    besides since
    """.split()
)
"""Prepositions whose noun is no party of the coupling."""
_NODE = {
    "B": "b", "H": "b", "M": "b", "J": "j", "O": "j", "T": "t", "P": "p", "o": "o", "C": "c",
    "w": "w", "W": "W", ",": ",", ";": ";", ":": ";", ".": ";", "1": "q", "I": "q", "a": "q",
    "D": "q", "Q": "q",
}  # fmt: skip
_PLURAL = frozenset("are were have can may will be being should must".split())


class Clauses:
    """Subjects and objects of the verbs of one claim."""

    def __init__(self, reading: Reading, phrases: list[Phrase]) -> None:
        """Fold the claim into nodes."""
        groups: dict[int, list[Phrase]] = {}
        for phrase in phrases:
            groups.setdefault(phrase.left, []).append(phrase)
        signs: list[str] = []
        self.words: list[str] = []
        self.phrases: list[list[Phrase]] = []
        index, size = 0, len(reading.tags)
        while index < size:
            group = groups.get(index, [])
            word = reading.words[index]
            sign = "n" if group else _node(reading.tags[index], word)
            if sign:
                signs.append(sign)
                self.words.append(word)
                self.phrases.append(group)
            index = group[-1].last + 1 if group else index + 1
        self.nodes = "".join(signs)
        self._subjects: dict[int, tuple[int, ...]] = {}

    def components(self) -> list[tuple[Phrase, str]]:
        """Give the parties of the 13 verbs in the order of the text."""
        found: dict[int, str] = {}
        for at, word in enumerate(self.words):
            verb = FORMS.get(word)
            if verb and self.nodes[at] in "egv":
                for node in (*self.subject(at), *self.objects(at, verb)):
                    found.setdefault(node, verb)
        return [(phrase, found[node]) for node in sorted(found) for phrase in self.phrases[node]]

    def subject(self, verb: int) -> tuple[int, ...]:
        """Give the nodes that do it, or to which it is done."""
        if verb not in self._subjects:
            self._subjects[verb] = ()  # ends a circle
            self._subjects[verb] = self._find_subject(verb)
        return self._subjects[verb]

    def _find_subject(self, verb: int) -> tuple[int, ...]:
        nodes = self.nodes
        at = verb - 1
        while at >= 0 and nodes[at] == "b":
            at -= 1
        if at < 0:
            return ()
        finite = at < verb - 1 or (nodes[verb] == "v" and nodes[at] != "t")
        before = nodes[at]
        if before == "t":
            return self._doer_of_infinitive(at)
        if before == "p" and nodes[verb] == "g":
            return self._doer_of_gerund(at)
        if before == "w":
            return self._antecedent(at)
        if before == "c" or (before == "," and (finite or nodes[verb] == "g")):
            return self._shared(verb, finite)
        if before == "," and at > 0 and nodes[at - 1] == "n":
            at -= 1
        if nodes[at] in "eg" and nodes[verb] == "g":  # formed extending from
            return self.subject(at)
        if nodes[at] != "n":
            return ()
        auxiliary = self.words[verb - 1] if nodes[verb - 1] == "b" else ""
        plural = auxiliary in _PLURAL or (nodes[verb] == "v" and not self.words[verb].endswith("s"))
        head, edge = self._chain(at, finite)
        return (*self._joined(edge), head) if finite and plural else (head,)

    def _chain(self, at: int, finite: bool) -> tuple[int, int]:
        """Walk from the last noun of "one end of the shaft" to its head; give head and left edge."""
        nodes = self.nodes
        head = edge = at
        while edge >= 2:
            link, left = nodes[edge - 1], nodes[edge - 2]
            if link == "o" and left == "n":
                head = edge = edge - 2
            elif link == "o" and left == "q":
                edge -= 2
            elif finite and link in "pt" and left == "n":
                head = edge = edge - 2
            elif finite and link in "pt" and left in "eg" and edge >= 3 and nodes[edge - 3] == "n":
                head = edge = edge - 3
            else:
                break
        return head, edge

    def _joined(self, edge: int) -> tuple[int, ...]:
        """Give the other subjects of "the arm, the rod and the shaft are"."""
        nodes, found, at = self.nodes, [], edge - 1
        if at < 1 or nodes[at] != "c":
            return ()
        while at >= 1 and nodes[at] in "c,":
            at -= 1 if nodes[at - 1] != "," else 2
            if at < 0 or nodes[at] != "n":
                break
            head, left = self._chain(at, finite=True)
            found.append(head)
            at = left - 1
        return tuple(reversed(found)) if at < 0 or nodes[at] in "W;w," else ()

    def _antecedent(self, relative: int) -> tuple[int, ...]:
        """Give what "which" stands for."""
        at = relative - 1
        if at >= 0 and self.nodes[at] == ",":
            at -= 1
        return (self._chain(at, finite=False)[0],) if at >= 0 and self.nodes[at] == "n" else ()

    def _doer_of_infinitive(self, to: int) -> tuple[int, ...]:
        nodes, at = self.nodes, to - 1
        if at < 0:
            return ()
        if nodes[at] in "eg":
            return self.subject(at)
        if nodes[at] == "j":
            return self._find_subject(at)
        if nodes[at] != "n":
            return ()
        head, edge = self._chain(at, finite=False)
        if edge >= 2 and nodes[edge - 1] in "pt" and nodes[edge - 2] in "eg":
            return self.subject(edge - 2)
        return (head,)

    def _doer_of_gerund(self, preposition: int) -> tuple[int, ...]:
        nodes, at = self.nodes, preposition - 1
        if at < 0 or self.words[preposition] != "for":
            return ()
        if nodes[at] in "eg":
            return self.subject(at)
        return (self._chain(at, finite=False)[0],) if nodes[at] == "n" else ()

    def _shared(self, verb: int, finite: bool) -> tuple[int, ...]:
        """Give the subject of the verb that "and" joins this one to."""
        for at in range(verb - 2, -1, -1):
            sign = self.nodes[at]
            if sign in ";W":
                break
            if sign in "egv" and (sign == "v" or not finite or self.nodes[at - 1] == "b"):
                if sign == "v" and self.nodes[verb] in "eg" and self.nodes[at - 1] == "t":
                    continue  # an infinitive on the way
                return self.subject(at)
        return ()

    def objects(self, at: int, verb: str) -> tuple[int, ...]:
        """Give what it is done to, with or at: direct and by preposition."""
        found: list[int] = []
        if verb in _PURPOSE:
            found += self._purpose_objects(at)
        if not found:
            found += self._parties(at + 1)
        found += self._relative_object(at)
        return tuple(found)

    def _purpose_objects(self, at: int) -> list[int]:
        """Give Y of "configured to VERB Y and VERB Z"."""
        nodes = self.nodes
        if nodes[at + 1 : at + 3] not in ("tv", "pg"):
            return []
        found = self._parties(at + 3)
        for later in range(at + 3, len(nodes)):
            if nodes[later] in ";W":
                break
            if nodes[later] == nodes[at + 2] and nodes[later - 1] in "c,":
                found += self._parties(later + 1)
        return found

    def _relative_object(self, verb: int) -> list[int]:
        """Give the housing of "a housing to which the arm is attached"."""
        subject = self.subject(verb)
        if not subject:
            return []
        _, edge = self._chain(subject[0], finite=True)
        if edge >= 3 and self.nodes[edge - 1] == "w" and self.nodes[edge - 2] in "pt":
            return list(self._antecedent(edge - 2))
        return []

    def _parties(self, at: int) -> list[int]:
        """Collect the noun phrases right of a verb, up to the end of its clause."""
        nodes, size = self.nodes, len(self.nodes)
        found: list[int] = []
        governed = True  # the next noun phrase is an object, not a complement of a noun
        at += _passed(nodes, at)
        while at < size:
            sign = nodes[at]
            if sign == "n":
                governed = governed or nodes[at - 1] == "n"  # receiving by the server a request
                if governed and not self._opens_clause(at, bool(found)):
                    found.append(at)
                elif governed:
                    break
                governed = False
            elif sign in "pt":
                governed = self.words[at] not in _NO_PARTY or not found
                if sign == "t" and at + 1 < size and nodes[at + 1] == "v":
                    break
                if not governed:
                    break
            elif sign == "q":
                governed = True
            elif sign == "o":
                governed = at > 0 and nodes[at - 1] == "q"
            elif sign == "c" or (sign == "," and self._lists(at)):
                governed = True
            elif sign != "j":
                break
            at += 1
        return found

    def _opens_clause(self, at: int, later: bool) -> bool:
        """Say whether this noun phrase is the subject of the next clause."""
        if not later:
            return False
        nodes, end = self.nodes, at + 1
        while end + 1 < len(nodes) and nodes[end] in "op" and nodes[end + 1] in "nq":
            end += 2
        return end < len(nodes) and nodes[end] in "bv"

    def _lists(self, comma: int) -> bool:
        """Say whether a comma goes on with a list that "and" will end."""
        at, nodes = comma, self.nodes
        while at < len(nodes) and nodes[at] in ",noq":
            at += 1
        return nodes[at : at + 2] in ("cn", "cq") and nodes[comma + 1 : comma + 2] in ("n", "q", "c")


def _passed(nodes: str, at: int) -> int:
    """Count the nodes of "and releasing" behind "holding": they share what follows."""
    return 2 if at > 0 and nodes[at : at + 2] == "c" + nodes[at - 1] else 0


def _node(tag: str, word: str) -> str:
    if tag == "V":
        return "g" if word.endswith("ing") else "e" if word.endswith("ed") else "v"
    return _NODE.get(tag, "")
