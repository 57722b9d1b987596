"""Lift along the span of thin wings by a vortex lattice, in NumPy alone.

Katz and Plotkin, Low-Speed Aerodynamics (2nd ed., 2001), section 12.3: horseshoe vortices on the
quarter lines of panels, the stream tangential at their three-quarter points.  The image behind the
plane y = 0 is among them.  The panels lie in the plane z = 0, and twist turns their normals alone,
as in AVL: legs along x would leave a twisted surface above or below its three-quarter points.
"""

import numpy as np


def segment(p, a, b):
    """(points, vortices, 3) velocity at points p by straight vortices a to b of strength 1."""
    r1, r2 = p[:, None] - a, p[:, None] - b
    cross = np.cross(r1, r2)
    size = np.maximum((cross**2).sum(-1), 1e-20)
    n1, n2 = (np.linalg.norm(r, axis=-1) for r in (r1, r2))
    along = ((b - a) * (r1 / n1[..., None] - r2 / n2[..., None])).sum(-1)
    return cross * (along / size / (4 * np.pi))[..., None]


def horseshoes(p, a, b, length=1e4):
    """(points, vortices, 3) velocity by horseshoes bound from a to b, their legs along x."""
    far = np.array([length, 0.0, 0.0])
    return segment(p, a + far, a) + segment(p, a, b) + segment(p, b, b + far)


def lift(y, chord, nose, twist, alpha, across=8, slopes=None):
    """(n,) places and cl of the strips of a half wing between stations.

    Parameters
    ----------
    y, chord, nose, twist : (n + 1,)    of the stations; twist [rad] about the quarter chord
    alpha : of the stream [rad]
    across : panels along the chord
    slopes : of the sections over 2 pi; their place takes that of the three-quarter point of a
        single panel (DeYoung and Harper, NACA TR 921, 1948)
    """
    share = (np.arange(across) + 0.25) / across  # of vortices; half a panel on: where it is tangent
    tangent = share + 0.5 / across * (1.0 if slopes is None else slopes)

    def place(part, at):
        x = np.interp(at, y, nose) + np.outer(part, np.interp(at, y, chord))
        return np.stack([x, np.broadcast_to(at, x.shape), 0.0 * x], axis=-1)

    middle = 0.5 * (y[1:] + y[:-1])
    corner, p = place(share, y), place(tangent, middle).reshape(-1, 3)
    a, b = corner[:, :-1].reshape(-1, 3), corner[:, 1:].reshape(-1, 3)
    mirror = np.array([1.0, -1.0, 1.0])
    speed = horseshoes(p, a, b) + horseshoes(p, b * mirror, a * mirror)
    t = np.tile(np.interp(middle, y, twist), across)
    normal = np.stack([np.sin(t), np.zeros_like(t), np.cos(t)], axis=1)
    stream = np.array([np.cos(alpha), 0.0, np.sin(alpha)])
    strength = np.linalg.solve((speed * normal[:, None]).sum(-1), -normal @ stream)
    return middle, 2 * strength.reshape(across, -1).sum(axis=0) / np.interp(middle, y, chord)


def tapered(span, taper, sweep, twist, alpha, parts=40, **more):
    """Places and cl of the strips of a half wing of root chord 1; angles in degrees."""
    y = span * np.sin(np.linspace(0.0, np.pi / 2, parts + 1))
    share = y / span
    return lift(y, 1 - (1 - taper) * share, y * np.tan(np.radians(sweep)),
                np.radians(twist) * share, np.radians(alpha), **more)  # fmt: skip
