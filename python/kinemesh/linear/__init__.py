"""Block-sparse linear systems in colour order, solved on the device."""

from kinemesh.linear.bicgstab import Bicgstab
from kinemesh.linear.cg import Cg
from kinemesh.linear.colours import colour_first_fit, colour_parallel
from kinemesh.linear.gmres import Gmres
from kinemesh.linear.pattern import Pattern
from kinemesh.linear.sweeps import Sweeps

__all__ = ["Bicgstab", "Cg", "Gmres", "Pattern", "Sweeps", "colour_first_fit", "colour_parallel"]
