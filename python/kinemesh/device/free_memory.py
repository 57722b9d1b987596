"""Memory that is free on the host."""

from __future__ import annotations

from pathlib import Path


def free_of_process() -> int | None:
    """Free bytes of this process by its own limits, as of `ulimit -v`; None without one."""
    try:
        import resource

        pages = Path("/proc/self/statm").read_text("ascii").split()
        page = resource.getpagesize()
    except (ImportError, OSError):
        return None
    held = {resource.RLIMIT_AS: int(pages[0]) * page, resource.RLIMIT_DATA: int(pages[5]) * page}
    limits = [(resource.getrlimit(kind)[0], own) for kind, own in held.items()]
    free = [max(most - own, 0) for most, own in limits if most != resource.RLIM_INFINITY]
    return min(free, default=None)


def free_of_host() -> int | None:
    """Free bytes of this machine, with swap, or of this process; None where nobody says."""
    found = [free for free in (free_of_machine(), free_of_process()) if free is not None]
    return min(found, default=None)


def free_of_machine() -> int | None:
    """Free bytes of this machine, with swap, or of its container; None where nobody says."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        table = {name: int(rest.split()[0]) for name, _, rest in (s.partition(":") for s in lines)}
        free = 1024 * (table["MemAvailable"] + table["SwapFree"])
    except (OSError, ValueError, KeyError, IndexError):
        return None
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text("ascii").strip()  # of a container
    except OSError:
        return free
    return min(free, int(limit)) if limit.isdecimal() else free
