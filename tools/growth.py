"""Print the growth rates of docs/convergence.md: python tools/growth.py (seconds).

The linearised scheme on an endless layer of cells along a wall of constant curvature, with frozen
coefficients: every node sees its neighbours at the same places in its own tangent frame.
"""

import numpy as np
from numpy.typing import NDArray

GAMMA, MACH, FIX, ASPECT, WAVES = 1.4, 0.5, 0.05, 100.0, 31
Floats = NDArray[np.float64]


def jacobian(n: Floats) -> Floats:
    """Jacobian of the Euler flux along a unit vector, in a stream along x with rho = a = 1."""
    g, (nx, ny), k = GAMMA - 1, n, 0.5 * (GAMMA - 1) * MACH**2
    u, un = MACH, MACH * nx
    H = 1 / g + 0.5 * u * u
    return np.array(
        [
            [0, nx, ny, 0],
            [nx * k - u * un, un + nx * u * (1 - g), ny * u, g * nx],
            [ny * k, -ny * g * u, un, g * ny],
            [un * (k - H), nx * H - g * u * un, ny * H, GAMMA * un],
        ]
    )


def absolute(matrix: Floats) -> Floats:
    """|A| with the entropy fix as a least wave speed."""
    speeds, vectors = np.linalg.eig(matrix)
    least = np.maximum(abs(speeds.real), FIX)
    return ((vectors * least) @ np.linalg.inv(vectors)).real


def faces(height: float, triangles: bool) -> dict[tuple[int, int], Floats]:
    """Area vectors of the median dual to each neighbour (steps along, across the layer)."""
    along, up = np.array([1.0, 0.0]), np.array([0.0, height])
    if triangles:  # between the centroids of the two at each edge
        half = {
            (1, 0): (along + 2 * up) / 3,
            (0, 1): -(2 * along + up) / 3,
            (1, 1): (up - along) / 3,
        }
    else:
        half = {(1, 0): up, (0, 1): -along}
    turned = {to: np.array([t[1], -t[0]]) for to, t in half.items()}
    return turned | {(-a, -b): -s for (a, b), s in turned.items()}


def growth(ratio: float, triangles: bool, power: int = 2) -> float:
    """Largest growth rate over all waves, over the sum of the wave speeds; weights |d|^-power."""
    height = 1 / ASPECT
    area = faces(height, triangles)
    place = {(a, b): np.array([a, b * height - abs(a) * ratio * height]) for a, b in area}
    weight = {to: (d @ d) ** (-power / 2) for to, d in place.items()}
    inverse = np.linalg.inv(sum(weight[to] * np.outer(d, d) for to, d in place.items()))
    size = {to: np.linalg.norm(s) for to, s in area.items()}
    flux = {to: size[to] * jacobian(s / size[to]) for to, s in area.items()}
    damping = {to: size[to] * absolute(flux[to] / size[to]) for to in area}
    most = -np.inf
    for theta, phi in np.ndindex(WAVES, WAVES):
        wave = 2 * np.pi * np.array([theta, phi]) / (WAVES - 1) - np.pi
        there = {to: np.exp(1j * (wave @ to)) for to in area}
        gradient = inverse @ sum(weight[to] * d * (there[to] - 1) for to, d in place.items())
        rates = np.zeros((4, 4), complex)
        for to, d in place.items():
            left = 1 + gradient @ d / 2
            right = there[to] * (1 + gradient @ place[(-to[0], -to[1])] / 2)
            rates += flux[to] * (left + right) / 2 - damping[to] * (right - left) / 2
        most = max(most, -np.linalg.eigvals(rates).real.min())
    return most / sum(size.values())


def main() -> None:
    """The table."""
    for ratio in (0.0, 0.5, 1.0, 2.0, 8.0):
        rates = [growth(ratio, True), growth(ratio, False), growth(ratio, True, power=1)]
        print(f"| {ratio:g} | {' | '.join(f'{rate:.4f}' for rate in rates)} |", flush=True)


if __name__ == "__main__":
    main()
