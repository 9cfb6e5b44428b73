"""The form of requests and answers.

In:   JSON.
Out:  checked values; the OpenAPI description comes from these classes.
Why:  each limit stands beside its field, and a client can read it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model

from phage.checking.types import Office
from phage.claims.types import LISTS, TEXTS
from phage.searching.types import Level, Rank
from phage.serve.settings import BATCH, CLAIMS, TEXT, TOP

Text = Annotated[str, StringConstraints(min_length=1, max_length=TEXT)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
"""Spreadsheets cannot hold infinite numbers."""
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Number = Annotated[str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True)]


CLAIMS_EXAMPLE = "1. A pump with a shaft.\n2. The pump of claim 1, wherein the shaft is hollow."


def _strict(**example: Any) -> ConfigDict:  # noqa: ANN401
    """Refuse unknown fields; the example goes into the OpenAPI description."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ClaimBody(_Asked):
    """One claim."""

    number: int = Field(ge=1, le=100_000)
    text: Text


class ClaimSet(_Asked):
    """Claims, given as one text, as a list, or by the number of an indexed patent."""

    model_config = _strict(text=CLAIMS_EXAMPLE)

    text: Annotated[str, StringConstraints(max_length=TEXT)] = Field(
        "", description="A claim set or a whole draft, with its numbers."
    )
    claims: list[ClaimBody] = Field(default_factory=list, max_length=CLAIMS)
    number: Annotated[str, StringConstraints(max_length=80, strip_whitespace=True)] = Field(
        "", description="Number of an indexed patent; its kind code may be left out."
    )
    title: Annotated[str, StringConstraints(max_length=1000)] = ""
    language: Annotated[str, StringConstraints(pattern="^([a-z]{2})?$")] = Field(
        "", description="en, de, fr, zh, ja or ko; detected when left out."
    )


class GraphAsked(ClaimSet):
    """Claims for a graph."""

    model_config = _strict(text=CLAIMS_EXAMPLE, svg=False)

    svg: bool = Field(True, description="Include the drawing.")


class CheckAsked(ClaimSet):
    """Claims to check."""

    model_config = _strict(text=CLAIMS_EXAMPLE, office="US")

    office: Office = Field(Office.US, description="The office whose rules apply.")
    strict: bool = Field(False, description="Also note mentions accepted without an exact match.")
    description: Annotated[str, StringConstraints(max_length=TEXT)] = Field(
        "", description="The draft's description: a term of degree that it explains is only a note."
    )


class SearchAsked(_Asked):
    """A search."""

    model_config = _strict(query="a pump with a magnetic bearing", top=3)

    query: Annotated[str, StringConstraints(max_length=TEXT)] = Field(
        "",
        description="Words, numbered claims, or an indexed number in any spelling; may contain filters such as ipc:F04.",
    )
    claims: list[ClaimBody] = Field(
        default_factory=list, max_length=CLAIMS, description="Search with these claims instead."
    )
    filter: Annotated[str, StringConstraints(max_length=400)] = Field(
        "", description="ipc:H02M assignee:acme date:2014.. office:US language:en"
    )
    top: int = Field(20, ge=1, le=TOP)
    rank: Rank = Field(
        Rank.HYBRID, description="Rank by vectors and words together, or by one of them."
    )
    level: Level = Field(Level.PATENT, description="Compare whole patents, or single claims.")
    like: list[Number] = Field(
        default_factory=list,
        max_length=20,
        description="Indexed patents that the hits should also be similar to.",
    )
    unlike: list[Number] = Field(
        default_factory=list,
        max_length=20,
        description="Indexed patents that the hits should not be similar to.",
    )
    families: bool = Field(False, description="One hit per family.")


class DiffAsked(_Asked):
    """Two versions of a claim set."""

    model_config = _strict(
        patent={"text": CLAIMS_EXAMPLE}, other={"text": CLAIMS_EXAMPLE.replace("hollow", "solid")}
    )

    patent: ClaimSet = Field(description="The earlier version.")
    other: ClaimSet = Field(description="The later version.")
    ending: Literal["", ".html", ".docx"] = Field("", description="A file; else JSON.")


class ChartAsked(_Asked):
    """Two patents or drafts to compare, element by element."""

    model_config = _strict(patent={"text": CLAIMS_EXAMPLE}, other={"number": "US8622706B2"})

    patent: ClaimSet = Field(description="The patent whose claims are charted.")
    other: ClaimSet = Field(description="The patent that is searched for passages.")
    claims: list[int] = Field(
        default_factory=list, max_length=60, description="Claims to chart; the first one if empty."
    )
    ending: Literal["", ".html", ".xlsx", ".docx"] = Field("", description="A file; else JSON.")


class PairBody(_Asked):
    """The pair of claims that a hit shows."""

    query_claim: Count = 0
    query_text: str = ""
    claim: Count = 0
    text: str = ""
    score: Finite = 0.0
    terms: list[str] = []


class HitBody(BaseModel):
    """A hit, as /search gave it, with the search that found it."""

    query: Annotated[str, StringConstraints(max_length=2000)] = ""
    rank: Count = Field(
        0, description="Its rank in that search; 0 takes its position in this list."
    )
    number: Number
    score: Finite = 0.0
    cosine: Finite | None = None
    title: str = ""
    snippet: str = ""
    ipc: list[str] = []
    publication_date: str = ""
    family: str = ""
    office: str = ""
    language: str = ""
    assignees: list[str] = []
    match: PairBody | None = None


class TableAsked(_Asked):
    """Hits to be written as a table."""

    model_config = _strict(ending=".csv", hits=[{"number": "US8622698B2", "title": "A pump"}])

    ending: Literal[".csv", ".xlsx"] = ".csv"
    hits: list[HitBody] = Field(min_length=1, max_length=10 * TOP)


class EncodeAsked(_Asked):
    """Texts to encode."""

    model_config = _strict(texts=["A pump with a magnetic bearing."])

    texts: list[Text] = Field(min_length=1, max_length=BATCH)


class EncodeAnswer(BaseModel):
    """One vector per text, of unit length."""

    model: str
    dimension: int
    vectors: list[list[float]]
    warning: str = Field("", description="Texts in a language that the model does not know.")


class SearchAnswer(BaseModel):
    """Hits, best first."""

    query: str
    kind: str = Field(description="text, claims, number or fields: how the query was understood.")
    filters: str
    rank: str = Field(description="hybrid, vector or words: the scale of the scores.")
    level: str
    seconds: float
    warning: str = Field("", description="The model does not know the query's language.")
    hits: list[dict[str, Any]]


_SHOWN: dict[str, Any] = {
    **{name: (str, "") for name in TEXTS},
    **{name: (list[str], []) for name in LISTS if name != "publications"},
    "number": (str, ...),
    "language": (str, "en"),
    "office": (str, ""),
    "cancelled": (list[int], []),
    "claims": (list[dict[str, Any]], []),
}
PatentAnswer = create_model("PatentAnswer", __doc__="A patent as the index holds it.", **_SHOWN)


class CheckAnswer(BaseModel):
    """Findings, and the claims they are about."""

    report: dict[str, Any] = Field(description="As `phage check --json` writes it.")
    title: str
    claims: list[dict[str, Any]] = Field(
        description="Each with its references, elements, definite mentions, and what these refer to."
    )


class ChartAnswer(BaseModel):
    """A claim chart."""

    number: str
    title: str
    other: str
    other_title: str
    rows: list[dict[str, Any]] = Field(description="Each element with its best passages.")
    notice: str
    claims: list[int] = Field(description="The numbers of the patent's claims.")


class DiffAnswer(BaseModel):
    """What became of each claim."""

    before: str
    after: str
    title: str
    claims: list[dict[str, Any]] = Field(description="Each claim with its change and its words.")
    counts: dict[str, int] = Field(description="Number of claims per kind of change.")
    notice: str


class MaskAnswer(BaseModel):
    """Who may attend to whom, claim by claim."""

    numbers: list[int]
    table: list[list[int]] = Field(
        description="Row reads column: 1 cite, 2 term, 3 func, 4 both, 0 none; always itself."
    )
    open: bool = Field(description="No edge at all: attention is unconstrained.")


class GraphAnswer(BaseModel):
    """A claim graph, the claims it is about, and how to draw it."""

    graph: dict[str, Any]
    patent: PatentAnswer  # type: ignore[valid-type]  # made from the fields of Patent
    rows: list[dict[str, Any]] = Field(description="Claims depth first: the drawing's rows.")
    mask: MaskAnswer
    legal: dict[str, Any] = Field(
        description="Antecedents that lead from claim to claim, broken and unchecked claims."
    )
    svg: str = ""


class HealthAnswer(BaseModel):
    """Whether the service runs, and with which model and index."""

    status: str
    version: str
    model: str
    dimension: int
    index: str
    patents: int
    token: bool
    batches: int
    jobs: int
    replaced: int = Field(description="Worker processes that died, or were killed at the limit.")
