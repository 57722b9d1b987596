"""Run the tests in several processes at once: python tools/parts.py [--parts N] [--log FOLDER]

Each process takes every N-th test (pytest --part K/N); tests marked `alone`, which look at the
whole device, follow.  Prints how each ended, and the end of what failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
IN_COMPANY, ALONE = "not slow and not alone", "not slow and alone"


def started(folder: Path, name: str, *options: str) -> tuple[Path, subprocess.Popen[bytes]]:
    """Pytest in a process, and its output file."""
    log = folder / f"{name}.log"
    command = [sys.executable, "-m", "pytest", "-rfEs", "-p", "no:cacheprovider", *options]
    with log.open("wb") as file:
        return log, subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT)


def ended(log: Path, process: subprocess.Popen[bytes], begin: float) -> bool:
    """Wait for a pytest; print its summary, and more where it failed."""
    good = process.wait() == 0
    lines = log.read_text(errors="replace").splitlines()
    print(f"{log.stem} ({time.monotonic() - begin:.0f} s): {lines[-1] if lines else 'nothing'}")
    if not good:
        names = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
        print("\n".join([*lines[-80:], *names]))
    return good


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--parts", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    words.add_argument("--log", type=Path, default=ROOT / "build" / "tests")
    given = words.parse_args()
    given.log.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    begin = time.monotonic()
    parts = [
        started(given.log, f"part{k}", "--part", f"{k}/{given.parts}", "-m", IN_COMPANY)
        for k in range(given.parts)
    ]
    good = [ended(*part, begin) for part in parts]
    good.append(ended(*started(given.log, "alone", "-m", ALONE), begin))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
