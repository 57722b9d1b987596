"""Typed errors: each message says what, where, what was expected and what to do."""


class KinemeshError(Exception):
    """Root of every error that kinemesh raises on purpose."""


class MeshError(KinemeshError, ValueError):
    """A mesh, or a mesh file, that cannot be used."""


class CloudError(KinemeshError, ValueError):
    """A cloud of points that cannot be used or made."""


class CaseError(KinemeshError, ValueError):
    """A case (file, name or combination of options) that cannot be run."""


class SettingsError(KinemeshError, ValueError):
    """A solver or motion setting outside its meaning."""


class DeviceError(KinemeshError, RuntimeError):
    """A device that does not exist, or that cannot hold the case."""


class NumericalFault(KinemeshError, ArithmeticError):
    """A run that failed: names the quantity, the entity, the member and the step."""
