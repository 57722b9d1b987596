"""Papers on the methods, as fields of BibTeX by key; docs/theory.md names them under Sources."""

from __future__ import annotations

from collections.abc import Mapping

JCP = "Journal of Computational Physics"
AIAA = "AIAA Journal"
Entry = Mapping[str, str]


def _paper(
    author: str, title: str, journal: str, where: str, year: int, doi: str = ""
) -> dict[str, str]:
    """An article; `where` is volume, number and pages, as "43 2 357--372", - for no number."""
    volume, number, pages = where.split()
    found = {"entry": "article", "author": author, "title": title, "journal": journal}
    found |= {"volume": volume} | ({} if number == "-" else {"number": number})
    return found | {"pages": pages, "year": str(year)} | ({"doi": doi} if doi else {})


def _report(author: str, title: str, number: str, year: int, doi: str = "") -> dict[str, str]:
    """A paper of a meeting."""
    found = {"entry": "misc", "author": author, "title": title, "howpublished": number}
    return found | {"year": str(year)} | ({"doi": doi} if doi else {})


PAPERS: Mapping[str, Entry] = {
    "Roe1981": _paper(
        "Roe, P. L.",
        "Approximate {Riemann} solvers, parameter vectors, and difference schemes",
        JCP, "43 2 357--372", 1981, "10.1016/0021-9991(81)90128-5",
    ),
    "Toro1994": _paper(
        "Toro, E. F. and Spruce, M. and Speares, W.",
        "Restoration of the contact surface in the {HLL-Riemann} solver",
        "Shock Waves", "4 1 25--34", 1994, "10.1007/BF01414629",
    ),
    "Jameson1981": _report(
        "Jameson, A. and Schmidt, W. and Turkel, E.",
        "Numerical solution of the {Euler} equations by finite volume methods using {Runge-Kutta} "
        "time-stepping schemes",
        "AIAA Paper 81-1259", 1981, "10.2514/6.1981-1259",
    ),
    "Venkatakrishnan1995": _paper(
        "Venkatakrishnan, V.",
        "Convergence to steady state solutions of the {Euler} equations on unstructured grids with "
        "limiters",
        JCP, "118 1 120--130", 1995, "10.1006/jcph.1995.1084",
    ),
    "Turkel1999": _paper(
        "Turkel, E.",
        "Preconditioning techniques in computational fluid dynamics",
        "Annual Review of Fluid Mechanics", "31 - 385--416", 1999,
        "10.1146/annurev.fluid.31.1.385",
    ),
    "Weiss1995": _paper(
        "Weiss, J. M. and Smith, W. A.",
        "Preconditioning applied to variable and constant density flows",
        AIAA, "33 11 2050--2057", 1995, "10.2514/3.12946",
    ),
    "Thomas1986": _paper(
        "Thomas, J. L. and Salas, M. D.",
        "Far-field boundary conditions for transonic lifting solutions to the {Euler} equations",
        AIAA, "24 7 1074--1080", 1986, "10.2514/3.9394",
    ),
    "Jameson1991": _report(
        "Jameson, A.",
        "Time dependent calculations using multigrid, with applications to unsteady flows past "
        "airfoils and wings",
        "AIAA Paper 91-1596", 1991, "10.2514/6.1991-1596",
    ),
    "vanderVorst1992": _paper(
        "van der Vorst, H. A.",
        "{Bi-CGSTAB}: a fast and smoothly converging variant of {Bi-CG} for the solution of "
        "nonsymmetric linear systems",
        "SIAM Journal on Scientific and Statistical Computing", "13 2 631--644", 1992,
        "10.1137/0913035",
    ),
    "Yoon1988": _paper(
        "Yoon, S. and Jameson, A.",
        "Lower-upper symmetric-{Gauss-Seidel} method for the {Euler} and {Navier-Stokes} equations",
        AIAA, "26 9 1025--1026", 1988, "10.2514/3.10007",
    ),
    "Saad1993": _paper(
        "Saad, Y.",
        "A flexible inner-outer preconditioned {GMRES} algorithm",
        "SIAM Journal on Scientific Computing", "14 2 461--469", 1993, "10.1137/0914028",
    ),
    "Spalart1994": _paper(
        "Spalart, P. R. and Allmaras, S. R.",
        "A one-equation turbulence model for aerodynamic flows",
        "La Recherche A{\\'e}rospatiale", "1 - 5--21", 1994,
    ),
    "Allmaras2012": _report(
        "Allmaras, S. R. and Johnson, F. T. and Spalart, P. R.",
        "Modifications and clarifications for the implementation of the {Spalart-Allmaras} "
        "turbulence model",
        "7th International Conference on Computational Fluid Dynamics, ICCFD7-1902", 2012,
    ),
    "Farhat1998": _paper(
        "Farhat, C. and Degand, C. and Koobus, B. and Lesoinne, M.",
        "Torsional springs for two-dimensional dynamic unstructured fluid meshes",
        "Computer Methods in Applied Mechanics and Engineering", "163 1--4 231--245", 1998,
        "10.1016/S0045-7825(98)00016-4",
    ),
    "Ma2017": _paper(
        "Ma, W. and Lu, Z. and Yuan, W. and Hu, X.",
        "Parallelization of an unsteady {ALE} solver with deforming mesh using {OpenACC}",
        "Scientific Programming", "2017 - 4610138", 2017, "10.1155/2017/4610138",
    ),
    "Burg2004": _report(
        "Burg, C. O. E.",
        "A robust unstructured grid movement strategy using three-dimensional torsional springs",
        "AIAA Paper 2004-2529", 2004, "10.2514/6.2004-2529",
    ),
    "Liu2006": _paper(
        "Liu, X. and Qin, N. and Xia, H.",
        "Fast dynamic grid deformation based on {Delaunay} graph mapping",
        JCP, "211 2 405--423", 2006, "10.1016/j.jcp.2005.05.025",
    ),
    "Wang2010": _paper(
        "Wang, H. and others",
        "A study of gridless method with dynamic clouds of points for solving unsteady {CFD} "
        "problems in aerodynamics",
        "International Journal for Numerical Methods in Fluids", "64 1 98--118", 2010,
    ),
    "Zhang2018": _paper(
        "Zhang, J. and Ma, Z. and Chen, H. and Cao, C.",
        "A {GPU}-accelerated implicit meshless method for compressible flows",
        JCP, "360 - 39--56", 2018, "10.1016/j.jcp.2018.01.037",
    ),
    "Chorin1968": _paper(
        "Chorin, A. J.",
        "Numerical solution of the {Navier-Stokes} equations",
        "Mathematics of Computation", "22 104 745--762", 1968,
        "10.1090/S0025-5718-1968-0242392-2",
    ),
    "Vanek1996": _paper(
        "Van{\\v{e}}k, P. and Mandel, J. and Brezina, M.",
        "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic problems",
        "Computing", "56 3 179--196", 1996, "10.1007/BF02238511",
    ),
    "Steger1983": _report(
        "Steger, J. L. and Dougherty, F. C. and Benek, J. A.",
        "A {Chimera} grid scheme",
        "Advances in Grid Generation, ASME FED-5, 59--69", 1983,
    ),
}  # fmt: skip
