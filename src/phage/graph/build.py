"""Build the graph of one patent: extract three signals, integrate them.

In:   a Patent and GraphSettings.
Out:  its ClaimGraph.
Why:  the only place that knows all three signals and the rules of their integration."""

from __future__ import annotations

from phage.claims.numbering import marked_cancelled
from phage.claims.types import Patent
from phage.errors import GIVE, given
from phage.graph.citations import cite_edges
from phage.graph.couplings import coupling_edges, find_components
from phage.graph.terms import Pairs, drop_frequent, explained, spell_out, term_edges
from phage.graph.types import (
    ClaimGraph,
    Diagnostic,
    Edge,
    GraphSettings,
    Relation,
    ancestors,
)
from phage.language import language_of
from phage.structure import Reason, find_mentions

_DEFAULT = GraphSettings()


def build_graph(patent: Patent, settings: GraphSettings = _DEFAULT) -> ClaimGraph:
    """Turn a patent's claims into typed edges, each with its evidence.

    >>> from phage.claims import Claim
    >>> patent = Patent("US1A", (Claim(1, "A pump."), Claim(2, "The pump of claim 1.")))
    >>> [(edge.source, edge.target, str(edge.relation)) for edge in build_graph(patent).edges]
    [(1, 2, 'cite')]
    """
    given(patent, Patent, GIVE)
    given(settings, GraphSettings, 'give settings: GraphSettings(parser="spacy"), from phage.graph')
    language = language_of(patent.language, place=patent.number)
    # Most readers leave cancelled claims out; where one is kept, it says nothing.
    gone = {claim.number for claim in patent.claims if marked_cancelled(claim.text)}
    live = [claim for claim in patent.claims if claim.number not in gone]
    cancelled = (*patent.cancelled, *sorted(gone))
    cites, diagnostics = cite_edges(live, language, cancelled, settings.citations)
    # Earlier means a smaller number, whatever order the file has.
    texts = dict(
        sorted(
            (claim.number, "" if claim.number in gone else claim.text) for claim in patent.claims
        )
    )
    every = {number: find_mentions(text, language) for number, text in texts.items()}
    # The first K of a claim are counted before frequent terms fall away, as a reader counts.
    dense: list[int] = []
    coupled = find_components(texts, every, language, settings.parser, dense)
    meant = explained(texts, language)
    mentions = drop_frequent(spell_out(every, meant), settings.rho)
    components = {
        number: found[: settings.max_components]
        for number, found in spell_out(coupled, meant).items()
    }
    diagnostics += tuple(Diagnostic(number, 0, Reason.DENSE, 0, 0, "") for number in dense)
    implicit = integrate(
        cites,
        term_edges(texts, mentions),
        coupling_edges(texts, mentions, components, settings.functional),
    )
    edges = sorted((*cites, *implicit), key=lambda edge: (edge.target, edge.source))
    return ClaimGraph(
        patent=patent.number,
        claims=tuple(texts),
        edges=tuple(edges),
        diagnostics=diagnostics,
        language=language.code,
        settings=settings,
    )


def integrate(cites: tuple[Edge, ...], terms: Pairs, couplings: Pairs) -> tuple[Edge, ...]:
    """Return the implicit edges: exclusive types, none inside the citation closure.

    >>> integrate((), {(1, 3): ()}, {(1, 3): (), (2, 3): ()})[0].relation
    <Relation.BOTH: 'both'>
    """
    above = ancestors((edge.source, edge.target) for edge in cites)
    edges = []
    for pair in sorted({*terms, *couplings}):
        early, late = min(pair), max(pair)  # a coupling may run backward
        if above.get(late, 0) >> early & 1:
            continue
        if pair in terms and pair in couplings:
            relation = Relation.BOTH
        else:
            relation = Relation.TERM if pair in terms else Relation.FUNC
        evidence = (*terms.get(pair, ()), *couplings.get(pair, ()))
        edges.append(Edge(*pair, relation, evidence))
    return tuple(edges)
