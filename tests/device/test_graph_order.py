"""Order of a graph's kernels (csrc/core/order.h), against the definition."""

import ctypes
import itertools
import shutil
import subprocess

import numpy as np
import pytest
from test_build import CSRC

pytestmark = pytest.mark.skipif(
    not (CSRC.is_dir() and shutil.which("gcc")), reason="needs gcc and the C sources"
)

SOURCE = """
#include "core/order.h"
static struct order o;
int most_nodes = MOST_NODES, most_spans = MOST_SPANS;
void clear(void) { order_clear(&o); }
int full(int spans) { return order_full(&o, spans); }
int add(const struct span *s, int spans, int *waits) { return order_add(&o, s, spans, waits); }
int is_last(int node) { return set_has(&o.last, node); }
"""


class Span(ctypes.Structure):
    _fields_ = (("first", ctypes.c_size_t), ("behind", ctypes.c_size_t), ("written", ctypes.c_int))


@pytest.fixture(scope="module")
def order(tmp_path_factory):
    folder = tmp_path_factory.mktemp("order")
    (folder / "order.c").write_text(SOURCE)
    made = folder / "order.so"
    warnings = ["-Wall", "-Wextra", "-Werror"]
    command = ["gcc", "-std=c11", *warnings, "-shared", "-fPIC", f"-I{CSRC}", "-o", made]
    subprocess.run([*command, folder / "order.c"], check=True)
    return ctypes.CDLL(str(made))


def added(order, spans):
    """Numbers of the nodes that a new node of these spans (from, to, written) waits for."""
    waits = (ctypes.c_int * ctypes.c_int.in_dll(order, "most_nodes").value)()
    count = order.add((Span * len(spans))(*spans), len(spans), waits)
    return list(waits[:count])


def clash(one, other):
    return any(
        (a[2] or b[2]) and a[0] < b[1] and b[0] < a[1] for a, b in itertools.product(one, other)
    )


def program(rng, nodes, arrays):
    """Spans of each node: whole arrays, or parts that overlap others."""
    made = []
    for _ in range(nodes):
        spans = []
        for array in rng.choice(arrays, rng.integers(1, 5), replace=False):
            first = 100 * int(array) + int(rng.choice([0, 0, 0, 30]))
            spans.append((first, first + int(rng.choice([100, 100, 40])), int(rng.random() < 0.3)))
        made.append(spans)
    return made


@pytest.mark.parametrize(("nodes", "arrays"), [(40, 3), (200, 40), (64, 8), (65, 8), (1024, 100)])
def test_nodes_wait_for_those_whose_memory_they_share_and_for_no_others(order, nodes, arrays):
    rng = np.random.default_rng(nodes)
    made = program(rng, nodes, max(arrays, 5))
    order.clear()
    waits = [added(order, spans) for spans in made]

    before = np.zeros((nodes, nodes), bool)  # directly or not, as the graph has it
    wanted = np.zeros((nodes, nodes), bool)  # and as the memory asks for it
    for node in range(nodes):
        for other in waits[node]:
            before[node] |= before[other]
            before[node, other] = True
        for other in range(node):
            if clash(made[node], made[other]):
                wanted[node] |= wanted[other]
                wanted[node, other] = True
    assert (before == wanted).all()
    assert not before.all()
    for node in range(nodes):  # and no wait is one too many
        assert not any(before[a, b] for a, b in itertools.permutations(waits[node], 2))
    last = [node for node in range(nodes) if not before[:, node].any()]
    assert [node for node in range(nodes) if order.is_last(node)] == last


def test_readers_of_one_array_run_side_by_side_and_its_next_writer_waits_for_all(order):
    order.clear()
    assert added(order, [(0, 8, 1)]) == []
    assert [added(order, [(0, 8, 0), (100 * k, 100 * k + 8, 1)]) for k in (1, 2, 3)] == [[0]] * 3
    assert sorted(added(order, [(0, 8, 1)])) == [1, 2, 3]
    assert added(order, [(8, 16, 1)]) == []  # beside the array


def test_a_stretch_that_is_full_says_so(order):
    nodes, spans = (ctypes.c_int.in_dll(order, f"most_{name}").value for name in ("nodes", "spans"))
    order.clear()
    for _ in range(nodes):
        assert not order.full(1)
        added(order, [(0, 8, 0)])
    assert order.full(1)
    order.clear()
    for node in range(spans // 8):
        assert not order.full(8)
        added(order, [(8 * k, 8 * k + 8, 0) for k in range(8 * node, 8 * node + 8)])
    assert order.full(1)
