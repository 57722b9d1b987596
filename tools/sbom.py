"""SBOM of a wheel (CycloneDX 1.6, PEP 770): what is inside beside the package itself.

Libraries are those that lie in the wheel's folder NAME.libs, and CUDA's runtime where it is linked
into the module; where a library is from is told by its build, or by auditwheel's own SBOM, which
asks the system's packages.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = "sboms/kinemesh.cdx.json"
RUNTIME = b"cudaErrorInvalidDeviceFunction"  # in a module with CUDA's runtime linked in
LICENSES = {"libgomp": [{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}]}
MIT = [{"license": {"id": "MIT"}}]


def document(
    members: Mapping[str, bytes],
    name: str,
    version: str,
    known: Mapping[str, Mapping[str, Any]],
    tools: Mapping[str, str],
) -> dict[str, Any]:
    """The SBOM of a wheel.

    Parameters
    ----------
    members : files of the wheel, by name
    known : components by name, such as libgomp, with version, licenses and purl
    tools : versions of what built it, by name

    Raises
    ------
    SystemExit    a library whose origin neither `known` nor auditwheel's SBOM has
    """
    purl = f"pkg:pypi/{name}@{version}"
    own = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    own["licenses"] = MIT
    known = _of_auditwheel(members) | dict(known)
    inside = []
    for path, data in sorted(members.items()):
        if re.fullmatch(r"[\w.]+\.libs/.+", path):
            inside.append(_component(path, data, known, Path(path).name))
        elif path.endswith(".so") and RUNTIME in data:
            inside.append(_component(path, None, known, "cudart_static"))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": own,
            "tools": {
                "components": [
                    {"type": "application", "name": tool, "version": of}
                    for tool, of in tools.items()
                ]
            },
        },
        "components": inside,
        "dependencies": [
            {"ref": purl, "dependsOn": [one["bom-ref"] for one in inside]},
            *({"ref": one["bom-ref"]} for one in inside),
        ],
    }


def _component(
    path: str, data: bytes | None, known: Mapping[str, Mapping[str, Any]], file: str
) -> dict[str, Any]:
    """Component of a file, or of what is linked into one (data None)."""
    name = re.split(r"[-.]", file)[0]
    if name not in known:
        raise SystemExit(f"{path}: where {name} is from is not known, so there is no SBOM")
    made = {"type": "library", "bom-ref": f"{known[name]['purl']}#{path}", **known[name]}
    if data is not None:
        digest = hashlib.sha256(data).hexdigest()
        made["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return made | {"evidence": {"occurrences": [{"location": path}]}}


def _of_auditwheel(members: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """Components of auditwheel's SBOM, by the name of the library."""
    texts = [data for path, data in members.items() if path.endswith("/auditwheel.cdx.json")]
    each = [one for text in texts for one in json.loads(text)["components"]]
    keys = ("name", "version", "purl")
    made = {}
    for one in each:
        name = one["name"].rstrip("0123456789")  # libgomp1 has libgomp.so.1 in Debian
        terms = {"licenses": LICENSES[name]} if name in LICENSES else {}
        made[name] = {key: one[key] for key in keys} | terms
    return made


def text(made: Mapping[str, Any]) -> bytes:
    """The file of a document."""
    return (json.dumps(made, indent=1) + "\n").encode()
