"""Entries of changelog.d: moved into CHANGELOG.md before a release, or checked.

python tools/changelog.py            moves them into the topmost part, under Added, Changed, Fixed and Numbers
python tools/changelog.py --check    fails where the name or the text of one is not of its form
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "numbers": "Numbers"}
NAME = re.compile(r"[a-z0-9-]+\.(added|changed|fixed|numbers)\.md")


def entries(folder: Path) -> list[Path]:
    """The files in order of their names."""
    return sorted(path for path in folder.iterdir() if path.name != "README.md")


def faults(folder: Path) -> list[str]:
    """What is wrong with entries: sentences."""
    out = []
    for path in entries(folder):
        if NAME.fullmatch(path.name) is None:
            out.append(f"{path.name}: a name is NAME.KIND.md with KIND one of {', '.join(KINDS)}")
        elif not path.read_text(encoding="utf-8").startswith("- "):
            out.append(f"{path.name}: an entry begins with '- '")
    return out


def gathered(changelog: str, folder: Path) -> str:
    """The changelog with all entries at the end of the parts of its topmost section."""
    head, mark, rest = changelog.partition("\n### ")
    if not mark:
        raise SystemExit("CHANGELOG.md has no section that begins with ###")
    section, mark_after, after = rest.partition("\n### ")
    for kind, title in KINDS.items():
        texts = [path.read_text(encoding="utf-8").strip() for path in entries(folder) if f".{kind}." in path.name]
        if not texts:
            continue
        lines = "\n".join(texts)
        found = re.search(rf"^{title}\n\n(?:- .*\n(?:  .*\n)*)+", section + "\n", re.MULTILINE)
        if found:
            section = f"{section[: found.end() - 1].rstrip()}\n{lines}\n{section[found.end() - 1 :].lstrip(chr(10))}"
            section = re.sub(r"\n(Added|Changed|Fixed|Numbers)\n", r"\n\n\1\n", section).replace("\n\n\n", "\n\n")
        else:
            section = f"{section.rstrip()}\n\n{title}\n\n{lines}\n"
    return f"{head}{mark}{section.rstrip()}\n{mark_after}{after}"


def main() -> None:
    """Moves the entries, or checks them."""
    folder, page = ROOT / "changelog.d", ROOT / "CHANGELOG.md"
    wrong = faults(folder)
    if wrong:
        sys.exit("\n".join(f"changelog.d/{fault}" for fault in wrong))
    if "--check" in sys.argv:
        return
    page.write_text(gathered(page.read_text(encoding="utf-8"), folder), encoding="utf-8")
    for path in entries(folder):
        path.unlink()


if __name__ == "__main__":
    main()
