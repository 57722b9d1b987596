"""Tables of fluxes, limiters and conditions, and constants of schemes, are those of the docs."""

import re
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.structures import KINDS
from kinemesh.flow import registry
from kinemesh.flow.gas import ale_settings as ale
from kinemesh.flow.gas import lowmach, meshless_settings
from kinemesh.flow.projection import matrices, steady
from kinemesh.flow.terms.convection import CLOUD_FLUXES, FLUXES
from kinemesh.flow.terms.gradients import LIMITERS
from kinemesh.space.conditions.table import CONDITIONS, kinds

pytestmark = pytest.mark.no_sanitizer

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
TABLES = {
    "ale": {"flux": {*FLUXES}, "limiter": {*LIMITERS}},
    "meshless": {"flux": {*CLOUD_FLUXES}, "limiter": {*meshless_settings.LIMITERS}},
}
PAGE_OF = {"ale": "theory.md", "meshless": "meshless.md"}


def text_of(page):
    return (ROOT / "docs" / page).read_text("utf-8")


def named(text, key):
    """Values of a key in a text, as `flux="roe"` and as `--set solver.flux=roe`."""
    return set(re.findall(rf"(?:\b{key} ?= ?[\"']|\bsolver\.{key}=)(\w+)", text))


@pytest.mark.parametrize("key", ["flux", "limiter"])
@pytest.mark.parametrize("method", TABLES)
def test_a_page_of_theory_has_the_names_of_the_table(method, key):
    assert named(text_of(PAGE_OF[method]), key) == TABLES[method][key]


@pytest.mark.parametrize("key", ["flux", "limiter"])
@pytest.mark.parametrize("method", TABLES)
def test_the_page_of_cases_has_the_names_of_the_table(method, key):
    section = text_of("cases.md").split(f'### [solver] of method = "{method}"')[1].split("\n##")[0]
    (row,) = (line for line in section.splitlines() if line.startswith(f"| `{key}` |"))

    meaning = row.split(" | ")[-1]
    assert set(re.findall(r'"(\w+)"', meaning)) == TABLES[method][key]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_names_what_no_table_has(page):
    text = page.read_text("utf-8")
    known = {k: set().union(*(own[k] for own in TABLES.values())) for k in ("flux", "limiter")}
    known["kind"] = {*kinds(), *(name.partition("-")[0] for name in KINDS)}

    assert {k: named(text, k) - names for k, names in known.items()} == {
        key: set() for key in known
    }


def test_solvers_choose_from_the_tables():
    assert {*meshless_settings.RK_CFL} == {*CLOUD_FLUXES}


def test_the_page_of_meshes_has_the_conditions_with_their_numbers_and_methods():
    row = re.compile(r"^\| `(\w+)` \|([^|]*)\|([^|]*)\|([^|]*)\|$", re.MULTILINE)

    found = [
        (kind, flow.strip(), *(re.findall(r"`(\w+)`", cell) for cell in cells))
        for kind, flow, *cells in row.findall(text_of("meshes.md"))
    ]
    assert found == [
        (
            own.kind, own.flow, [field.name for field in fields(own)],
            [line.name for line in registry.SOLVERS if line.solver.family in own.families],
        )
        for own in CONDITIONS if own.families
    ]  # fmt: skip


# ---------------------------------------------------------------- constants

SAID = [
    ("theory.md", r"\(Harten\), \$f = ([\d.]+)\$ by default", km.AleSettings().entropy_fix),
    ("theory.md", r"`jacobian_fix`, ([\d.]+) in the plane, ([\d.]+) in", tuple(ale.FIX.values())),
    ("theory.md", r"Wang's with \$K = ([\d.]+)\$ is the default", LIMITERS["wang"].k),
    ("theory.md", r"has \$K = (\d+)\$ where none", LIMITERS["venkatakrishnan"].k),
    ("theory.md", r"M_r/([\d.]+) & M_r < ([\d.]+)\\", (lowmach.SCALE, lowmach.BLEND)),
    ("theory.md", r"1 - \(([\d.]+) - M_r\)", lowmach.OFF),
    ("theory.md", r"A solve ends at ([\d.]+) of its side", matrices.DROP),
    ("theory.md", r"^solved to ([\d.]+); then predicts", steady.LINEAR_DROP),
    (
        "theory.md",
        r"\$([\d.]+)\$ for inertia and \$\\beta=([\d.]+)\$ for friction",
        (steady.INERTIA, steady.FRICTION),
    ),
    ("theory.md", r"\\frac\{([\d.]+)\}\{T_i\}", steady.MOST),
    (
        "meshless.md",
        r"step are ([\d.]+), ([\d.]+), ([\d.]+), ([\d.]+) and (1),",
        CLOUD_FLUXES["roe"].stages,
    ),
    (
        "meshless.md",
        r"and (1/4), (1/6), (3/8), (1/2) and (1) with JST",
        CLOUD_FLUXES["jst"].stages,
    ),
    ("meshless.md", r"does not fall .*; the default is ([\d/]+)\.", km.MeshlessSettings().jst_k4),
]


@pytest.mark.parametrize(("page", "words", "value"), SAID)
def test_a_constant_is_that_of_the_page(page, words, value):
    (said,) = re.findall(words, text_of(page), re.MULTILINE)

    told = [float(Fraction(own)) for own in ((said,) if isinstance(said, str) else said)]
    assert told == np.atleast_1d(value).tolist()
