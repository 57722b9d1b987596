"""Write docs/kernels.md from the declarations of the kernels: python tools/kernels_md.py"""

from pathlib import Path

from kinemesh.device.backend import kernels

PAGE = Path(__file__).parents[1] / "docs" / "kernels.md"
HEAD = """# Kernels

Made by `tools/kernels_md.py` from what the kernels declare; do not edit.
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


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
