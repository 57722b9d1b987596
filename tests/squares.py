"""Meshes of a square, of triangles, of quads or of both, its nodes moved at random."""

import kinemesh as km
import numpy as np

KINDS = ("triangles", "quads", "mixed")


def square(across, kind="mixed", size=1.0, jitter=0.0, seed=1):
    """A mesh of a square with `across` edges on each side, its boundary one marker `rim`.

    Inner nodes move by up to `jitter` times an edge along both axes.
    """
    steps = across + 1
    i, j = np.meshgrid(np.arange(steps), np.arange(steps))
    points = np.stack([i.ravel(), j.ravel()], axis=1).astype(float)
    inside = ((points > 0) & (points < across)).all(axis=1)
    points += inside[:, None] * np.random.default_rng(seed).uniform(-jitter, jitter, points.shape)
    cells = []
    for b in range(across):
        for a in range(across):
            p = b * steps + a
            q, r, s = p + 1, p + steps + 1, p + steps
            if kind == "quads" or (kind == "mixed" and (a + b) % 3 == 0):
                cells.append((p, q, r, s))
            elif (a + b) % 2:
                cells += [(p, q, r, -1), (p, r, s, -1)]
            else:
                cells += [(p, q, s, -1), (q, r, s, -1)]
    at = np.arange(steps**2).reshape(steps, steps)
    loop = np.concatenate([at[0, :-1], at[:-1, -1], at[-1, :0:-1], at[:0:-1, 0]])
    rim = np.stack([loop, np.roll(loop, -1)], axis=1)
    return km.Mesh.from_arrays(points * (size / across), np.array(cells), {"rim": rim})
