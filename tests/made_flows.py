"""Manufactured flows of a viscous gas: states, what their equations leave, integrals over duals."""

import numpy as np
from exact_gas import GAMMA, conserved
from solver_cases import stream
from viscous_cases import PR

MACH, ALPHA, RE = 0.5, 17.0, 20.0
LAW = 110.4 / 288.15
STEP = 1e-3


def bump(x, y):
    """Smooth on the unit square, zero with its gradient on the rim."""
    return (np.sin(np.pi * x) * np.sin(np.pi * y)) ** 3


def state(x, y):
    """Primitive state at places of the unit square, that of the stream on the rim and beyond."""
    rho, u, v, p = stream(MACH, ALPHA)
    b = bump(x, y)
    return np.stack([
        rho + 0.2 * b * np.cos(2 * x + y),
        u + 0.2 * b * np.sin(3 * y - x),
        v + 0.2 * b * np.cos(x + 2 * y),
        p * (1 + 0.2 * b * np.sin(2 * x + 1)),
    ], -1)  # fmt: skip


class Made:
    """Functions of x, y on the unit square whose y is thinner by `aspect` in the flow itself.

    Parameters
    ----------
    mu : viscosity of the stream
    """

    def __init__(self, aspect, mu):
        self.aspect, self.mu = aspect, mu

    def at(self, function, points):
        """Values of a function of the unit square at places of the flow."""
        return function(points[..., 0], points[..., 1] * self.aspect)

    def slopes(self, function, points):
        """(..., 2) derivatives of each value by x and y of the flow, by the complex step."""
        ways = 1e-30 * np.eye(2)
        return np.stack([self.at(function, points + 1j * way).imag / 1e-30 for way in ways], -1)

    def divergence(self, flux, points):
        """Divergence of flux(points)[..., k], by central differences of sixth order."""
        total = 0.0
        for k, step in enumerate((STEP, STEP / self.aspect)):
            way = np.eye(2)[k] * step
            for share, times in ((3 / 4, 1), (-3 / 20, 2), (1 / 60, 3)):
                ends = [flux(points + sign * times * way)[..., k] for sign in (1, -1)]
                total = total + share * (ends[0] - ends[1]) / step
        return total

    def viscosity(self, points):
        q = self.at(state, points)
        T = GAMMA * q[..., 3] / q[..., 0]
        return self.mu * T**1.5 * (1 + LAW) / (T + LAW)

    def flux(self, points):
        """(..., 4, 2) fluxes of the gas, convective less viscous ones."""
        q, g = self.at(state, points), self.slopes(state, points)
        rho, v, p = q[..., 0], q[..., 1:3], q[..., 3]
        mu, u = self.viscosity(points), conserved(q)
        grad_v = g[..., 1:3, :]
        div = np.trace(grad_v, axis1=-2, axis2=-1)[..., None, None]
        both = grad_v + np.swapaxes(grad_v, -1, -2) - 2 / 3 * div * np.eye(2)
        tau = mu[..., None, None] * both
        grad_t = GAMMA * (g[..., 3, :] - (p / rho)[..., None] * g[..., 0, :]) / rho[..., None]
        heat = -(mu / PR)[..., None] * grad_t / (GAMMA - 1)
        made = u[..., :, None] * v[..., None, :]
        made[..., 1:3, :] += p[..., None, None] * np.eye(2) - tau
        work = np.einsum("...k,...kl->...l", v, tau)
        made[..., 3, :] += p[..., None] * v - work + heat
        return made

    def source(self, points):
        return self.divergence(self.flux, points)


def pieces_of(x, function):
    """Integrals over two triangles at each corner of cells x (cells, corners, 2), in turn."""
    middle = x.mean(1, keepdims=True)
    after = 0.5 * (x + np.roll(x, -1, 1))
    for other in (after, np.roll(after, 1, 1)):
        a, b = other - x, middle - x
        area = 0.5 * np.abs(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
        values = function((x + other + middle) / 3)
        yield area.reshape(area.shape + (1,) * (values.ndim - 2)) * values


def over_duals(mesh, function):
    """Integrals over the median duals of a mesh, by two triangles for each corner of a cell."""
    total = 0.0
    for cells in (mesh.triangles, mesh.quads):
        for part in pieces_of(mesh.points[cells], function) if len(cells) else ():
            if np.ndim(total) == 0:
                total = np.zeros((len(mesh.points), *part.shape[2:]))
            np.add.at(total, cells, part)
    return total


def over_cells(mesh, function):
    """Integrals over the cells of a mesh, by the same triangles."""
    each = [mesh.points[cells] for cells in (mesh.triangles, mesh.quads) if len(cells)]
    return np.concatenate([sum(part.sum(1) for part in pieces_of(x, function)) for x in each])
