from typing import Any

GAMMA: float
LAYER_ALIKE: float
LAYER_NEARLY: float
LAYER_ALONG: float
BIN_MARGIN: float
BIN_POINT_X: float
BIN_POINT_Y: float
BIN_POINT_Z: float
MOST_ENTRIES: int
WITHOUT_CUDA: str

def bind(name: str, *, over: tuple[int, int] | None = None, **fields: Any) -> Any: ...
def record(items: list[Any], times: int = 1, flag: Any = None) -> Any: ...
def kernels() -> dict[str, tuple[str, list[tuple[str, str, str, str]]]]: ...
def threads() -> int: ...
