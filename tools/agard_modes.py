"""Write the modes of AGARD wing 445.6, weakened: python tools/agard_modes.py

The wing is an orthotropic plate of Kirchhoff, as thick as its section NACA 65A004, clamped at its
root, the grain along the quarter chord.  Ritz's method with eta^2 times products of Legendre
polynomials over the trapezoid, which vanish with their slopes at the root.  Lengths are in root
chords, masses over that of the wing.  Frequencies printed are the plate's own: those of the ready
case are Yates' (NASA TM-100492).
"""

from pathlib import Path

import numpy as np
from kinemesh.mesh.sections.named import section
from numpy.polynomial.legendre import Legendre, leggauss
from scipy.linalg import eigh
from scipy.optimize import brentq

FOOT = 0.3048
ROOT, TIP, SPAN = 1.833 * FOOT, 1.208 * FOOT, 2.5 * FOOT  # chords and span [m] of NASA TM-100492
LEAD = ROOT / 4 + SPAN - TIP / 4  # of the tip's leading edge behind the root's: 45 degrees at c/4
MASS = 1.8628  # kg, 0.12764 slugs, model 3
ALONG, ACROSS, SHEAR, POISSON = 3.151e9, 0.4162e9, 0.4392e9, 0.31  # Pa, of weakened mahogany
GRAIN = np.radians(45.0)  # from the stream
CHORDWISE, SPANWISE, MODES = 8, 9, 4  # polynomials, modes
PLACES = np.array([0, 0.005, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
FILE = Path(__file__).parents[1] / "python" / "kinemesh" / "cases" / "data" / "agard-4456_modes.csv"


def quadrature(edges, points):
    """Places and weights of Gauss between edges."""
    g, w = leggauss(points)
    size = np.diff(edges)[:, None]
    return (edges[:-1, None] + size * (g + 1) / 2).ravel(), (size * w / 2).ravel()


def half_thickness(x):
    """Half thickness of the section over its chord [chord]."""
    shape = section("naca65a004").curve

    def u(own):
        return brentq(lambda u: shape(np.array([u]))[0][0].real - own, 0.0, 0.5)

    return shape(np.array([u(own) for own in x]))[0].imag


def one_sided(n, x, orders=3):
    """(orders,) of (points,) a Legendre polynomial over 0 to 1 and its derivatives."""
    own = Legendre.basis(n, domain=[0, 1])
    return [own.deriv(k)(x) if k else own(x) for k in range(orders)]


def basis(xi, eta):
    """(functions, 4, chordwise, spanwise): w, w_xx, w_yy and 2 w_xy [m] of every function."""
    chord = ROOT + (TIP - ROOT) * eta[None]
    shrink = TIP - ROOT
    along = LEAD + shrink * xi[:, None]  # dx / d eta
    x1, y1, up = 1 / chord, -along / (SPAN * chord), 1 / SPAN  # xi_x, xi_y, eta_y
    x1y = -shrink / (SPAN * chord**2)
    y1y = 2 * along * shrink / (SPAN * chord) ** 2
    found = []
    for i in range(CHORDWISE):
        p = [own[:, None] for own in one_sided(i, xi)]
        for j in range(SPANWISE):
            q = [own[None] for own in one_sided(j, eta)]
            e = eta[None]
            r = [e**2 * q[0], 2 * e * q[0] + e**2 * q[1], 2 * q[0] + 4 * e * q[1] + e**2 * q[2]]
            w = p[0] * r[0]
            xx = p[2] * r[0] * x1**2
            yy = p[2] * r[0] * y1**2 + 2 * p[1] * r[1] * y1 * up + p[0] * r[2] * up**2
            yy = yy + p[1] * r[0] * y1y
            xy = p[2] * r[0] * x1 * y1 + p[1] * r[1] * x1 * up + p[1] * r[0] * x1y
            found.append(np.stack([w, xx, yy, 2 * xy]))
    return np.array(found)


def bending():
    """(3, 3) moments over curvatures of a plate of thickness 1, in the axes of the wing [Pa]."""
    other = POISSON * ACROSS / ALONG
    own = np.array([[ALONG, POISSON * ACROSS, 0], [POISSON * ACROSS, ACROSS, 0], [0, 0, SHEAR]])
    own[:2] /= 1 - POISSON * other
    c, s = np.cos(GRAIN), np.sin(GRAIN)
    turn = [[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]]
    return np.transpose(turn) @ own @ turn / 12


def solved():
    """Frequencies [Hz] of the plate, and coefficients of shapes whose integral w^2 dm is MASS."""
    xi, along = quadrature(np.concatenate([[0, 0.005, 0.025, 0.1], np.linspace(0.2, 1, 9)]), 6)
    eta, across = quadrature(np.array([0.0, 1.0]), SPANWISE + 8)
    chord = ROOT + (TIP - ROOT) * eta[None]
    thick = 2 * half_thickness(xi)[:, None] * chord
    area = np.outer(along, across) * chord * SPAN
    functions = basis(xi, eta)
    w, curved = functions[:, 0], functions[:, 1:]
    stiff = np.einsum("aixy,ij,bjxy,xy->ab", curved, bending(), curved, area * thick**3,
                      optimize=True)  # fmt: skip
    mass = np.einsum("axy,bxy,xy->ab", w, w, area * thick, optimize=True)
    density = MASS / (area * thick).sum()
    squares, vectors = eigh(stiff, density * mass, subset_by_index=[0, MODES - 1])
    return np.sqrt(squares) / (2 * np.pi), vectors * np.sqrt(MASS), density


def main():
    """Write the shapes and print frequencies and generalised masses."""
    frequencies, vectors, density = solved()
    eta = np.linspace(0, 1, 17)
    shapes = np.einsum("axy,aj->xyj", basis(PLACES, eta)[:, 0], vectors)
    tips = shapes[-1, -1]  # the trailing edge of the tip moves up
    most = np.abs(shapes).max(axis=(0, 1)) * np.sign(tips)
    x = (LEAD * eta[None] + (ROOT + (TIP - ROOT) * eta[None]) * PLACES[:, None]) / ROOT
    y = np.broadcast_to(SPAN / ROOT * eta[None], x.shape)
    table = [x, y, 0 * x]
    for j in range(MODES):
        table += [0 * x, 0 * x, shapes[..., j] / most[j]]
    rows = np.reshape(table, (3 + 3 * MODES, -1)).T + 0.0
    masses = ", ".join(f"{own:.5g}" for own in 1 / most**2)
    own = ", ".join(f"{own:.2f}" for own in frequencies)
    names = ["x", "y", "z", *(f"d{axis}{j + 1}" for j in range(MODES) for axis in "xyz")]
    head = [
        "# AGARD wing 445.6, weakened: shapes of an orthotropic plate, by tools/agard_modes.py.",
        "# In root chords, the largest displacement 1.",
        f"# Generalised masses over the mass of the wing, in squares of these: {masses}.",
        f"# The plate's own frequencies: {own} Hz; density {density:.1f} kg/m^3.",
    ]
    lines = [",".join(f"{value:.7g}" for value in row) for row in rows]
    FILE.write_text("\n".join([*head, ",".join(names), *lines]) + "\n", encoding="utf-8")
    print("\n".join(head))


if __name__ == "__main__":
    main()
