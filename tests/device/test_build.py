"""Requirements on compiled kernels, and on their sources."""

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
from kinemesh.device.backend import kernels

pytestmark = pytest.mark.no_sanitizer

CSRC = Path(__file__).parents[2] / "csrc"
SETUP = CSRC.parent / "setup.py"
HEADERS = sorted((CSRC / "kernels").rglob("*.h"))
ALL = CSRC / "kernels" / "all.h"
KERNEL_H = '#include "core/kernel.h"\n'
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
DEFINITION = re.compile(r"^(?:KERNEL|LANES|REDUCE|TEAM|TOTAL)\(N\((\w+)\), ", re.MULTILINE)

compiles = pytest.mark.skipif(
    not (CSRC.is_dir() and shutil.which("gcc")), reason="needs gcc and the C sources"
)


@cache
def included(source):
    """Headers of ours that a source includes."""
    names = INCLUDE.findall(source.read_text())
    places = ((source.parent / name, CSRC / name) for name in names)
    return [next(p for p in some if p.is_file()) for some in places]


@cache
def definitions():
    """(kernel, fields, loop or operation, header, line) of every kernel in the sources.

    The preprocessor tells them, as a header may be included for several sizes, dimensions and
    variants; without gcc there are none.
    """
    makers = ("KERNEL", "LANES", "REDUCE", "TEAM", "TOTAL")
    told = "".join(f"#undef {m}\n#define {m}(k, fields, loop, ...) DEFINED k fields loop\n"
                   for m in makers)  # fmt: skip
    text = ALL.read_text().replace(KERNEL_H, KERNEL_H + told)
    command = ["gcc", "-std=c11", "-E", f"-I{CSRC}", f"-I{CSRC / 'kernels'}", "-"]
    if not shutil.which("gcc"):
        return []
    # gcc loses memory of its own, which a sanitizer loaded before it would take for ours
    alone = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=alone)
    found, header, line = [], None, 0
    for row in run.stdout.splitlines():
        if mark := re.match(r'# (\d+) "(.+)"', row):
            header, line = Path(mark[2]), int(mark[1]) - 1
        elif made := re.match(r"DEFINED (\w+) (\w+) (\w+)", row):
            found.append((*made.groups(), header, line))
        line += 1
    return found


def refusal(tmp_path, *flags):
    """Error on importing a module that needs AVX2, its check compiled with these flags."""
    source = tmp_path / "picky.c"
    source.write_text(
        '#include "core/processor.h"\n'
        'static int e(PyObject *m) { return processor_check(m, " avx2 "); }\n'
        "static PyModuleDef_Slot slots[] = {{Py_mod_exec, e}, {0, NULL}};\n"
        'static PyModuleDef def = {PyModuleDef_HEAD_INIT, "picky", "", 0, NULL, slots, 0, 0, 0};\n'
        "PyMODINIT_FUNC PyInit_picky(void) { return PyModuleDef_Init(&def); }\n"
    )
    command = ["gcc", "-shared", "-fPIC", f"-I{CSRC}", f"-I{sysconfig.get_path('include')}", *flags]
    command += ["-o", str(tmp_path / "picky.so"), str(source), str(CSRC / "core" / "processor.c")]
    subprocess.run(command, check=True)
    call = [sys.executable, "-c", "import picky"]
    return subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False).stderr


@compiles
@pytest.mark.skipif(platform.machine() != "x86_64", reason="asks processors of x86-64 alone")
def test_a_build_for_another_processor_is_refused_with_a_sentence(tmp_path):
    told = refusal(tmp_path, "-D__builtin_cpu_supports(name)=0")

    assert "ImportError: this build of kinemesh is for processors that have avx2" in told
    assert "the one here has no avx2; build it here from its source" in told


@compiles
@pytest.mark.skipif(platform.machine() != "x86_64", reason="asks processors of x86-64 alone")
def test_a_build_for_this_processor_is_taken(tmp_path):
    assert refusal(tmp_path, "-D__builtin_cpu_supports(name)=1") == ""


def architecture(parent, command, **variables):
    """-march of a build that a process of this command line starts."""
    start = "import subprocess, sys; subprocess.run([sys.executable, *sys.argv[2:]])"
    words = [sys.executable, "-c", start, parent, str(SETUP), command, "--help"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("KINEMESH_")}
    done = subprocess.run(words, cwd=SETUP.parent, env=clean | {"KINEMESH_CUDA": "0"} | variables,
                          capture_output=True, text=True, check=False)  # fmt: skip
    (found,) = re.findall(r"^kinemesh: gcc -march=(\S+):", done.stdout, re.MULTILINE)
    return found


@pytest.mark.long
@compiles
@pytest.mark.skipif(int(version("setuptools").split(".")[0]) < 77, reason="setuptools below 77")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="of x86-64 alone")
@pytest.mark.parametrize(
    ("parent", "command", "variables", "expected"),
    [
        ("install", "bdist_wheel", {}, "native"),  # pip install .
        ("install", "editable_wheel", {}, "native"),
        ("wheel", "bdist_wheel", {}, "x86-64-v3"),  # pip wheel .
        ("build", "bdist_wheel", {}, "x86-64-v3"),  # python -m build
        ("anything", "build_ext", {}, "native"),  # --inplace
        ("install", "bdist_wheel", {"KINEMESH_ARCH": "x86-64-v4"}, "x86-64-v4"),
    ],
)
def test_builds_are_for_this_processor_only_where_they_stay(parent, command, variables, expected):
    assert architecture(parent, command, **variables) == expected


def compile_host(source, *flags):
    """Messages of gcc for a source of the CPU module, with the flags of the build."""
    command = ["gcc", "-std=c11", "-O3", "-march=native", "-fopenmp", "-fno-math-errno"]
    command += ["-fno-trapping-math", f"-I{CSRC}", f"-I{CSRC / 'kernels'}", *flags, str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["dimension.h", "meshes.h", "incompressible.h"])
def test_kernels_of_each_dimension_are_listed_where_their_headers_are_named(name):
    """A new one touches its header and one file beside it."""
    file = CSRC / "kernels" / name
    texts = [header.read_text() for header in included(file) if header.is_relative_to(ALL.parent)]
    defined = {name for text in texts for name in DEFINITION.findall(text)}

    listed = re.findall(r"\bK\((\w+)##D, \w+\)", file.read_text())
    assert len(listed) == len(set(listed))
    assert defined
    assert defined <= set(listed)


@compiles
def test_the_module_has_every_kernel_of_the_sources():
    defined = [name for name, *_ in definitions()]

    assert sorted(defined) == sorted(kernels())


@pytest.fixture(scope="module")
def vectorised(tmp_path_factory):
    """(header, line) of every loop that gcc vectorised.

    Loops over items of other kernels are left empty: theirs is most of the time that gcc takes.
    """
    folder = tmp_path_factory.mktemp("build")
    empty = [f"#undef LOOP_{k}\n#define LOOP_{k} for (; 0;)\n" for k in ("indirect", "heavy")]
    text = ALL.read_text()
    assert text.count(KERNEL_H) == 1
    source = folder / "direct.c"
    source.write_text(text.replace(KERNEL_H, KERNEL_H + "".join(empty)))
    options = ("-w", "-fopt-info-vec-optimized", "-c", "-o", str(folder / "direct.o"))
    run = compile_host(source, *options)
    assert run.returncode == 0, run.stderr
    found = re.findall(r"^(\S+\.h):(\d+):\d+: optimized: loop vectorized", run.stderr, re.MULTILINE)
    return {(Path(header).resolve(), int(line)) for header, line in found}


@pytest.mark.long
@compiles
@pytest.mark.parametrize("kernel", [name for name, _, loop, *_ in definitions()
                                    if loop == "direct"])  # fmt: skip
def test_direct_kernels_are_vectorised(vectorised, kernel):
    fields, header, line = next(d[1:2] + d[3:] for d in definitions() if d[0] == kernel)
    lines = header.read_text().splitlines()

    # gcc names a line of the field list, of the KERNEL macro or of the body
    first = next(i for i, text in enumerate(lines, 1) if text.startswith(f"#define {fields}("))
    fields_end = next(i for i, text in enumerate(lines, 1) if i >= first and text[-1:] != "\\")
    last = next(i for i, text in enumerate(lines, 1) if i > line and text == "}")
    mine = {*range(first, fields_end + 1), *range(line, last + 1)}
    assert any((header.resolve(), i) in vectorised for i in mine)


@compiles
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_sources_compile_without_a_warning(precision):
    flags = ["-Wall", "-Wextra", "-Wdouble-promotion", "-Wfloat-conversion", "-Werror"]

    run = compile_host(CSRC / "kernels" / f"host_{precision}.c", *flags, "-fsyntax-only")

    # -Wdouble-promotion: a bare 0.5 in an expression of float32 would make it one of float64
    assert run.returncode == 0, run.stderr


@compiles
def test_a_bare_literal_would_be_found(tmp_path):
    kernel = tmp_path / "bare.c"
    kernel.write_text("float half(float x);\nfloat half(float x) { return 0.5 * x; }\n")
    command = ["gcc", "-fsyntax-only", "-Wdouble-promotion", "-Werror", str(kernel)]

    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


@compiles
@pytest.mark.parametrize(("matrix", "compiled"), [("", False), ("-DMATRIX=", True)])
def test_a_flux_that_names_no_matrix_does_not_compile(tmp_path, matrix, compiled):
    source = tmp_path / "flux.c"
    source.write_text("#define LISTED(kernel, over)\n#define VARIANT _new\n"
                      '#include "mesh/face.h"\n')  # fmt: skip

    run = compile_host(source, "-fsyntax-only", *([matrix] if matrix else []))

    assert (run.returncode == 0) == compiled
    assert ("a flux names the matrix that it is marched with" in run.stderr) != compiled


def code_of(path):
    """The source without comments and strings."""
    text = re.sub(
        r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), path.read_text(), flags=re.S
    )
    return re.sub(r'"[^"\n]*"', '""', text)


@pytest.mark.parametrize("name", ["gas", "limiter", "riemann"])
def test_literals_of_real_physics_are_wrapped(name):
    lines = code_of(CSRC / "physics" / f"{name}.h").splitlines()
    bare = re.compile(r"(?<![\w.(])(?<!R\()(\d+\.\d*|\d+e-?\d+)")

    assert not [f"{name}.h:{i}: {t}" for i, t in enumerate(lines, 1)
                if bare.search(re.sub(r"R\([-\d.e]+\)", "", t))]  # fmt: skip


@pytest.mark.parametrize("header", HEADERS + sorted((CSRC / "physics").glob("*.h")),
                         ids=lambda p: p.name)  # fmt: skip
def test_functions_follow_the_precision(header):
    """sqrtf, fabsf, ... fix the precision; tgmath.h and C++ choose it."""
    names = "sqrt|fabs|fmin|fmax|pow|exp|log|sin|cos|tan|atan2?|hypot|cbrt"

    assert not re.findall(rf"\b(?:{names})[fl]\b", code_of(header))


@pytest.mark.parametrize("header", HEADERS, ids=lambda p: p.name)
def test_direct_kernels_report_no_faults(header):
    """A compare-and-swap in the body stops vectorisation: faults belong to indirect kernels."""
    for part in re.split(r"^(?=KERNEL\(|REDUCE\(|TOTAL\()", code_of(header), flags=re.M):
        if re.match(r"KERNEL\([^{]*\bdirect\)", part):
            assert "fault(" not in part[: part.index("\n}")]


def counted_back(text):
    """Variables whose place is counted back from NV: with one more, that is another variable."""
    return re.findall(r"\bNV\s*-\s*\d+|\bNV\s*\*\s*\([^()]*\+\s*1\)\s*-\s*\d+", text)


@pytest.mark.parametrize(
    ("text", "found"),
    [("q[NV - 1]", 1), ("q[NV * i + NV-2]", 1), ("u[NV * (i + 1) - 1]", 1), ("q[PRESSURE]", 0),
     ("for (i32 k = ENERGY + 1; k < NV; k++) u0[k] = u[NV * (i + 1) + k];", 0)],
)  # fmt: skip
def test_a_place_that_is_counted_back_is_found(text, found):
    assert len(counted_back(text)) == found


def test_variables_have_names_not_places_before_the_last():
    """ENERGY and PRESSURE follow from the dimension (numbers.h)."""
    assert not [p for p in SOURCES if counted_back(code_of(p))]


# Folder of csrc -> folders whose headers it may include.
KNOWS = {"core": {"core"}, "sparse": {"core", "sparse"}, "physics": set(),
         "kernels": {"core", "physics", "kernels"}}  # fmt: skip
SOURCES = sorted(path for end in ("h", "c", "cu") for path in CSRC.rglob(f"*.{end}"))


def floor(source):
    return source.relative_to(CSRC).parts[0]


def test_sources_know_what_lies_below_them_alone():
    assert {floor(p) for p in SOURCES} == set(KNOWS)
    assert not [p for p in SOURCES if not set(map(floor, included(p))) <= KNOWS[floor(p)]]


def test_sources_have_at_most_400_lines():
    assert not [p for p in SOURCES if len(p.read_text().splitlines()) > 400]


def test_physics_has_no_fields_no_tables_and_no_memory():
    """Values in, values out: what gathers and stores is a kernel."""
    foreign = re.compile(
        r"\b(?:F|KERNEL|LANES|TEAM|REDUCE|TOTAL)\(|\b(?:offsets|neighbour|member|active)\b"
        r"|\bload|\bput|double2|float4"
    )

    assert not [p for p in SOURCES if floor(p) == "physics" and foreign.search(code_of(p))]
