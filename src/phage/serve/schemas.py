"""What requests and answers look like.

In:   JSON.
Out:  checked values; the OpenAPI description comes from these classes.
Why:  limits stand beside the fields they limit, and a client can read them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from phage.searching.types import Level, Rank
from phage.serve.settings import BATCH, CLAIMS, TEXT, TOP

Text = Annotated[str, StringConstraints(min_length=1, max_length=TEXT)]
Number = Annotated[str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ClaimBody(_Asked):
    """One claim."""

    number: int = Field(ge=1, le=100_000)
    text: Text


class ClaimSet(_Asked):
    """Claims: as one text to be split, one by one, or by the number of an indexed patent."""

    text: Annotated[str, StringConstraints(max_length=TEXT)] = Field(
        "", description="A claim set or a whole draft, with its numbers."
    )
    claims: list[ClaimBody] = Field(default_factory=list, max_length=CLAIMS)
    number: Annotated[str, StringConstraints(max_length=80, strip_whitespace=True)] = Field(
        "", description="Of an indexed patent; its kind code may be left out."
    )
    title: Annotated[str, StringConstraints(max_length=1000)] = ""
    language: Annotated[str, StringConstraints(pattern="^([a-z]{2})?$")] = Field(
        "", description="en, de, fr, zh, ja or ko; found out when left out."
    )


class GraphAsked(ClaimSet):
    """A claim graph, please."""

    svg: bool = Field(True, description="With the drawing.")


class SearchAsked(_Asked):
    """A search."""

    query: Annotated[str, StringConstraints(max_length=TEXT)] = Field(
        "",
        description="Words, numbered claims, or an indexed number in any spelling; may hold fields.",
    )
    claims: list[ClaimBody] = Field(
        default_factory=list, max_length=CLAIMS, description="Search with these instead."
    )
    filter: Annotated[str, StringConstraints(max_length=400)] = Field(
        "", description="ipc:H02M assignee:acme date:2014.. office:US language:en"
    )
    top: int = Field(20, ge=1, le=TOP)
    rank: Rank = Field(Rank.HYBRID, description="Vectors and words together, or one of them.")
    level: Level = Field(Level.PATENT, description="Compare whole patents, or single claims.")
    like: list[Number] = Field(
        default_factory=list, max_length=20, description="Indexed patents to be near as well."
    )
    unlike: list[Number] = Field(
        default_factory=list, max_length=20, description="Indexed patents to stay away from."
    )
    families: bool = Field(False, description="One hit per family.")


class EncodeAsked(_Asked):
    """Texts to encode."""

    texts: list[Text] = Field(min_length=1, max_length=BATCH)


class EncodeAnswer(BaseModel):
    """One vector per text, of unit length."""

    model: str
    dimension: int
    vectors: list[list[float]]


class SearchAnswer(BaseModel):
    """Hits, best first."""

    query: str
    kind: str = Field(description="text, claims, number or fields: what the query was taken for.")
    filters: str
    rank: str = Field(description="hybrid, vector or words: the scale of the scores.")
    level: str
    seconds: float
    hits: list[dict[str, Any]]


class PatentAnswer(BaseModel):
    """A patent as the index holds it."""

    number: str
    title: str = ""
    abstract: str = ""
    language: str = "en"
    office: str = ""
    family: str = ""
    kind: str = ""
    application: str = ""
    filing_date: str = ""
    publication_date: str = ""
    priority_date: str = ""
    ipc: list[str] = []
    cpc: list[str] = []
    assignees: list[str] = []
    inventors: list[str] = []
    claims: list[dict[str, Any]] = []


class MaskAnswer(BaseModel):
    """Who may attend to whom, claim by claim."""

    numbers: list[int]
    table: list[list[int]] = Field(
        description="Row reads column: 1 cite, 2 term, 3 func, 4 both, 0 none; itself always."
    )
    open: bool = Field(description="No edge at all: attention is unconstrained.")


class GraphAnswer(BaseModel):
    """A claim graph, the claims it is about, and how to draw it."""

    graph: dict[str, Any]
    patent: PatentAnswer
    rows: list[dict[str, Any]] = Field(description="Claims depth first: the drawing's rows.")
    mask: MaskAnswer
    svg: str = ""


class HealthAnswer(BaseModel):
    """Whether it runs, and with what."""

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
