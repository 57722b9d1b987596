"""The docs are up to date: kernels, equations, links, commands."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
SOURCES = sorted(
    path
    for folder in ("csrc", "python")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".c", ".h", ".cu", ".py")
)
COMMANDS = (
    "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/kinemesh run agard-ct5",
    '.venv/bin/pip install ".[test]" && .venv/bin/python -m pytest',
)


def test_the_page_of_kernels_is_up_to_date():
    spec = importlib.util.spec_from_file_location("kernels_md", ROOT / "tools" / "kernels_md.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)

    assert maker.PAGE.read_text("utf-8") == maker.page(), "run: python tools/kernels_md.py"


def test_equations_and_sections_that_the_sources_cite_are_in_theory():
    theory = (ROOT / "docs" / "theory.md").read_text("utf-8")
    tags = {t.strip() for tag in re.findall(r"\\tag\{([^}]*)\}", theory) for t in tag.split(",")}
    sections = {s.rstrip(".") for s in re.findall(r"^##+ ([\d.]+)", theory, re.MULTILINE)}
    cited, cited_sections = set(), set()

    for path in SOURCES:
        text = re.sub(r"\s+\*?\s*", " ", path.read_text("utf-8"))
        cited |= {(e, path.name) for e in re.findall(r"theory,? eq\. (\d\.\d+[ab]?)", text)}
        found = re.findall(r"theory(?:\.md)?,? (?:sections? )?(\d(?:\.\d+)?)(?!\d)", text)
        cited_sections |= {(s, path.name) for s in found}

    assert len(cited) >= 10
    assert len(cited_sections) >= 10
    assert {c for c in cited if c[0] not in tags} == set()
    assert {c for c in cited_sections if c[0] not in sections} == set()


def test_equations_are_numbered_once_and_in_order():
    theory = (ROOT / "docs" / "theory.md").read_text("utf-8")
    tags = re.findall(r"\\tag\{(\d+)\.(\d+)\}", theory)

    numbers = [(int(a), int(b)) for a, b in tags]

    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8"))

    assert [a for a in links if "://" not in a and not (page.parent / a).exists()] == []


def test_the_readme_has_the_commands_that_ci_runs():
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()

    assert [c for c in COMMANDS if c not in lines] == []


def test_the_changelog_has_the_version():
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]

    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
