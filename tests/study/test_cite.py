"""BibTeX of kinemesh and of the methods that a case uses."""

import re
from pathlib import Path

import kinemesh as km
import pytest
from kinemesh import cli
from kinemesh.flow.terms.convection import CLOUD_FLUXES, FLUXES
from kinemesh.flow.terms.gradients import LIMITERS
from kinemesh.flow.terms.turbulence import MODELS
from kinemesh.study.cite import KINEMESH, OF_CHOICES
from kinemesh.study.references import PAPERS

ROOT = Path(__file__).parents[2]


def keys(text):
    return re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)


def made(**more):
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    settings = km.AleSettings(**more.pop("settings", {}))
    return km.Ale(mesh, mach=0.5, device="cpu", settings=settings, **more)


def test_a_solver_has_the_papers_of_what_it_chooses():
    still, moves = made(), made(motion=km.motion.pitch(1.0, 0.1))
    delaunay = made(motion=km.motion.pitch(1.0, 0.1), deform=km.deform.Delaunay())
    other = made(settings={"flux": "hllc", "limiter": "none", "linear_solver": "lusgs"})

    first = ["kinemesh", "Roe1981", "Venkatakrishnan1995", "Turkel1999", "Weiss1995"]
    assert keys(km.cite(still)) == [*first, "vanderVorst1992"]
    springs = [*first, "Jameson1991", "vanderVorst1992", "Farhat1998", "Ma2017", "Vanek1996"]
    assert keys(km.cite(moves)) == springs
    assert keys(km.cite(delaunay)) == [*springs[:-3], "Liu2006"]
    assert {"Toro1994", "Yoon1988"} < {*keys(km.cite(other))}
    assert not {"Roe1981", "Venkatakrishnan1995", "vanderVorst1992"} & {*keys(km.cite(other))}


def test_an_entry_is_whole():
    text = km.cite(made(settings={"flux": "hllc"}))

    assert (
        """@article{Toro1994,
  author = {Toro, E. F. and Spruce, M. and Speares, W.},
  title = {Restoration of the contact surface in the {HLL-Riemann} solver},
  journal = {Shock Waves},
  volume = {4},
  number = {1},
  pages = {25--34},
  year = {1994},
  doi = {10.1007/BF01414629},
}"""
        in text
    )


@pytest.mark.long
def test_cases_are_cited_by_name_and_from_the_shell(capsys):
    assert cli.main(["cite", "agard-ct5-sa"]) == 0
    told = keys(capsys.readouterr().out)
    assert {"Spalart1994", "Allmaras2012", "Saad1993"} < {*told}
    assert keys(km.cite("plunging-naca0012"))[1:3] == ["Chorin1968", "Vanek1996"]
    assert "Steger1983" in keys(km.cite(km.cases.load("plunging-naca0012")))
    cloud = ['method="meshless"', 'deform.method="delaunay"', 'solver.time="lusgs"']
    by_points = keys(km.cite(km.cases.load("agard-ct5", cloud)))
    assert {"Wang2010", "Zhang2018", "Yoon1988", "Liu2006"} < {*by_points}
    assert cli.main(["cite", "agard-ct55"]) == 2
    assert "did you mean 'agard-ct5'" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("what", [3, None, km.motion.pitch(1.0, 0.1)])
def test_what_is_no_case_is_refused(what):
    with pytest.raises(km.CaseError, match=r"cite: got .*, expected a case"):
        km.cite(what)


def test_every_flux_limiter_and_model_has_its_papers():
    chosen = {("flux", name) for name in (*FLUXES, *CLOUD_FLUXES)}
    chosen |= {("limiter", name) for name in LIMITERS if name != "none"}
    chosen |= {("turbulence", name) for name in MODELS if name is not None}

    assert chosen <= {*OF_CHOICES}


def test_every_paper_is_used_and_stands_among_the_sources_of_the_theory():
    sources = (ROOT / "docs/theory.md").read_text("utf-8").partition("## Sources")[2].splitlines()

    assert {key for several in OF_CHOICES.values() for key in several} == {*PAPERS}
    for key, paper in PAPERS.items():
        surname = re.sub(r"\W", "", key.rstrip("0123456789")).removeprefix("vander")
        lines = [line for line in sources if surname in line and paper["year"] in line]
        assert lines, key
        title = re.sub(r"[{}]", "", paper["title"]).casefold()[:20]
        assert any(title in line.casefold() for line in lines) or key == "vanderVorst1992", key
        assert paper.get("doi", "10.").startswith("10.")
        assert {"author", "title", "year"} < {*paper}
        assert ("journal" in paper) == (paper["entry"] == "article")
    dois = [paper["doi"] for paper in PAPERS.values() if "doi" in paper]
    assert len({*dois}) == len(dois)


def test_kinemesh_is_cited_as_its_citation_file_says():
    cff = (ROOT / "CITATION.cff").read_text("utf-8")

    assert re.sub(r"[{}]", "", KINEMESH["title"]) in cff
    assert re.sub(r"[{}]", "", KINEMESH["author"]) in cff


def test_springs_of_tetrahedra_have_their_own_paper():
    section = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    wing = km.mesh.extruded(section, cells="tets")
    pitch, springs = km.motion.pitch(1.0, 0.1), km.deform.TorsionalSprings()
    of = {"mach": 0.5, "reference_area": 1.0, "device": "cpu"}

    moves, rigid = (
        km.Ale(wing, motion=pitch, deform=springs, **of),
        km.Ale(wing, motion=pitch, **of),
    )

    assert {"Farhat1998", "Burg2004"} < {*keys(km.cite(moves))}
    assert not {"Farhat1998", "Burg2004"} & {*keys(km.cite(rigid))}
    assert "Burg2004" not in km.cite(made(motion=pitch))
