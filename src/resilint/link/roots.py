"""Which file a dotted module name means: import roots, namespace packages, unique suffixes (DESIGN: import roots are
inferred)."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence


def is_test_path(path: str) -> bool:
    """``tests/``, ``test_*.py``, ``conftest.py`` (RULES.md, section 2), and their usual relatives."""
    *folders, name = path.split("/")
    return (
        "tests" in folders
        or "test" in folders
        or name.startswith("test_")
        or name in ("conftest.py", "tests.py")
        or name.endswith("_test.py")
    )


class ModuleTable:
    """Files by dotted name. Paths are relative to the project's root, with ``/``."""

    def __init__(self, paths: Sequence[str], src: Sequence[str] = (), foreign: Collection[str] = ()) -> None:
        """``foreign`` are first parts of names that are never looked up by suffix (known libraries)."""
        self._paths = list(paths)
        self._index: dict[str, int] = {}
        self._folders: set[str] = set()
        self._foreign = frozenset(foreign) | sys.stdlib_module_names
        packages: set[str] = set()
        for number, path in enumerate(paths):
            stem, _, ending = path.rpartition(".")
            if ending == "pyi" and stem + ".py" in self._index:
                continue
            self._index[path] = number
            folder = path.rpartition("/")[0]
            if path.endswith(("/__init__.py", "/__init__.pyi")) or path in ("__init__.py", "__init__.pyi"):
                packages.add(folder)
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]
        self._packages = packages
        self.roots = tuple(self._normal(s) for s in src) or self._inferred()
        self._by_suffix: dict[str, list[int]] = {}
        for path, number in self._index.items():
            name = self._stem(path).rpartition("/")[2]
            self._by_suffix.setdefault(name, []).append(number)
        self._cache: dict[tuple[str, str], tuple[int, str] | None] = {}
        self.names = [self._dotted(path) for path in self._paths]

    @staticmethod
    def _normal(folder: str) -> str:
        return "" if folder in (".", "./", "") else folder.removeprefix("./").rstrip("/")

    @staticmethod
    def _stem(path: str) -> str:
        stem = path.rpartition(".")[0]
        if stem == "__init__":
            return ""
        return stem.removesuffix("/__init__")

    def _inferred(self) -> tuple[str, ...]:
        roots = {""}
        if "src" in self._folders:
            roots.add("src")
        for package in self._packages:
            top = package
            while "/" in top and top.rpartition("/")[0] in self._packages:
                top = top.rpartition("/")[0]
            if "/" in top:
                roots.add(top.rpartition("/")[0])
        for folder in self._folders:
            if folder.endswith("/src"):
                roots.add(folder)
        return tuple(sorted(roots, key=lambda r: (-r.count("/") - bool(r), r)))

    def _dotted(self, path: str) -> str:
        """The name that the file's own import root gives it."""
        stem = self._stem(path)
        package = path.rpartition("/")[0]
        best = ""
        for root in self.roots:
            inside = not root or stem.startswith(root + "/")
            if inside and root not in self._packages and len(root) > len(best) and root != package + "/":
                best = root
        if stem == best:
            return stem.rpartition("/")[2]
        return (stem[len(best) + 1 :] if best else stem).replace("/", ".")

    def package_of(self, module: int) -> str:
        """The folder that relative imports of level 1 start from."""
        return self._paths[module].rpartition("/")[0]

    def relative(self, module: int, level: int, name: str) -> tuple[int, str] | None:
        """``from ..name import``: a file (number, "") or a folder without ``__init__`` (-1, folder)."""
        folder = self.package_of(module)
        for _ in range(level - 1):
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
        return self._at(folder, name)

    def _at(self, folder: str, name: str) -> tuple[int, str] | None:
        base = "/".join(p for p in (folder, name.replace(".", "/")) if p)
        candidates = (
            (f"{base}.py", f"{base}/__init__.py", f"{base}.pyi", f"{base}/__init__.pyi")
            if base
            else ("__init__.py", "__init__.pyi")
        )
        if base and f"{base}/__init__.py" in self._index:
            return self._index[f"{base}/__init__.py"], ""
        for candidate in candidates:
            if candidate in self._index:
                return self._index[candidate], ""
        if base in self._folders or not base:
            return -1, base
        return None

    def child(self, parent: tuple[int, str], name: str) -> tuple[int, str] | None:
        """The submodule ``name`` of a package or folder."""
        number, folder = parent
        if number >= 0:
            path = self._paths[number]
            if not path.endswith(("__init__.py", "__init__.pyi")):
                return None
            folder = path.rpartition("/")[0]
        return self._at(folder, name)

    def absolute(self, module: int, name: str) -> tuple[int, str] | None:
        """``import name`` in the file ``module``; None where it is no module of the project."""
        package = self.package_of(module)
        key = (package, name)
        if key not in self._cache:
            self._cache[key] = self._absolute(package, name)
        return self._cache[key]

    def _absolute(self, package: str, name: str) -> tuple[int, str] | None:
        def distance(root: str) -> tuple[int, str]:
            shared = 0
            for a, b in zip(root.split("/"), package.split("/"), strict=False):
                if a != b:
                    break
                shared += 1
            inside = not root or package == root or package.startswith(root + "/")
            return (-(len(root) + 1) if inside else 1000 - shared, root)

        namespace = None
        first, _, rest = name.partition(".")
        known = first in self._foreign
        for root in sorted(self.roots, key=distance):
            found = self._at(root, name)
            if found and found[0] >= 0:
                if known and not rest and root in self._packages:
                    continue
                return found
            if found and namespace is None and not known:
                namespace = found
        if package not in self._packages and not known and (found := self._at(package, name)) and found[0] >= 0:
            return found  # a script's own folder is on its path
        if namespace is not None:
            return namespace
        if known:
            return None
        ends = [n for n in self._by_suffix.get(name.rpartition(".")[2], ()) if self._ends(n, name)]
        return (ends[0], "") if len(ends) == 1 and rest else None

    def _ends(self, number: int, name: str) -> bool:
        return ("/" + self._stem(self._paths[number])).endswith("/" + name.replace(".", "/"))
