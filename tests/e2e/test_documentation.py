"""What the documentation tells people to type works, in the order in which it is told, and what it cites exists."""

from __future__ import annotations

import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from planetfall.cli.app import app
from planetfall.scenario.files.load import scenario_from_dict
from support.command import inside

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if path.is_file())
FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<ticks>`{3,}|~{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^[ \t]*(?P=ticks)`*[ \t]*$", re.M | re.S
)
"""A fenced block, also an indented one; a longer fence may hold shorter ones, which are then text."""
TITLED = re.compile(r'\w+ title="([^"]+)"')
"""What a block calls itself that is a file of the reader's."""
KEY = re.compile(r"\b([A-Z][A-Za-z]*[a-z](?:19|20)\d\d)\b")
"""A citation key as we write them: names and year in one word, as in Raiszadeh2012."""


@dataclass(frozen=True)
class Block:
    """A fenced block: what it calls itself, its text, and its line in the page."""

    info: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        indent = len(match["indent"])
        body = "\n".join(line[indent:] if line[:indent].isspace() else line for line in match["body"].splitlines())
        found.append(Block(match["info"].strip(), body + "\n", text.count("\n", 0, match.start()) + 1))
    return found


def commands(block: Block) -> list[list[str]]:
    """The lines of a shell block that call planetfall, continuation lines joined."""
    lines = block.text.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.startswith("planetfall ")]


def can_be_followed(page: Path) -> bool:
    """Whether there is something to type; tutorials are followed as notebooks, in `test_tutorials.py`."""
    if page.parent.name == "tutorials":
        return False
    return any(block.info == "python" or (block.info == "bash" and commands(block)) for block in blocks(page))


def follow(page: Path, place: Path) -> None:
    """Does what a page says, its Python blocks as one program and its commands as they come, in an empty folder."""
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if titled := TITLED.fullmatch(block.info):
            (place / titled[1]).write_text(block.text, encoding="utf-8")
        elif block.info == "python":
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
        elif block.info == "bash":
            for words in commands(block):
                done = inside(*words[1:], cwd=place)
                assert done.returncode == 0, f"{identity(page)}:{block.line}: {shlex.join(words)}\n{done.stderr}"


def identity(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if can_be_followed(page)], ids=identity)
def test_page_can_be_followed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, top to bottom."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    follow(page, tmp_path)


SHOWN_COMMANDS = [
    pytest.param(words, id=f"{identity(page)}:{block.line}:{i}")
    for page in PAGES
    for block in blocks(page)
    if block.info == "sh"
    for i, words in enumerate(commands(block))
]
"""Commands that are too long for a test, or need a browser, a card or a cluster."""


@pytest.mark.parametrize("words", SHOWN_COMMANDS)
def test_commands_that_are_not_run_have_options_that_exist(words: list[str]) -> None:
    parse(words)


def parse(words: list[str]) -> None:
    """Reads a command as the program does, and stops before it does anything."""
    command, rest = typer.main.get_command(app), words[1:]
    if rest[0].startswith("-"):  # of the program itself, which acts on it at once
        assert any(rest[0] in parameter.opts for parameter in command.params)
        return
    while verbs := getattr(command, "commands", None):
        assert rest and rest[0] in verbs, f"no verb {rest[:1]} in {shlex.join(words)}"
        command, rest = verbs[rest[0]], rest[1:]
    command.make_context(shlex.join(words), rest)


def test_a_wrong_option_is_seen() -> None:
    with pytest.raises(Exception, match="No such option"):
        parse(["planetfall", "rover", "drive", "lsr1-flat", "--no-such-option"])
    with pytest.raises(AssertionError, match="no verb"):
        parse(["planetfall", "drive", "lsr1-flat"])


SCENARIOS = [
    pytest.param(block.text, id=f"{identity(page)}:{block.line}")
    for page in PAGES
    for block in blocks(page)
    if block.info == "toml" and "[scenario]" in block.text and "[integrator]" in block.text
]


@pytest.mark.skipif(not SCENARIOS, reason="no page shows a whole scenario")
@pytest.mark.parametrize("text", SCENARIOS)
def test_whole_scenarios_on_a_page_are_legal(text: str) -> None:
    assert scenario_from_dict(tomllib.loads(text)).name


def test_there_is_something_to_follow() -> None:
    """A newcomer can type something, and the harness sees it."""
    assert any(commands(block) for page in PAGES for block in blocks(page) if block.info == "bash")


def test_harness_reads_blocks() -> None:
    page = (
        "a\n```bash\nplanetfall run x \\\n  --out y  # why\necho no\n```\n\n````markdown\n```python\nno()\n```\n````\n"
    )
    found = [match["info"] for match in FENCE.finditer(page)]
    assert found == ["bash", "markdown"]
    block = Block("bash", "planetfall run x \\\n  --out y  # why\necho no\n", 1)
    assert commands(block) == [["planetfall", "run", "x", "--out", "y"]]


def cited(path: Path) -> set[str]:
    return set(KEY.findall(path.read_text(encoding="utf-8")))


FOLDERS = (("src", "*.py"), ("src", "*.toml"), ("docs", "*.md"), ("tests", "*.py"))
SOURCES = [
    *(path for folder, pattern in FOLDERS for path in sorted((ROOT / folder).rglob(pattern))),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if (ROOT / name).is_file()),
]


def entries() -> set[str]:
    return set(re.findall(r"^@\w+\{\s*([^,\s]+)\s*,", (ROOT / "docs" / "references.bib").read_text("utf-8"), re.M))


def test_every_citation_resolves() -> None:
    unknown = {key: identity(path) for path in SOURCES for key in cited(path) - entries()}
    assert unknown == {}


def test_citations_are_found_at_all() -> None:
    assert "Raiszadeh2012" in set().union(*(cited(path) for path in SOURCES if "src" in path.parts))
    assert KEY.findall("see Raiszadeh2012 Eq. (4); Version2024a; IAU2015; GRS80") == ["Raiszadeh2012"]


def test_entries_of_the_bibliography_are_whole() -> None:
    """Each closes its braces, and no key stands twice."""
    text = (ROOT / "docs" / "references.bib").read_text("utf-8")
    parts = re.split(r"^(?=@)", text, flags=re.M)[1:]
    assert [part.splitlines()[0] for part in parts if part.count("{") != part.count("}")] == []
    assert len(parts) == len(entries())
