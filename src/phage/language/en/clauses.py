"""Components: what a functional verb joins, found by patterns around the verb.

In:   the Nodes of a claim.
Out:  the noun phrases that are subject or object of each of the 13 verbs.
Why:  claims are so regular that the neighbours of "coupled to" are easy to find."""

from __future__ import annotations

from phage.language.en.lexicon import CONTEXT, verb_forms
from phage.language.en.nodes import Nodes
from phage.language.en.noun_phrases import NounPhrase
from phage.language.types import NEAREST, Determiner
from phage.language.words import load_table

FORMS: dict[str, str] = {
    form: verb
    for verb in load_table(__package__, "words.toml")["verbs"]["functional"].split()
    for form in (verb, *verb_forms(verb))
}
"""Every inflected form of R_lex of the appendix → its verb."""

PURPOSE = frozenset(("configure", "adapt"))
"""Verbs that pass on to another: "configured to hold the shaft" joins the shaft."""
_FURTHER, _LOOSE, _NO_PARTY = CONTEXT["further"], CONTEXT["loose"], CONTEXT["no_party"]
_PLURAL = CONTEXT["plural"]
_FARTHEST, _DEEPEST = 4 * NEAREST, 100
"""The most nodes that a verb looks at on either side, and verbs that pass a subject on (see
NEAREST)."""


class Clauses:
    """Subjects and objects of the verbs of one claim; all numbers are node positions."""

    def __init__(self, nodes: Nodes) -> None:
        """Take a folded claim."""
        self._nodes = nodes
        self.signs, self.words = nodes.signs, nodes.words
        self._subjects: dict[int, tuple[int, ...]] = {}
        self._run = 0, 0  # the list looked at last
        self._depth = 0
        self.dense = False
        """Whether a clause was longer than a verb looks."""

    def _near(self, distance: int, most: int = _FARTHEST) -> bool:
        """Return whether to look further; record if the limit is reached."""
        self.dense |= distance >= most
        return distance < most

    def components(self) -> list[tuple[NounPhrase, str]]:
        """Return subjects and objects of the 13 verbs in the order of the text."""
        found: dict[int, str] = {}
        for at, word in enumerate(self.words):
            verb = FORMS.get(word)
            if verb and self.signs[at] in "egv":
                for node in (*self.subject(at), *self.objects(at, verb)):
                    found.setdefault(node, verb)
        phrases = self._nodes.phrases
        return [(phrase, found[node]) for node in sorted(found) for phrase in phrases[node]]

    def subject(self, verb: int) -> tuple[int, ...]:
        """Return the nodes that act, or in the passive those acted upon."""
        if verb not in self._subjects:
            self._subjects[verb] = ()  # ends a circle
            self._subjects[verb] = self._find_subject(verb)
        return self._subjects[verb]

    def _find_subject(self, verb: int) -> tuple[int, ...]:
        self._depth += 1
        found = self._look_before(verb) if self._near(self._depth, _DEEPEST) else ()
        self._depth -= 1
        return found

    def _look_before(self, verb: int) -> tuple[int, ...]:
        signs, at = self.signs, verb - 1
        while at >= 0 and signs[at] == "b":
            at -= 1
        if at < 0:
            return ()
        before, gerund = signs[at], signs[verb] == "g"
        finite = at < verb - 1 or (signs[verb] == "v" and before != "t")
        found: tuple[int, ...] = ()
        if before in "pt" and gerund:
            found = self._doer_of_gerund(at)
        elif before == "t":
            found = self._doer_of_infinitive(at)
        elif before == "w":
            found = self._antecedent(at)
        elif before == "c" or (before == "," and (finite or gerund)):
            found = self._shared(verb, finite)
        elif before in "eg" and gerund:  # formed extending from
            found = self.subject(at)
        else:
            found = self._nearest(verb, at, finite)
        return found

    def _nearest(self, verb: int, at: int, finite: bool) -> tuple[int, ...]:
        """Return the noun phrase that ends right before the verb, or its head."""
        signs = self.signs
        if signs[at] == "j":  # a rod rotatable mounted to
            at -= 1
        aside = signs[at] == "," and at > 0  # "a lens in the frame, coupled to": the lens
        if aside:
            at -= 1
        if signs[at] != "n":
            return ()
        auxiliary = self.words[verb - 1] if signs[verb - 1] == "b" else ""
        plural = auxiliary in _PLURAL or (signs[verb] == "v" and not self.words[verb].endswith("s"))
        head, edge = self._chain(at, finite or aside)
        if finite and signs[max(edge - 2, 0) : edge] in ("Wg", ";g", "g"):
            return ()  # "wherein heating the rod extends it": heating does
        return (*self._joined(edge), head) if finite and plural else (head,)

    def _chain(self, at: int, finite: bool) -> tuple[int, int]:
        """Walk from the last noun of "one end of the shaft" to its head; return head, left edge."""
        signs = self.signs
        head = edge = at
        while edge >= 2 and self._near(at - edge):
            link, left = signs[edge - 1], signs[edge - 2]
            if link == "o" and left == "q":
                edge -= 2
            elif left == "n" and (link == "o" or (finite and link in "pt")):
                head = edge = edge - 2
            elif finite and link in "pt" and left in "eg" and edge >= 3 and signs[edge - 3] == "n":
                head = edge = edge - 3
            else:
                break
        return head, edge

    def _joined(self, edge: int) -> tuple[int, ...]:
        """Return the other subjects of "the arm, the rod and the shaft are"."""
        signs, found, at = self.signs, [], edge - 1
        if at < 1 or signs[at] != "c":
            return ()
        while at >= 1 and signs[at] in "c," and self._near(edge - at):
            at -= 1 if signs[at - 1] != "," else 2
            if at < 0 or signs[at] != "n":
                break
            head, left = self._chain(at, finite=True)
            found.append(head)
            at = left - 1
        return tuple(reversed(found)) if at < 0 or signs[at] in "W;w," else ()

    def _antecedent(self, relative: int) -> tuple[int, ...]:
        """Return the antecedent of "which"."""
        at = relative - 1
        if at >= 0 and self.signs[at] == ",":
            at -= 1
        return (self._chain(at, finite=False)[0],) if at >= 0 and self.signs[at] == "n" else ()

    def _doer_of_infinitive(self, to: int) -> tuple[int, ...]:
        """Return X of "X configured to hold", "X operable to hold", "X to hold"."""
        signs, at = self.signs, to - 1
        if at < 0 or signs[at] not in "begjn":
            return ()
        if signs[at] == "b":  # the receiver is to hold
            return self._find_subject(to)
        if signs[at] == "j":
            return self._find_subject(at)
        if signs[at] != "n":
            return self.subject(at)
        head, edge = self._chain(at, finite=False)
        if edge >= 2 and signs[edge - 1] in "pt" and signs[edge - 2] in "eg":
            return self.subject(edge - 2)  # coupled to the bus to receive
        return (head,)

    def _doer_of_gerund(self, preposition: int) -> tuple[int, ...]:
        """Return X of "X for holding", "X configured for holding"."""
        signs, at = self.signs, preposition - 1
        if at < 0 or self.words[preposition] != "for":
            return ()
        if signs[at] in "eg":
            return self.subject(at)
        return (self._introduced(at),) if signs[at] == "n" else ()

    def _introduced(self, at: int) -> int:
        """Return the hole of "a hole in the wall for receiving": the wall is known already."""
        near, far = self._chain(at, finite=False)[0], self._chain(at, finite=True)[0]
        return far if self._known(near) and not self._known(far) else near

    def _known(self, node: int) -> bool:
        return any(phrase.determiner is Determiner.DEF for phrase in self._nodes.phrases[node])

    def _shared(self, verb: int, finite: bool) -> tuple[int, ...]:
        """Return the subject of the verb that "and" joins this one to."""
        for at in range(verb - 2, -1, -1):
            sign = self.signs[at]
            if sign in ";W" or not self._near(verb - at):
                break
            if sign in "egv" and (sign == "v" or not finite or self.signs[at - 1] == "b"):
                if sign == "v" and self.signs[verb] in "eg" and self.signs[at - 1] == "t":
                    continue  # an infinitive on the way
                return self.subject(at)
        return ()

    def objects(self, at: int, verb: str) -> tuple[int, ...]:
        """Return direct objects and those of prepositions."""
        found = self._purpose_objects(at) if verb in PURPOSE else []
        found = found or self._parties(at + 1, itself=True)
        return (*found, *self._relative_object(at))

    def _purpose_objects(self, at: int) -> list[int]:
        """Return Y of "configured to VERB Y and VERB Z"."""
        signs = self.signs
        act = at + 2
        steps = signs[at + 1 : at + 4] == "t;v"  # configured to: receive ...; and send ...
        if steps:
            act += 1
        elif signs[at + 1 : at + 3] not in ("tv", "te", "pg"):
            return []
        found = self._parties(act + 1, itself=self.words[act] in FORMS)
        for later in range(act + 1, len(signs)):
            stop = signs[later] == "W" or (signs[later] == ";" and not steps)
            if stop or not self._near(later - act):
                break
            joint = later - 1 if signs[later - 1] not in "pt" else later - 2  # and for holding
            if signs[later] in "vg" and signs[joint] in ("c,;" if steps else "c,"):
                found += self._parties(later + 1, itself=self.words[later] in FORMS)
        return found

    def _relative_object(self, verb: int) -> list[int]:
        """Return the housing of "a housing to which the arm is attached"."""
        subject = self.subject(verb)
        if not subject:
            return []
        _, edge = self._chain(subject[0], finite=True)
        if edge >= 3 and self.signs[edge - 1] == "w" and self.signs[edge - 2] in "pt":
            return list(self._antecedent(edge - 2))
        return []

    def _parties(self, at: int, itself: bool) -> list[int]:
        """Collect the noun phrases right of a verb, up to the end of its clause.

        Behind one of the 13 verbs ``itself`` every party counts; behind another verb, after
        "configured to", only what it acts on.
        """
        signs, found = self.signs, list[int]()
        at += _passed(signs, at)
        aside = signs[at : at + 2] in (",p", ",t")  # positioned, at the front, around the axle
        governed = True  # the next noun phrase is an object, not a complement of a noun
        for place in range(at + aside, len(signs)):
            sign = signs[place]
            if not self._near(place - at):
                break
            if sign == "n":
                # In "receiving by the server a request" two stand side by side.
                if governed or signs[place - 1] == "n":
                    if found and signs[place - 1] in "c,n" and self._opens_clause(place, found[0]):
                        break
                    found.append(place)
                governed = False
            elif sign == "o":
                governed = signs[place - 1] == "q"
            elif (aside and sign == ",") or self._goes_on(place, found, itself):
                governed = True
            else:
                break
        return found

    def _goes_on(self, at: int, found: list[int], itself: bool) -> bool:
        """Return whether a clause goes on here to a noun phrase that the verb governs."""
        sign, word = self.signs[at], self.words[at]
        if sign in "pt":
            if not found:
                return itself or word not in _NO_PARTY
            direct = self.signs[found[0] - 1] not in "pt"
            return (
                itself
                and self.signs[at + 1 : at + 2] != "v"
                and (word in _FURTHER or (direct and word in _LOOSE))
            )
        return sign in "qc" or (sign == "j" and not found) or (sign == "," and self._lists(at))

    def _opens_clause(self, at: int, first: int) -> bool:
        """Return whether this noun phrase is the subject of the next clause.

        It is before a finite verb, and before any verb in ", and the belt comprising", unless
        the comma is one of a list.
        """
        signs, end = self.signs, at + 1
        while end + 1 < len(signs) and signs[end] in "op" and signs[end + 1] in "nq":
            end += 2
        apart = signs[at - 2 : at] == ",c" and "," not in signs[first : at - 2]
        return signs[end : end + 1] in (("b", "v", "g", "e") if apart else ("b", "v"))

    def _lists(self, comma: int) -> bool:
        """Return whether a comma goes on with a list that "and" will end."""
        signs, (first, at) = self.signs, self._run
        if not first <= comma < at:  # every comma of a list asks
            at = comma
            while at < len(signs) and signs[at] in ",noq":
                at += 1
            self._run = comma, at
        follows = signs[comma + 1 : comma + 2]
        return follows in ("n", "q", "c") and signs[at : at + 2] in ("cn", "cq")


def _passed(signs: str, at: int) -> int:
    """Count the nodes of "and releasing" behind "holding": they share what follows."""
    return 2 if at > 0 and signs[at : at + 2] == "c" + signs[at - 1] else 0
