"""Finding the parts of the user's own that a scenario needs: modules, files and installed packages.

A plug-in is a Python module that calls `planetfall.plugins.register` for each of its parts when it is imported. A
scenario names it in `plugins`, as a module or as a file beside it; a package that is installed may name it as an entry
point of the group `planetfall.plugins`, and is then always known. Workers of a campaign elsewhere are sent the texts of
plug-ins that are named by file; modules they find as anyone does, or say that they are not there.
"""

import difflib
import hashlib
import importlib
import importlib.util
import re
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from planetfall.errors import InputError, PlanetfallError, PluginWarning
from planetfall.scenario.files.files_read import digest_of, report_read
from planetfall.scenario.tables.open_union import SELECTORS, registered_tables

GROUP = "planetfall.plugins"
SCRIPT = "__main__"
HOME = Path(__file__).parents[2]
"""Where Planetfall's own modules are."""
MIXED = "Input types must be the same"
"""How Warp says that a number of 32 bits, as Python's 1.0 is to it, meets one of 64."""
_LOADED: dict[str, str] = {}
"""SHA-256 of the files of plug-ins that were loaded, by path, as they were then."""
_SENT: dict[str, bytes] = {}
"""Texts of plug-ins that a worker was sent, by the path that scenarios name."""
_HOMES: dict[str, str] = {}
"""The path that scenarios name, by that of the file into which a worker wrote what it was sent."""
IN_FILE = "planetfall_plugin_"
"""How the names of modules begin that were read from files."""


def load_plugins(names: Any, source: str) -> None:
    """Imports the plug-ins that a scenario names, and those that are installed.

    Raises:
        InputError: One cannot be imported, or was changed since it was.
    """
    if not isinstance(names, Sequence) or isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InputError("plugins", f"{names!r} in {source}", 'a list of names, for example plugins = ["my_module"]')
    load_installed()
    for name in names:
        if name != SCRIPT:
            _load(name, source)


@lru_cache
def load_installed() -> None:
    """Imports what installed packages name as entry points, once; one that cannot be imported is warned of."""
    for entry in entry_points(group=GROUP):
        try:
            entry.load()
        except Exception as error:
            warnings.warn(_broken(entry, error), PluginWarning, stacklevel=2)


def _broken(entry: EntryPoint, error: Exception) -> str:
    return (
        f"the plug-in {entry.name} ({entry.value}), which an installed package names, cannot be imported "
        f"({type(error).__name__}: {error}); its parts are not known"
    )


def _load(name: str, source: str) -> None:
    try:
        module = _module_of(name)
    except InputError:
        raise
    except Exception as error:
        if own := _own_words(error):
            problem, advice = own
            raise InputError("plugins", f"{name}{problem}, and {source} uses it", advice=advice) from None
        install = "install it on this machine and on all workers, or name its file (.py)"
        how = "put the file there, or correct it" if name.endswith(".py") else install
        raise InputError(
            "plugins", f"{name} cannot be imported ({type(error).__name__}: {error}), and {source} uses it",
            advice=how,
        ) from None  # fmt: skip
    for file in _files_of(module):
        report_read(file)
        if digest_of(file) != _LOADED.setdefault(str(file), digest_of(file)):
            raise InputError(
                "plugins", f"{file} was changed since it was imported", advice="restart Python, which reads it again"
            )


def _module_of(name: str) -> ModuleType:
    if not name.endswith(".py"):
        return importlib.import_module(name)
    return _from_file(Path(name) if name not in _SENT else _place_of_sent(name))


def texts_of_plugins(names: Sequence[str]) -> tuple[tuple[str, bytes], ...]:
    """The texts of those plug-ins that are named by file, by path: what a worker without these files has to be sent."""
    files = [Path(name) for name in names if name.endswith(".py") and Path(name).is_file()]
    return tuple((str(file), file.read_bytes()) for file in files)


def take_sent(texts: Sequence[tuple[str, bytes]]) -> None:
    """On a worker: plug-ins named by these paths have these texts from now on, whatever files there are."""
    _SENT.update(texts)


def _place_of_sent(name: str) -> Path:
    """Where to import a plug-in from whose text was sent: its own file if that has the same text, else a new one.

    Raises:
        InputError: This process has imported another text of it; parts that are registered cannot be taken back.
    """
    digest = hashlib.sha256(_SENT[name]).hexdigest()
    place = Path(_sent_folder().name) / digest[:16] / Path(name).name
    known = sys.modules.get(f"{IN_FILE}{Path(name).stem}")
    file = str(known.__file__) if known is not None else ""
    if file == name or _HOMES.get(file) == name:
        if _LOADED.get(file, digest) != digest:
            raise InputError("plugins", f"another text of {name} was imported here before", advice="restart the worker")
        place = Path(file)
    elif digest_of(name) == digest:
        return Path(name)
    if str(place) != name and digest_of(place) != digest:
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(_SENT[name])
        _HOMES[str(place)] = name
    return place


@lru_cache
def _sent_folder() -> tempfile.TemporaryDirectory[str]:
    """Goes when the process ends."""
    return tempfile.TemporaryDirectory(prefix="planetfall-plugins-", ignore_cleanup_errors=True)


def _own_words(error: Exception) -> tuple[str, str] | None:
    """What a record misses, or which name `planetfall.plugins` has not got, and what to do."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if not _is_ours(frame.filename)]
    where = f", line {lines[-1]}" if lines else ""
    offered = getattr(sys.modules.get(GROUP), "__all__", ())
    missing = re.match(r"(\w+)\.__init__\(\) missing \d+ required .*arguments?: (.+)", str(error))
    if isinstance(error, TypeError) and missing and missing[1] in offered:
        parts = missing[2].replace("'", "")
        return f"{where}: the {missing[1]} lacks {parts}", "add what is missing to the record"
    unknown = re.match(rf"cannot import name '(\w+)' from '{re.escape(GROUP)}'", str(error))
    if isinstance(error, ImportError) and unknown:
        near = near_names(unknown[1], offered)
        advice = f"did you mean {', '.join(near)}?" if near else f"it has {', '.join(offered)}"
        return f"{where}: {GROUP} has no {unknown[1]}", advice
    return None


def near_names(name: str, offered: Sequence[str], most: int = 3) -> list[str]:
    """The names nearest to one, nearest first; letters' case does not count."""
    by_lower = {each.lower(): each for each in offered}
    return [by_lower[each] for each in difflib.get_close_matches(name.lower(), by_lower, most, 0.5)]


def _is_ours(file: str) -> bool:
    """Whether a traceback's file is not the plug-in's: Python's importing, a record's own constructor, or ours."""
    return file.startswith("<") or Path(file).is_relative_to(HOME) or "importlib" in file


def _from_file(path: Path) -> ModuleType:
    """The module in a file, under a name of its own, so that classes in it can be pickled."""
    name = f"{IN_FILE}{path.stem}"
    known = sys.modules.get(name)
    if known is not None and Path(str(known.__file__)) == path:
        return known
    if (imported := _imported_from(path)) is not None:
        return imported
    if known is not None:
        raise InputError("plugins", f"{path} has the name of {known.__file__}", advice="rename one of the two")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    _known_to_imports(path, module)
    return module


def _known_to_imports(path: Path, module: ModuleType) -> None:
    """Lets a program that imports the file later get this module: read again, it would register its parts twice."""
    if path.stem in sys.modules or not path.stem.isidentifier():
        return
    found = importlib.util.find_spec(path.stem)
    if found is not None and found.origin is not None and Path(found.origin).resolve() == path.resolve():
        sys.modules[path.stem] = module


def _imported_from(path: Path) -> ModuleType | None:
    """The module that a program has imported from this file by itself, or is: its parts are registered already."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and Path(file).name == path.name and Path(file).resolve() == path.resolve():
            return module
    return None


def _files_of(module: ModuleType) -> Iterator[Path]:
    """The sources of a module, or of all modules of a package."""
    if file := getattr(module, "__file__", None):
        path = Path(file)
        yield from sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]


@contextmanager
def plugin_faults() -> Iterator[None]:
    """Inside, what the code of a plug-in raises, or does not compile for, is one sentence that names file and line.

    Whatever else goes wrong stays as it is: it is not the plug-in's fault. Of parts made in a script Python's own words
    are the better ones, too.

    Raises:
        InputError: A plug-in is at fault; the exception that it raised is the cause.
    """
    try:
        yield
    except PlanetfallError:
        raise
    except Exception as error:
        if fault := _raised_in(error) or _not_compiled(error):
            for file, name in _HOMES.items():
                fault = fault.replace(file, name)
            numbers = MIXED in fault and "'float32'" in fault
            advice = "write wp.float64(1.0) in the place of 1.0" if numbers else "mend the plug-in"
            raise InputError("plugins", " ".join(fault.split()), advice=advice) from error
        raise


def _raised_in(error: Exception) -> str | None:
    """File, line and function of a plug-in in which an error was raised, the innermost, and what it says."""
    files = _own_files()
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in files:
            where = f"{frame.filename}, line {frame.lineno}, in {frame.name}"
            return f"{where}: {type(error).__name__}: {error}"
    return None


def _not_compiled(error: Exception) -> str | None:
    """File and line of a plug-in at which Warp stopped to compile: its words name all callers, the innermost last."""
    named = "|".join(re.escape(file) for file in _own_files())
    found = list(re.finditer(rf"({named}):(\d+):?", str(error))) if named else []
    if not found:
        return None
    said = str(error)[found[-1].end() :].replace("\\n", " ")  # a KeyError has its words quoted
    return f"{found[-1][1]}, line {found[-1][2]}, does not compile: {said.strip()}"


def _own_files() -> set[str]:
    """The sources of all plug-ins: of those that were named, and of those whose parts are registered."""
    homes = {table.__module__ for kind in SELECTORS for table in registered_tables(kind).values()}
    modules = (sys.modules.get(home.partition(".")[0]) for home in homes if home != SCRIPT)
    registered = (str(file) for module in modules if module is not None for file in _files_of(module))
    return {*_LOADED, *registered}


def plugins_used(values: Mapping[str, Any]) -> list[str]:
    """The plug-ins that a scenario's values name, and the homes of those parts that they use without naming any.

    A saved scenario says by this which parts it needs, however they were registered.
    """
    named: list[str] = [_whole(name) for name in values.get("plugins") or ()]
    for kind, selector in SELECTORS.items():
        tables = values.get(kind)
        for table in tables if isinstance(tables, list | tuple) else [tables]:
            part = registered_tables(kind).get(str(table.get(selector))) if isinstance(table, Mapping) else None
            if part is not None and (home := home_of(part)) not in named:
                named.append(home)
    return named


def _whole(name: str) -> str:
    """The path of a file from the root on, which that of `--set` may not be; the name of a module as it is."""
    return str(Path(name).absolute()) if name.endswith(".py") and name not in _SENT else name


def home_of(part: type) -> str:
    """What has to be named in `plugins` so that a part is known: a module, or a file."""
    module = sys.modules.get(part.__module__)
    if part.__module__.startswith(IN_FILE):
        file = str(getattr(module, "__file__", part.__module__))
        return _HOMES.get(file, file)
    return part.__module__
