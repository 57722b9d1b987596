"""Write docs/kernels.md from the declarations of the kernels, as each build of the docs does."""

from pathlib import Path

from kinemesh.device.backend import kernels

PAGE = Path(__file__).parents[1] / "docs" / "kernels.md"
HEAD = """# Kernels

What the kernels declare, of the build that these pages were made with.
Modes, types and shapes are explained in [architecture.md](architecture.md).
Each kernel exists in float64 and float32 (`real`), for the CPU and for CUDA.
"""


def page() -> str:
    """The whole page: a section per kernel, a row per field."""
    parts = [HEAD]
    for name, (over, fields) in sorted(kernels().items()):
        rows = [
            f"| `{f}` | {mode} | {kind} | `{shape or '-'}` |" for f, mode, kind, shape in fields
        ]
        parts.append("\n".join([f"## {name}\n\nOver {over}.\n", "| field | mode | type | shape |",
                                "|---|---|---|---|", *rows]) + "\n")  # fmt: skip
    return "\n".join(parts)


def write() -> None:
    """Write the page if it is missing or outdated."""
    text = page()
    if not PAGE.exists() or PAGE.read_text("utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
