"""Folders, globs, archives in archives: streamed, bounded, never unpacked to disk."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile

import pytest
import written
import zstandard

from phage.claims import ReadReport, read
from phage.claims.readers import unpack
from phage.errors import PhageError

PACK = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


def tar(files, mode="w"):
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return held.getvalue()


def zipped(files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def numbers(source, **options):
    report = ReadReport()
    return [patent.number for patent in read(source, report=report, **options)], report


@pytest.mark.parametrize("kind", PACK)
def test_packed_files(tmp_path, kind):
    for name, data in written.everything().items():
        (tmp_path / name).write_bytes(data)
        expected, _ = numbers(tmp_path / name)
        packed = tmp_path / f"{name}.{kind}"
        packed.write_bytes(PACK[kind](data))
        found, report = numbers(packed)
        assert found == expected and not report.problems, name


def test_folders_globs_and_archives_give_the_same(tmp_path):
    files = written.everything()
    folder = tmp_path / "folder" / "deeper"
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "scan.tif").write_bytes(b"II*\x00")
    (folder / ".hidden").write_bytes(b"?")
    expected, report = numbers(tmp_path / "folder")
    assert len(expected) == report.patents >= 18 and not report.problems
    assert numbers(str(tmp_path / "folder" / "**" / "*"))[0] == expected
    ordered = dict(sorted(files.items()))
    archives = {
        "a.tar": tar(ordered),
        "a.tar.gz": tar(ordered, "w:gz"),
        "a.zip": zipped(ordered),
        "a.tar.zst": PACK["zst"](tar(ordered)),
        "all-years.tar": tar({"2015.tar.gz": tar(ordered, "w:gz")}),
        "nested.zip": zipped({"inner.zip": zipped(ordered)}),
    }
    for name, data in archives.items():
        (tmp_path / name).write_bytes(data)
        found, report = numbers(tmp_path / name)
        assert sorted(found) == sorted(expected), name
        assert not report.problems, report.problems


def test_hupd_year(tmp_path):
    files = {
        f"2015/{n}.json": json.dumps(
            {**written.HUPD, "application_number": str(n), "publication_number": f"US2015{n}A1-20150101"}
        ).encode()
        for n in range(1000001, 1000021)
    }  # fmt: skip
    files["2015/1000011.json"] = b'{"application_number": "1000011", "claims": "1. A pu'
    (tmp_path / "2015.tar.gz").write_bytes(tar(files, "w:gz"))
    found, report = numbers(tmp_path / "2015.tar.gz")
    assert len(found) == 19 and report.skipped == 1
    assert report.problems[0].file.endswith("2015.tar!2015/1000011.json")


@pytest.mark.parametrize("kind", PACK)
def test_archive_cut_short_gives_what_was_whole(tmp_path, kind):
    week = "".join(written.redbook(f"{8000000 + n:08}") for n in range(400)).encode()
    packed = PACK[kind](week)
    path = tmp_path / f"week.xml.{kind}"
    path.write_bytes(packed[: len(packed) * 3 // 4])
    found, report = numbers(path)
    assert found == [f"US{8000000 + n}B2" for n in range(len(found))]
    assert len(found) >= 100, "all that can be unpacked"
    assert report.skipped == 1 and "cut short" in report.problems[0].reason


@pytest.mark.parametrize("damage", ["cut", "cut at a file", "header"])
def test_a_tar_that_breaks_off_is_reported(tmp_path, damage):
    files = {f"{n}.xml": written.redbook(f"{8000000 + n:08}").encode() for n in range(20)}
    data = bytearray(tar(files))
    header = data.index(b"\x0011.xml\x00") + 1
    if damage == "header":
        data[header + 148 : header + 156] = b"99999999"  # its checksum
    else:
        del data[header + (100 if damage == "cut" else 0) :]
    (tmp_path / "week.tar").write_bytes(data)
    found, report = numbers(tmp_path / "week.tar")
    assert found == [f"US{8000000 + n}B2" for n in range(11)]
    assert report.skipped == 1 and "breaks off" in report.problems[0].reason


@pytest.mark.parametrize("kind", PACK)
def test_bombs_are_refused(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(unpack, "FLOOR", 1 << 20)
    path = tmp_path / f"bomb.xml.{kind}"
    path.write_bytes(PACK[kind](b"<us-patent-grant>" + bytes(100 << 20)))
    found, report = numbers(path)
    assert not found and "refused" in report.problems[0].reason


def test_zip_bomb_and_encrypted_member(tmp_path, monkeypatch):
    monkeypatch.setattr(unpack, "FLOOR", 1 << 20)
    path = tmp_path / "bomb.zip"
    path.write_bytes(
        zipped(
            {"a.xml": b"<us-patent-grant>" + b" " * (60 << 20), "b.xml": written.redbook().encode()}
        )
    )
    found, report = numbers(path)
    assert found == ["US8621662B2"], "the rest of the archive is still read"
    assert "refused" in report.problems[0].reason
    locked = bytearray(zipped({"a.xml": written.redbook().encode()}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(mark) + place] |= 1
    (tmp_path / "locked.zip").write_bytes(locked)
    assert "encrypted" in numbers(tmp_path / "locked.zip")[1].problems[0].reason


def test_packed_too_deep(tmp_path):
    data = written.redbook().encode()
    for _ in range(8):
        data = gzip.compress(data)
    (tmp_path / "deep.gz").write_bytes(data)
    assert "too deep" in numbers(tmp_path / "deep.gz")[1].problems[0].reason


def test_nothing_is_written_to_disk(tmp_path, monkeypatch):
    (tmp_path / "a.tar.gz").write_bytes(tar(written.everything(), "w:gz"))
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    numbers(tmp_path / "a.tar.gz")
    assert sorted(tmp_path.rglob("*")) == before


def test_missing_source_is_an_error_that_says_so(tmp_path):
    with pytest.raises(PhageError, match="nothing to read"):
        list(read(tmp_path / "none.xml"))
    with pytest.raises(PhageError, match="nothing to read"):
        list(read(str(tmp_path / "*.xml")))


def test_reading_may_stop_at_any_time(tmp_path):
    week = "".join(written.redbook(f"{8000000 + n:08}") for n in range(3000)).encode()
    (tmp_path / "week.xml.xz").write_bytes(lzma.compress(week, preset=0))
    patents = read(tmp_path / "week.xml.xz")
    assert next(patents).number == "US8000000B2"
    patents.close()  # must not hang on the thread that unpacks ahead


def test_a_damaged_directory_of_a_zip_is_reported(tmp_path):
    """A member without a name, and one that begins before the file: zipfile raises other errors."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a.jsonl", "{}")
    whole = data.getvalue()
    entry = whole.index(b"PK\x01\x02")
    nameless = whole[: entry + 28] + b"\0\0" + whole[entry + 30 : entry + 46] + whole[entry + 53 :]
    end = len(nameless) - 22
    nameless = nameless[: end + 12] + (46).to_bytes(4, "little") + nameless[end + 16 :]
    before = whole[:-6] + (len(whole)).to_bytes(4, "little") + whole[-2:]
    for name, damaged in (("nameless.zip", nameless), ("before.zip", before)):
        (tmp_path / name).write_bytes(damaged)
        report = ReadReport()
        assert not list(read(tmp_path / name, report=report)) and report.skipped == 1
        assert report.problems[0].reason
    with zipfile.ZipFile(io.BytesIO(before)) as held, pytest.raises(zipfile.BadZipFile):
        unpack.open_member(held, "a.jsonl")
