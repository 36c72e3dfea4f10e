"""The cache of facts: ``.resilint_cache/<version>/`` with one index and a few packs.

A pack is written once and never changed: encoded facts, one behind the other. The index says which file had which
content when it was last seen (by size, times and inode), and where the facts of a content lie (pack, offset, length,
checksum). Both are replaced atomically, so a run that is killed, or two at once, leave at worst a pack that nobody
refers to; it goes with the next clean-up. What cannot be read, or does not add up, is a miss. Nothing in it is code.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import shutil
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from resilint import __version__
from resilint.facts import FORMAT

NAME = ".resilint_cache"
RACY = 2_000_000_000
"""Nanoseconds: a file changed this shortly before its entry was made may change again without a trace in its times."""
PACKS = 12
"""More packs than this are merged into one."""
LIMIT = 256_000_000
"""Bytes of facts that are kept beyond those in use."""
OTHER_VERSIONS = 2
"""Folders of other versions that are kept."""
_MAGIC = b"resilint cache 1\n"
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# The cache of resilint; it may be deleted at any time.\n"


class Stamp(NamedTuple):
    """What tells without reading that a file is still the same."""

    size: int
    mtime: int
    ctime: int
    inode: int


class Seen(NamedTuple):
    """A file as it was last seen: its stamp, when that was taken, and its content."""

    stamp: Stamp
    at: int
    digest: bytes


class Place(NamedTuple):
    """Where encoded facts lie."""

    pack: str
    offset: int
    length: int
    checksum: int


class _Index(msgspec.Struct, array_like=True):
    files: dict[str, Seen] = {}
    facts: dict[bytes, Place] = {}


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Index)


def digest_of(source: bytes) -> bytes:
    """The content's name."""
    return hashlib.sha256(source).digest()


def stamp_of(status: os.stat_result) -> Stamp:
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


@functools.cache
def version() -> str:
    """Names what this very front end makes: by resilint's version, the facts' format, and the code that makes them."""
    code = hashlib.sha256()
    here = Path(__file__).parent.parent
    for package in ("domain", "facts", "syntax"):
        for module in sorted((here / package).glob("*.py")):
            code.update(module.read_bytes())
    parser = importlib.util.find_spec("libcst")
    if parser is not None and parser.origin is not None:
        with contextlib.suppress(OSError):
            code.update((Path(parser.origin).parent / "_version.py").read_bytes())
    return f"{__version__}-{FORMAT}-{code.hexdigest()[:16]}"


class Cache:
    """The facts that earlier runs made. Open it, look files up, store what was missing, save."""

    def __init__(self, folder: Path, warn: Callable[[str], None], *, limit: int = LIMIT) -> None:
        self.folder = folder
        self.home = folder / version()
        self._warn = warn
        self._limit = limit
        self._started = time.time_ns()
        self._packs: dict[str, bytes] = {}
        self._index = self._load()
        self._seen: dict[str, Seen] = {}
        self._new: dict[bytes, bytes] = {}
        self._changed = False

    def lookup(self, name: str, path: str, status: os.stat_result) -> bytes | None:
        """The encoded facts of a file, if its content is known.

        Raises:
            OSError: the file had to be read, and could not be.
        """
        stamp = stamp_of(status)
        seen = self._index.files.get(name)
        if seen is not None and seen.stamp == stamp and stamp.mtime < seen.at - RACY:
            facts = self.by_digest(seen.digest)
            if facts is not None:
                self._seen[name] = seen
            return facts
        if not self._index.facts:
            return None
        from resilint.check.lowering import read

        source, stamp = read(path)
        digest = digest_of(source)
        facts = self.by_digest(digest)
        if facts is not None:
            self._seen[name] = Seen(stamp, self._started, digest)
            self._changed = True
        return facts

    def by_digest(self, digest: bytes) -> bytes | None:
        """The encoded facts of a content."""
        if digest in self._new:
            return self._new[digest]
        place = self._index.facts.get(digest)
        if place is None:
            return None
        pack = self._pack(place.pack)
        facts = pack[place.offset : place.offset + place.length]
        if place.offset < 0 or len(facts) != place.length or zlib.crc32(facts, zlib.crc32(digest)) != place.checksum:
            if pack:
                self._warn(f"{self.home / place.pack} is damaged; what it held is made anew")
                self._packs[place.pack] = b""
            self._forget(place.pack)
            return None
        return facts

    def store(self, name: str, digest: bytes, stamp: Stamp | None, facts: bytes) -> None:
        """Remember new facts; nothing is written before :meth:`save`."""
        if digest not in self._index.facts:
            self._new[digest] = facts
        if stamp is not None:
            self._seen[name] = Seen(stamp, self._started, digest)
        self._changed = True

    def save(self, names: set[str]) -> None:
        """Write what changed. ``names`` are all files of the project: others are forgotten."""
        if not self._changed and self._index.files.keys() <= names:
            return
        try:
            self._write()
        except OSError as problem:
            self._warn(f"the cache {self.folder} cannot be written: {problem.strerror or problem}")

    def _write(self) -> None:
        prepare_folder(self.folder)
        self.home.mkdir(exist_ok=True)
        facts = dict(self._index.facts)
        if self._new:
            facts.update(self._write_pack(self._new))
        live = {seen.digest for seen in self._seen.values()}
        packs = list(dict.fromkeys(place.pack for place in facts.values()))
        total = sum(place.length for place in facts.values())
        needed = sum(facts[digest].length for digest in live if digest in facts)
        if len(packs) > PACKS or total - needed > self._limit:
            facts = self._merged(facts, live)
        replace(self.home / "index", sealed(_encoder.encode(_Index(self._seen, facts))))
        self._sweep({place.pack for place in facts.values()})

    def _merged(self, facts: dict[bytes, Place], live: set[bytes]) -> dict[bytes, Place]:
        """One pack of all that is in use and of the newest of the rest, as far as there is room."""
        kept: dict[bytes, bytes] = {}
        room = self._limit
        newest_first = list(facts)[::-1]
        for digest in sorted(newest_first, key=lambda d: d not in live):
            data = self._new.get(digest) or self.by_digest(digest)
            if data is None:
                continue
            if digest not in live:
                room -= len(data)
                if room < 0:
                    break
            kept[digest] = data
        return self._write_pack(kept)

    def _write_pack(self, entries: dict[bytes, bytes]) -> dict[bytes, Place]:
        content = hashlib.sha256(b"".join(entries)).hexdigest()[:16]
        name = f"pack-{content}-{os.getpid():x}-{self._started:x}"
        places: dict[bytes, Place] = {}
        offset = 0
        for digest, data in entries.items():
            places[digest] = Place(name, offset, len(data), zlib.crc32(data, zlib.crc32(digest)))
            offset += len(data)
        data = b"".join(entries.values())
        replace(self.home / name, data)
        self._packs[name] = data
        return places

    def _sweep(self, used: set[str]) -> None:
        """Remove what nobody refers to, once it is an hour old (another run may be about to), and old versions."""
        old = time.time() - 3600
        with contextlib.suppress(OSError):
            for entry in list(os.scandir(self.home)):
                if entry.name.startswith(("pack-", ".")) and entry.name not in used:
                    ours = entry.name in self._packs
                    with contextlib.suppress(OSError):
                        if ours or entry.stat().st_mtime < old:
                            os.unlink(entry.path)
            others = [
                p
                for p in self.folder.iterdir()
                if p.is_dir() and not p.is_symlink() and p != self.home and (p / "index").exists()
            ]
            for stale in sorted(others, key=lambda p: (p / "index").stat().st_mtime, reverse=True)[OTHER_VERSIONS:]:
                shutil.rmtree(stale, ignore_errors=True)

    def _load(self) -> _Index:
        path = self.home / "index"
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return _Index({}, {})
        except OSError as problem:
            self._warn(f"the cache {path} cannot be read: {problem.strerror or problem}")
            return _Index({}, {})
        try:
            return _decoder.decode(opened(data))
        except (ValueError, msgspec.DecodeError, RecursionError):
            self._warn(f"{path} is damaged; the cache is made anew")
            return _Index({}, {})

    def _pack(self, name: str) -> bytes:
        if name not in self._packs:
            data = b""
            if name == os.path.basename(name):
                with contextlib.suppress(OSError):
                    data = (self.home / name).read_bytes()
            self._packs[name] = data
        return self._packs[name]

    def _forget(self, pack: str) -> None:
        self._index.facts = {d: place for d, place in self._index.facts.items() if place.pack != pack}
        self._changed = True


def prepare_folder(folder: Path) -> None:
    """Make the cache folder, marked so that backups and git leave it alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", "# made by resilint\n*\n")):
        if not (folder / name).exists():
            replace(folder / name, text.encode())


def clean(folder: Path) -> bool:
    """Remove a cache folder; False where there was none. A folder that is not marked as ours is left alone."""
    if folder.is_symlink() or not (folder / "CACHEDIR.TAG").is_file():
        return False
    shutil.rmtree(folder)
    return True


def sealed(data: bytes) -> bytes:
    """With what tells damage."""
    return _MAGIC + zlib.crc32(data).to_bytes(4, "big") + data


def opened(data: bytes) -> bytes:
    """What was sealed.

    Raises:
        ValueError: it is damaged, or not ours.
    """
    head, body = data[: len(_MAGIC) + 4], data[len(_MAGIC) + 4 :]
    if head != _MAGIC + zlib.crc32(body).to_bytes(4, "big"):
        raise ValueError("checksum")
    return body


def replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid():x}.{time.monotonic_ns():x}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
