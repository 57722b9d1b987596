"""Bytes of small mesh files: Gmsh of both versions, SU2."""

import struct

# two unit squares, the left one a quad, the right one two triangles (one of them clockwise);
# node 7 (tag 70) built the geometry and belongs to no element
POINTS = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [5, 5, 0]]
TAGS = [1, 2, 3, 4, 5, 6, 70]
LINES = {1: [[1, 2], [3, 2]], 2: [[3, 6], [6, 5], [5, 4], [4, 1]]}
TRIANGLES, QUADS = [[2, 3, 6], [2, 5, 6]], [[1, 2, 5, 4]]
NAMES = {(1, 1): "floor", (1, 2): "rest", (2, 3): "fluid"}


def names_text():
    rows = [f'{dim} {tag} "{name}"' for (dim, tag), name in NAMES.items()]
    return "\n".join(["$PhysicalNames", str(len(rows)), *rows, "$EndPhysicalNames", ""])


def elements():
    """(type, entity dimension, physical tag, nodes) of each."""
    lines = [(1, 1, tag, nodes) for tag, rows in LINES.items() for nodes in rows]
    return lines + [(2, 2, 3, n) for n in TRIANGLES] + [(3, 2, 3, n) for n in QUADS]


def msh22(binary, points=POINTS, items=None, names=True, tags=None):
    items = elements() if items is None else items
    out = f"$MeshFormat\n2.2 {int(binary)} 8\n".encode()
    if binary:
        out += struct.pack("<i", 1) + b"\n"
    out += b"$EndMeshFormat\n" + (names_text().encode() if names else b"")
    out += f"$Nodes\n{len(points)}\n".encode()
    tags = tags or (range(1, 8) if binary else TAGS)  # as gmsh does
    for tag, x in zip(tags, points, strict=False):
        if binary:
            out += struct.pack("<i3d", tag, *x)
        else:
            out += f"{tag} {x[0]!r} {x[1]!r} {x[2]!r}\n".encode()
    out += b"\n" * binary + f"$EndNodes\n$Elements\n{len(items)}\n".encode()
    for k, (kind, _, tag, nodes) in enumerate(items, 1):
        if binary:
            out += struct.pack("<3i", kind, 1, 2) + struct.pack(
                f"<{3 + len(nodes)}i", k, tag, tag, *nodes
            )
        else:
            out += f"{k} {kind} 2 {tag} {tag} {' '.join(map(str, nodes))}\n".encode()
    return out + b"\n" * binary + b"$EndElements\n"


def msh41(
    binary, points=POINTS, items=None, names=True, groups=None, parts=None, partitions=2, tags=TAGS
):
    """A file whose entities have the group of their number, or those of `groups`.

    parts : {tag: (dimension and tag of the parent, groups, partitions)} of partitioned entities,
        in which the elements are
    """
    items = elements() if items is None else items
    dims = {(dim, tag) for _, dim, tag, _ in items}
    if parts:
        dims = {parent for parent, _, _ in parts.values()} - {(2, 0)}
    of = groups or {}

    def pack(layout, *values):
        if binary:
            return struct.pack("<" + layout, *values)
        return (" ".join(f"{v!r}" for v in values) + "\n").encode()

    def listed(own, layout="i"):
        return pack(f"Q{len(own)}{layout}", len(own), *own)

    def counted(tags):
        return pack("4Q", 0, *(sum(d == dim for d, _ in tags) for dim in (1, 2, 3)))

    box = (0.0, 0.0, 0.0, 2.0, 1.0, 0.0)
    out = f"$MeshFormat\n4.1 {int(binary)} 8\n".encode()
    if binary:
        out += struct.pack("<i", 1) + b"\n"
    out += b"$EndMeshFormat\n" + (names_text().encode() if names else b"") + b"$Entities\n"
    out += counted(dims)
    for _, tag in sorted(dims):
        out += pack("i6d", tag, *box) + listed(of.get(tag, [tag]) if names else []) + pack("Q", 0)
    out += b"\n" * binary + b"$EndEntities\n"
    if parts:
        mine = sorted((dim, tag) for dim, tag in {(d, t) for _, d, t, _ in items})
        out += b"$PartitionedEntities\n" + pack("2Q", partitions, 0) + counted(mine)
        for _, tag in mine:
            parent, own, where = parts[tag]
            out += pack("3i", tag, *parent) + listed(where) + pack("6d", *box)
            out += listed(own) + pack("Q", 0)
        out += b"\n" * binary + b"$EndPartitionedEntities\n"
    out += b"$Nodes\n" + pack("4Q", 1, len(points), 1, 70) + pack("3iQ", 2, 3, 0, len(points))
    for tag in tags[: len(points)]:
        out += pack("Q", tag)
    for x in points:
        out += pack("3d", *map(float, x))
    out += b"\n" * binary + b"$EndNodes\n$Elements\n"
    blocks = {}
    for kind, dim, tag, nodes in items:
        blocks.setdefault((dim, tag, kind), []).append(nodes)
    out += pack("4Q", len(blocks), len(items), 1, len(items))
    number = 0
    for (dim, tag, kind), rows in blocks.items():
        out += pack("3iQ", dim, tag, kind, len(rows))
        for nodes in rows:
            number += 1
            out += pack(f"{1 + len(nodes)}Q", number, *nodes)
    return out + b"\n" * binary + b"$EndElements\n"


def solid(mesh, surfaces, volume=4):
    """Points, tags and items of a mesh in space, its markers in surfaces of these numbers."""
    tags = list(range(1, mesh.nodes + 1))
    kinds = {"tetrahedra": 4, "hexahedra": 5, "prisms": 6, "pyramids": 7}
    items = []
    for name, number in surfaces.items():
        for face in mesh.boundaries[name].tolist():
            nodes = [node + 1 for node in face if node >= 0]
            items.append((2 if len(nodes) == 3 else 3, 2, number, nodes))
    for name, cells in mesh.blocks.items():
        items += [(kinds[name], 3, volume, [n + 1 for n in cell]) for cell in cells.tolist()]
    return {"points": mesh.points.tolist(), "tags": tags, "items": items}


GOOD = """\
% a square of one quad and two triangles
NDIME= 2
NELEM= 3
9 0 1 4 3 0   % a quad
5 1 2 5 1
5 1 5 4
NPOIN= 6 6
0.0 0.0 0
1.0 0.0 1
2.0 0.0 7
0.0 1.0 3
1.0 1.0 4
2.0 1e0 5
NMARK= 2
MARKER_TAG= floor
MARKER_ELEMS= 2
3 1 0
3 1 2
MARKER_TAG= rest
MARKER_ELEMS= 4
3 2 5
3 5 4
3 4 3
3 3 0
"""


def store(folder, text, name="m.su2"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
