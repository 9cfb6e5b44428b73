"""The HTTP API.

In:   an index folder or none, an Encoder, Settings.
Out:  a FastAPI app: the routes of the API, the page at /, a description of the API at /docs.
Why:  an analyst's browser and an engineer's script get the same answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.responses import FileResponse, Response

import phage
from phage.encoder import Encoder
from phage.searching import Index
from phage.searching.types import Level, Rank
from phage.serve.dispatch import Service
from phage.serve.middleware import Guards
from phage.serve.openapi import UPLOAD, body, describe
from phage.serve.problems import Stop, install, responses
from phage.serve.schemas import (
    ChartAnswer,
    ChartAsked,
    CheckAnswer,
    CheckAsked,
    ClaimSet,
    DiffAnswer,
    DiffAsked,
    EncodeAnswer,
    EncodeAsked,
    GraphAnswer,
    GraphAsked,
    HealthAnswer,
    PatentAnswer,
    SearchAnswer,
    SearchAsked,
    TableAsked,
)
from phage.serve.service import Desk
from phage.serve.settings import TOP, Settings
from phage.serve.workers import check_system

PAGE = Path(__file__).parent / "page"
MEDIA = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
FILES = {
    "": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_DEFAULT = Settings()


def create_app(
    index_path: Path | str | None, encoder: Encoder | None, settings: Settings = _DEFAULT
) -> FastAPI:
    """Make the app; without an encoder, the index's own model is loaded."""
    check_system()
    index = Index.open(index_path) if index_path is not None else None
    if encoder is None:
        if index is None:
            raise ValueError("an index or an encoder is needed")
        encoder = Encoder.from_pretrained(index.settings.model)
    if index is not None:
        index.settings.check(encoder, index.path)
    service = Service(Desk(encoder, index), settings)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        service.open()
        try:
            yield
        finally:
            service.close()

    app = FastAPI(
        title="PHAGE",
        version=phage.__version__,
        description="Search patents by their claims; see the claim graph.",
        docs_url=None,  # FastAPI's own pages load scripts from elsewhere; ours is in page/docs.html
        redoc_url=None,
        lifespan=life,
        responses=responses(401, 403, 408, 413, 415, 421, 422, 503),
    )
    app.state.service = service
    app.add_middleware(Guards, settings=settings)
    install(app)
    _work_routes(app, service)
    _compare_routes(app, service)
    _look_up_routes(app, service)
    _page(app)
    describe(app)
    return app


def _about(asked: type[BaseModel], answer: type, tag: str) -> dict[str, Any]:
    """Describe a route that takes one JSON object and may name an unknown patent."""
    return {
        "response_model": answer,
        "tags": [tag],
        "responses": responses(404),
        "openapi_extra": body(asked),
    }


def _work_routes(app: FastAPI, service: Service) -> None:
    """Add the routes with a body, which goes to a worker process unread."""

    @app.post("/search", **_about(SearchAsked, SearchAnswer, "search"))
    async def search(request: Request) -> Response:
        """Find similar patents, each with the pair of claims that match best."""
        return _answer(await service.search(await _json_body(request)))

    @app.post("/graph", **_about(GraphAsked, GraphAnswer, "graph"))
    async def graph(request: Request) -> Response:
        """Build the claim graph of a text, of claims, or of an indexed patent."""
        return _answer(await service.claims("graph", await _json_body(request)))

    @app.post("/check", **_about(CheckAsked, CheckAnswer, "check"))
    async def check(request: Request) -> Response:
        """Check claims: antecedents, references, numbering, form and wording."""
        return _answer(await service.claims("check", await _json_body(request)))

    @app.post("/read", response_model=PatentAnswer, tags=["graph"], openapi_extra=UPLOAD)
    async def read(request: Request) -> Response:
        """Read the claims of a .txt, .docx or .json file; nothing of it is kept."""
        kind = request.headers.get("content-type", "")
        if not kind.lower().startswith("multipart/form-data"):
            raise Stop(415, "this is not a form", remedy="send the file as multipart/form-data")
        return _answer(await service.job("read", await request.body(), kind))

    @app.post("/split", **_about(ClaimSet, PatentAnswer, "graph"))
    async def split(request: Request) -> Response:
        """Split a pasted text into claims."""
        return _answer(await service.claims("split", await _json_body(request)))

    @app.post("/table", tags=["search"], response_class=Response, openapi_extra=body(TableAsked))
    async def table(request: Request) -> Response:
        """Write hits as CSV or XLSX; nothing of them is kept."""
        data, ending = await service.job("table", await _json_body(request))
        return Response(data, media_type=FILES[ending])

    @app.post(
        "/encode", response_model=EncodeAnswer, tags=["vectors"], openapi_extra=body(EncodeAsked)
    )
    async def encode(request: Request) -> Response:
        """Turn texts into vectors."""
        return _answer(await service.encode(await _json_body(request)))


def _compare_routes(app: FastAPI, service: Service) -> None:
    """Add the routes about two claim sets."""

    @app.post("/chart", **_about(ChartAsked, ChartAnswer, "check"))
    async def chart(request: Request) -> Response:
        """Compare two patents or drafts: the best passages for each element of a claim."""
        data, ending = await service.chart(await _json_body(request))
        return Response(data, media_type=FILES[ending])

    @app.post("/diff", **_about(DiffAsked, DiffAnswer, "check"))
    async def diff(request: Request) -> Response:
        """Compare two versions of a claim set: amended, renumbered, merged, cancelled, new."""
        data, ending = await service.diff(await _json_body(request))
        return Response(data, media_type=FILES[ending])


def _look_up_routes(app: FastAPI, service: Service) -> None:
    """Add the routes without a body."""

    @app.get("/search", response_model=SearchAnswer, tags=["search"], responses=responses(404))
    async def search_by_address(
        q: Annotated[str, Query(min_length=1, max_length=4000)],
        top: Annotated[int, Query(ge=1, le=TOP)] = 20,
        rank: Rank = Rank.HYBRID,
        families: bool = False,
    ) -> Response:
        """Search by URL, for a shell: /search?q=a+pump+ipc:F04B."""
        asked = SearchAsked(
            query=q, filter="", top=top, rank=rank, level=Level.PATENT, families=families
        )
        return _answer(await service.search(asked.model_dump_json().encode()))

    @app.get(
        "/patents/{number}", response_model=PatentAnswer, tags=["search"], responses=responses(404)
    )
    async def patent(number: Annotated[str, InPath(min_length=1, max_length=80)]) -> Response:
        """Return a patent as the index holds it."""
        return _answer(await service.patent(number))

    @app.get("/health", response_model=HealthAnswer, tags=["service"])
    async def health() -> dict[str, Any]:
        """Report whether the service runs, and with which model and index."""
        return service.health()


def _answer(content: bytes) -> Response:
    return Response(content, media_type="application/json")


async def _json_body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "application/json").split(";")[0].strip().lower()
    if kind != "application/json":
        raise Stop(415, "this is not JSON", remedy="send Content-Type: application/json")
    return await request.body()


def _page(app: FastAPI) -> None:
    files = {path.name: path for path in PAGE.iterdir() if path.suffix in MEDIA}

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(files["index.html"], media_type="text/html")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return FileResponse(files["docs.html"], media_type="text/html")

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return FileResponse(files["icon.svg"], media_type="image/svg+xml")

    @app.get("/page/{name}", include_in_schema=False)
    async def part(name: str) -> Response:
        # a name is looked up among the files we came with, never joined to a path
        if name not in files:
            raise Stop(404, "the page has no such file")
        return FileResponse(files[name], media_type=MEDIA[files[name].suffix])
