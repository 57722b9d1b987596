"""Keys by which two runs differ on purpose."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kinemesh.errors import CaseError, did_you_mean
from kinemesh.study.alike import Chosen, apart, key_of, kinds_apart
from kinemesh.study.differences import word


def allowed(door: str, one: Chosen, other: Chosen, allow: Sequence[str]) -> tuple[str, ...]:
    """Differences that `allow` names, in words; CaseError for a key that is none or is shared."""
    several = isinstance(allow, Collection) and not isinstance(allow, str)
    if not several or not all(isinstance(key, str) for key in allow):
        raise CaseError(f'{door}: allow is {allow!r}, expected a list of keys, as ["reynolds"]')
    if any(key not in allow for key, _ in kinds_apart(one, other)):
        return ()  # of which `refuse_others` tells alone
    found = [(key, words) for key, words in apart(one, other, allow) if key in allow]
    facts = [own.facts() | own.moves() for own in (one, other)]
    known = {key_of(name): name for own in facts for name in own}
    known |= {"reynolds": "reynolds", "mach": "mach"}
    known |= {} if one.steady else {"motion": "motion"}
    for key in allow:
        if key not in known:
            hint = did_you_mean(key, known, f"expected some of {', '.join(known)}")
            raise CaseError(f"{door}: allow has {key!r}, which no case has{hint}")
        if key not in [own for own, _ in found]:
            value = word(facts[0].get(known[key]))
            raise CaseError(
                f"{door}: allow has {key!r}, which both runs share ({value})",
                expected="keys that the runs differ by",
            )
    return tuple(words for _, words in found)
