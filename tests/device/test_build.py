"""What the compiler must make of the kernels, and what their sources must not hold."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kinemesh.device.backend import kernels

pytestmark = pytest.mark.no_sanitizer

CSRC = Path(__file__).parents[2] / "csrc"
SETUP = CSRC.parent / "setup.py"
HEADERS = sorted((CSRC / "kernels").rglob("*.h"))
DEFINITION = re.compile(
    r"^(KERNEL|LANES|REDUCE|TEAM|TOTAL)\((?:([KN])\((\w+)\)|(\w+)), (\w+), (\w+)(?:, (\w+))?",
    re.MULTILINE,
)
# Of what is included several times: ends of the names, and lanes of a width of the same number.
TIMES = {"K": {"2": 2, "4": 4, "5": 5}, "N": {"": 4, "_3d": 5}, "": {"": 0}}

compiles = pytest.mark.skipif(
    not (CSRC.is_dir() and shutil.which("gcc")), reason="needs gcc and the C sources"
)


def times(maker, stem):
    """Ends of a kernel's names; multigrid has no blocks of five."""
    ends = TIMES[maker or ""]
    return {k: v for k, v in ends.items() if not (k == "5" and stem.startswith("multigrid"))}


def definitions():
    """(kind, kernel, fields, loop or operation, header, line) of every kernel in the sources.

    The kind is K (one thread an item), S (one thread block an item), T (a team of threads),
    L2 to L5 (lanes).
    """
    found = []
    for header in HEADERS:
        text = header.read_text()
        for macro, maker, stem, name, fields, loop, width in (
            m.groups() for m in DEFINITION.finditer(text)
        ):
            start = f"{macro}({f'{maker}({stem})' if stem else name},"
            line = text[: text.index(start)].count("\n") + 1
            for end, many in times(maker, stem or name).items():
                lanes = f"L{many if width in ('B', 'NV') else width}"
                kind = {"KERNEL": "K", "REDUCE": "S", "TOTAL": "S", "TEAM": "T", "LANES": lanes}[
                    macro
                ]
                found.append((kind, f"{stem or name}{end}", fields, loop, header, line))
    return found


def listed():
    """Kernel -> its kind, as in KERNEL_LIST."""
    text = (CSRC / "kernels" / "all.h").read_text()
    text = text[text.index("#define KERNEL_LIST") : text.index("#ifdef __CUDACC__")]
    rows = re.findall(r"\b(K|S|T|L|L[2-5])\((\w+)(?:##([BD]))?, \w+\)", text)
    return {
        f"{stem}{end}": f"L{many}" if kind == "L" else kind
        for kind, stem, maker in rows
        for end, many in times({"B": "K", "D": "N"}.get(maker, ""), stem).items()
    }


def compile_host(precision, *flags):
    """Messages of gcc for host_f64.c or host_f32.c, with the flags of the build."""
    command = ["gcc", "-std=c11", "-O3", "-march=native", "-fopenmp", "-fno-math-errno"]
    command += ["-fno-trapping-math", f"-I{CSRC}", *flags]
    command += [str(CSRC / "kernels" / f"host_{precision}.c")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_kernel_in_the_sources_is_listed():
    defined = [name for _, name, *_ in definitions()]

    assert sorted(defined) == sorted(listed())
    assert len(set(defined)) == len(defined)


def test_the_list_says_how_a_kernel_meets_its_threads():
    kinds = {name: kind for kind, name, *_ in definitions()}

    assert kinds == listed()


def test_the_module_was_built_from_these_sources():
    assert set(kernels()) == set(listed())


@pytest.fixture(scope="module")
def vectorised(tmp_path_factory):
    """(header, line) of every loop that gcc vectorised."""
    target = tmp_path_factory.mktemp("build") / "host.o"
    run = compile_host("f64", "-fopt-info-vec-optimized", "-c", "-o", str(target))
    assert run.returncode == 0, run.stderr
    found = re.findall(r"(\w+\.h):(\d+):\d+: optimized: loop vectorized", run.stderr)
    return {(header, int(line)) for header, line in found}


@compiles
@pytest.mark.parametrize("kernel", [name for _, name, _, loop, *_ in definitions()
                                    if loop == "direct"])  # fmt: skip
def test_direct_kernels_are_vectorised(vectorised, kernel):
    fields, header, line = next(d[2:3] + d[4:] for d in definitions() if d[1] == kernel)
    lines = header.read_text().splitlines()

    # gcc names a line of the field list, of the KERNEL macro or of the body
    first = next(i for i, text in enumerate(lines, 1) if text.startswith(f"#define {fields}("))
    last = next(i for i, text in enumerate(lines, 1) if i > line and text == "}")
    assert any((header.name, i) in vectorised for i in range(first, last + 1))


@compiles
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_sources_compile_without_a_warning(precision):
    flags = ["-Wall", "-Wextra", "-Wdouble-promotion", "-Wfloat-conversion", "-Werror"]

    run = compile_host(precision, *flags, "-fsyntax-only")

    # -Wdouble-promotion: a bare 0.5 in an expression of float32 would make it one of float64
    assert run.returncode == 0, run.stderr


@compiles
def test_a_bare_literal_would_be_found(tmp_path):
    kernel = tmp_path / "bare.c"
    kernel.write_text("float half(float x);\nfloat half(float x) { return 0.5 * x; }\n")
    command = ["gcc", "-fsyntax-only", "-Wdouble-promotion", "-Werror", str(kernel)]

    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


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


# Folder of csrc -> folders whose headers it may include.
KNOWS = {"core": {"core"}, "sparse": {"core", "sparse"}, "physics": set(),
         "kernels": {"core", "physics", "kernels"}}  # fmt: skip
SOURCES = sorted(path for end in ("h", "c", "cu") for path in CSRC.rglob(f"*.{end}"))


def floor(source):
    return source.relative_to(CSRC).parts[0]


def included(source):
    """Folders of the headers of ours that a source includes."""
    for name in re.findall(r'^#include "(.+)"', source.read_text(), re.MULTILINE):
        yield floor(next(p for p in (source.parent / name, CSRC / name) if p.is_file()))


def test_sources_know_what_lies_below_them_alone():
    assert {floor(p) for p in SOURCES} == set(KNOWS)
    assert not [p for p in SOURCES if not set(included(p)) <= KNOWS[floor(p)]]


def test_sources_have_at_most_400_lines():
    assert not [p for p in SOURCES if len(p.read_text().splitlines()) > 400]


def test_physics_has_no_fields_no_tables_and_no_memory():
    """Values in, values out: what gathers and stores is a kernel."""
    foreign = re.compile(
        r"\b(?:F|KERNEL|LANES|TEAM|REDUCE|TOTAL)\(|\b(?:offsets|neighbour|member|active)\b"
        r"|\bload|\bput|double2|float4"
    )

    assert not [p for p in SOURCES if floor(p) == "physics" and foreign.search(code_of(p))]
