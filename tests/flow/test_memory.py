"""How much memory a case takes is known before it is taken, and what does not fit is refused."""

import gc
import subprocess
import sys
import weakref
from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.backend import Backend
from kinemesh.flow import memory
from kinemesh.motion import Pose
from solver_cases import DATA, oneram6, square, three_element

GIB = 2**30


def all_quads(cells):
    """A square of `cells` by `cells` quads."""
    mesh = square(cells, jitter=0.1)
    x, y = np.meshgrid(np.arange(cells), np.arange(cells))
    p = (y * (cells + 1) + x).ravel()
    table = np.stack([p, p + 1, p + cells + 2, p + cells + 1], axis=1)
    return km.mesh.Mesh.from_arrays(mesh.points, table, dict(mesh.boundaries))


MESHES = {
    "small": cache(lambda: km.mesh.airfoil("naca0012", nodes=600)),
    "large": cache(lambda: km.mesh.airfoil("naca0012", nodes=12_000)),
    "SU2": cache(lambda: km.mesh.read(DATA / "mesh_NACA64A010_inv.su2.xz")),
    "mixed": cache(lambda: square(40, quads=True)),
    "quads": cache(lambda: all_quads(60)),
}
BODILESS = ("mixed", "quads")  # rigid motion needs a body
DEFORMS = {name: made() for name, made in km.deform.METHODS.items()}
DEFORMS["retriangulated"] = km.deform.Delaunay(retriangulate=True)


@pytest.fixture(scope="module", autouse=True)
def _what_other_tests_left():
    """Is looked at once, not whenever a test here looks for garbage of its own."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def allocated(monkeypatch):
    """Callable: bytes of the arrays that backends have made and that are alive."""
    made = []

    def watched(method):
        def make(self, *args, **options):
            array = method(self, *args, **options)
            made.append(weakref.ref(array))
            return array

        return make

    for name in ("array", "table", "zeros"):
        monkeypatch.setattr(Backend, name, watched(getattr(Backend, name)))
    return lambda: sum(r().nbytes for r in made if r() is not None)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("name", "deform"),
    [
        (name, deform)
        for name in MESHES
        for deform in (*DEFORMS, None)
        if deform != "rigid" or name not in BODILESS
    ],
)
def test_the_estimate_is_what_is_allocated(allocated, name, deform, dtype):
    """The fits are within 5 %; an array more or less per node is about 1 %."""
    mesh = MESHES[name]()
    gc.collect()

    ale = km.Ale(mesh, mach=0.3, device="cpu", dtype=dtype)
    recording = ale.iteration(1e-4, 10, (10.0, 100.0, 1.5), 4)
    mover = None if deform is None else DEFORMS[deform].attach(ale.grid.vertices)
    if deform == "springs":  # makes their hierarchy
        mover.step(lambda share: [Pose(0.001 * share, (0.25, 0.0))] * len(ale.grid.bodies))

    want = memory.estimate(mesh.nodes, len(mesh.cells), dtype, deform)
    assert allocated() == pytest.approx(want, rel=0.15)
    assert recording is not None
    assert (mover is None) == (deform is None)


RESIDENT = """
import re, warnings
import kinemesh as km
warnings.simplefilter("ignore")
pitch = km.motion.pitch(2.51, 0.0814)
settings = km.AleSettings(steady_iterations=1, unsteady_iterations=1)
mesh = km.mesh.airfoil("naca0012", nodes={nodes})
ale = km.Ale(mesh, mach=0.7, motion=pitch, device="cpu", settings=settings)
ale.run(cycles=1 / 64, steps_per_cycle=64, preflight=False)
most = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]
print(mesh.nodes, len(mesh.cells), 1024 * int(most))
"""  # ru_maxrss would start from what the parent has


@pytest.mark.no_sanitizer
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_process_grows_by_arrays_and_little_else():
    """The most that is resident, between two sizes; within the 15 % of the arrays' estimate."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", RESIDENT.format(nodes=n)], stdout=subprocess.PIPE, text=True
        )
        for n in (12_000, 48_000)
    ]

    small, large = (np.array(run.communicate()[0].split(), int) for run in runs)

    nodes, cells, most = large - small
    want = memory.estimate(nodes, cells, "float64", "springs") + memory.HOST * nodes
    assert most == pytest.approx(want, rel=0.15)


LOADED = """
import sys, warnings
import kinemesh as km
warnings.simplefilter("ignore")
pitch = km.motion.pitch(2.51, 0.0814)
settings = km.AleSettings(steady_iterations=1, unsteady_iterations=1)
ale = km.Ale(km.mesh.read(sys.argv[1]), mach=0.7, motion=pitch, device="cpu", settings=settings)
ale.run(cycles=1 / 64, steps_per_cycle=64, preflight=False)
print(*{".".join(name.split(".")[:2]) for name in sys.modules})
"""


def test_a_run_loads_no_packages_that_it_does_not_need():
    """A mesh from a file, springs, no files: HDF5 would take 12 MB, the parts of SciPy 20."""
    mesh = str(DATA / "mesh_NACA64A010_inv.su2.xz")
    run = [sys.executable, "-c", LOADED, mesh]

    loaded = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()

    assert {"kinemesh.flow", "scipy.sparse", "pyamg.aggregation"} <= set(loaded)
    assert not {"h5py", "matplotlib", "meshio"} & set(loaded)
    assert not {"scipy.interpolate", "scipy.optimize", "scipy.spatial"} & set(loaded)


def test_a_table_is_shared_on_a_cpu():
    """Of another type, or with gaps, it is copied: kernels want neither."""
    backend, there = Backend("cpu"), np.arange(6, dtype=np.int32)

    assert backend.table(there) is there
    assert backend.table(there[::2]).tolist() == [0, 2, 4]
    assert backend.table(there[::2]).flags.c_contiguous
    assert backend.table(there.astype(np.int64)).dtype == np.int32


def test_an_ensemble_takes_the_sum_of_its_members(allocated):
    mesh = MESHES["small"]()

    ale = km.Ale([mesh] * 3, mach=0.3, device="cpu")
    ale.recording = ale.iteration(1e-4, 10, (10.0, 100.0, 1.5), 4)

    want = memory.estimate(3 * mesh.nodes, 3 * len(mesh.cells), "float64")
    assert allocated() == pytest.approx(want, rel=0.15)


def test_what_does_not_fit_is_refused_before_anything_is_allocated(allocated, monkeypatch):
    mesh = MESHES["small"]()
    taken, asked = allocated(), []

    def room(backend):
        asked.append(backend.device)
        return 3 * 2**19

    monkeypatch.setattr(memory, "available", room)
    message = (
        rf"cpu: {mesh.nodes} nodes in float64 need about 0\.00\d+ GiB, 0\.00146 GiB are free; use "
        r"dtype='float32' \(about 0\.00\d+ GiB\) or fewer nodes$"
    )
    with pytest.raises(km.DeviceError, match=message):
        km.Ale(mesh, mach=0.3, motion=km.motion.pitch(1.0, 0.1), device="cpu")

    assert allocated() == taken
    assert asked == ["cpu"]


def test_float32_and_rest_fit_where_float64_and_springs_do_not(monkeypatch):
    mesh, law = MESHES["small"](), km.motion.pitch(1.0, 0.1)
    cells, host = len(mesh.cells), memory.HOST * mesh.nodes
    single = memory.estimate(mesh.nodes, cells, "float32", "springs") + host
    double = memory.estimate(mesh.nodes, cells, "float64", "springs") + host
    rest = memory.estimate(mesh.nodes, cells, "float64") + host
    assert max(single, rest) < double

    monkeypatch.setattr(memory, "available", lambda backend: max(single, rest))

    km.Ale(mesh, mach=0.3, motion=law, device="cpu", dtype="float32")
    km.Ale(mesh, mach=0.3, device="cpu")
    with pytest.raises(km.DeviceError, match="need about"):
        km.Ale(mesh, mach=0.3, motion=law, device="cpu")
    monkeypatch.setattr(memory, "available", lambda backend: 1)
    with pytest.raises(km.DeviceError, match=r"are free; use fewer nodes$"):
        km.Ale(mesh, mach=0.3, device="cpu", dtype="float32")


CLOUDS = {
    "regular": cache(lambda: km.cloud.airfoil("naca0012", points=600)),
    "large": cache(lambda: km.cloud.airfoil("naca0012", points=12_000)),
    "elements": lambda: three_element(points=5000),
    "mixed": cache(lambda: km.Cloud.from_mesh(MESHES["mixed"]())),
}


WAYS = {  # dtype, matrix, settings
    "float64": ("float64", "float32", {}),
    "float32": ("float32", "float32", {}),
    "no matrix": ("float64", None, {"time": "lusgs"}),
    "no matrix, float32": ("float32", None, {"time": "lusgs"}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "deform"),
    [
        (name, deform)
        for name in CLOUDS
        for deform in ("delaunay", "retriangulated", "rigid", None)
        if deform != "rigid" or name in ("regular", "large")  # one body
    ],
)
def test_the_estimate_of_a_cloud_is_what_is_allocated(allocated, name, deform, way):
    """The fits are within 1.2 % for the flow; an array of one number per point is 2 to 3 %."""
    cloud, (dtype, matrix, chosen) = CLOUDS[name](), WAYS[way]
    gc.collect()
    before = allocated()

    settings = km.MeshlessSettings(**chosen)
    model = km.Meshless(cloud, mach=0.3, device="cpu", dtype=dtype, settings=settings)
    recording = model.iteration(1e-4, 10, (10.0, 100.0, 1.5), 4)
    mover = None if deform is None else DEFORMS[deform].attach(model.grid.vertices)

    counts = len(cloud.points), len(cloud.satellites)
    want = memory.estimate_cloud(*counts, dtype, deform, matrix=matrix)
    assert allocated() - before == pytest.approx(want, rel=0.02)
    assert recording is not None
    assert (mover is None) == (deform is None)


WINGS = {
    "regular": lambda: oneram6(points=20_000),
    "large": cache(lambda: km.cloud.wing(points=60_000)),
    "irregular": lambda: oneram6(points=20_000, irregular=True),
}


WAYS_IN_SPACE = WAYS | {
    "double": ("float64", "float64", {"matrix_dtype": "float64"}),
    "smooth": ("float64", None, {"time": "lusgs", "smooth_gradients": True}),
}


@pytest.mark.parametrize("way", WAYS_IN_SPACE)
@pytest.mark.parametrize("name", WINGS)
def test_the_estimate_of_a_cloud_in_space_is_what_is_allocated(allocated, name, way):
    """The fits are within 1 %; an array of one number per point is 1 to 2 %."""
    cloud, (dtype, matrix, chosen) = WINGS[name](), WAYS_IN_SPACE[way]
    gc.collect()
    before = allocated()

    settings = km.MeshlessSettings(**chosen)
    model = km.Meshless(cloud, mach=0.3, device="cpu", dtype=dtype, settings=settings)
    recording = model.iteration(1e-4, 10, (10.0, 100.0, 1.5), 4)
    mover = km.deform.Rigid().attach(model.grid.vertices) if way == "float64" else None

    deform, smooth = mover and "rigid", model.settings.smooth_gradients
    counts = len(cloud.points), len(cloud.satellites)
    want = memory.estimate_cloud(*counts, dtype, deform, 3, matrix, smooth)
    assert allocated() - before == pytest.approx(want, rel=0.01)
    assert recording is not None


def test_a_wing_that_does_not_fit_is_refused_with_what_its_host_needs(monkeypatch):
    cloud = WINGS["regular"]()
    counts = len(cloud.points), len(cloud.satellites)
    need = (
        memory.estimate_cloud(*counts, "float64", "rigid", 3, "float32")
        + memory.HOST_SPACE * counts[1]
    )

    monkeypatch.setattr(memory, "available", lambda _: need - 1)
    with pytest.raises(km.DeviceError, match=rf"{counts[0]} points in float64"):
        km.Meshless(cloud, mach=0.3, device="cpu")
    monkeypatch.setattr(memory, "available", lambda _: need)

    assert km.Meshless(cloud, mach=0.3, device="cpu").grid.members == 1


def test_a_cloud_that_does_not_fit_is_refused_before_anything_is_allocated(allocated, monkeypatch):
    cloud = CLOUDS["regular"]()
    taken = allocated()
    counts = len(cloud.points), len(cloud.satellites)
    need = memory.estimate_cloud(*counts, "float64", "retriangulated", matrix="float32")
    need += memory.HOST_CLOUD * counts[0]

    monkeypatch.setattr(memory, "available", lambda _: need - 1)
    with pytest.raises(km.DeviceError, match=rf"{counts[0]} points in float64 .* or fewer points"):
        km.Meshless(cloud, mach=0.3, device="cpu")
    assert allocated() == taken
    monkeypatch.setattr(memory, "available", lambda _: need)

    assert km.Meshless([cloud], mach=0.3, device="cpu").grid.members == 1
    with pytest.raises(km.DeviceError, match=rf"{2 * counts[0]} points"):
        km.Meshless([cloud] * 2, mach=0.3, device="cpu")


class Gpu:
    """What the check asks of a backend on a GPU with a given free memory."""

    on_gpu, device, ordinal = True, "cuda:0", 0

    def __init__(self, free, dtype="float64"):
        self.free, self.dtype, self._module = free, dtype, self

    def device_properties(self, ordinal):
        assert ordinal == 0
        return {"bytes": 2**40, "free_bytes": self.free}


def test_a_gpu_is_asked_for_its_own_memory():
    """Tables of the host are no part of it; the CPU is a way out."""
    mesh = MESHES["small"]()
    want = memory.estimate(mesh.nodes, len(mesh.cells), "float64", "springs")

    memory.check(Gpu(want), [mesh], "springs")

    with pytest.raises(km.DeviceError, match=r"^cuda:0: .*fewer nodes or device='cpu'$"):
        memory.check(Gpu(want - 1), [mesh], "springs")


def test_free_memory_is_known_and_plausible():
    free = memory.available(Backend("cpu"))

    assert free is not None
    assert 2**26 < free < 2**50


def test_a_machine_that_does_not_say_is_not_refused(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda backend: None)

    assert km.Ale(MESHES["small"](), mach=0.3, device="cpu").grid.members == 1
