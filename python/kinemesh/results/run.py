"""Results of a run: history and summary, and from them loops, tables and flow fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kinemesh.results import flow_fields, oscillations, run_table
from kinemesh.results.record import Record
from kinemesh.results.spanwise import STATIONS, Spanwise, spanwise

if TYPE_CHECKING:
    from kinemesh.results.along_walls import Wall
    from kinemesh.results.boundary_layers import Layer
    from kinemesh.results.pressures import Pressures


@dataclass(slots=True, repr=False)
class Run(Record):
    """Results of a run; `kinemesh.open(folder)` gives them again.

    Parameters
    ----------
    history : History    a row per member and step (of a steady run, per iteration)
    summary : dict       contents of summary.json, in the types of JSON
    out : Path or None   folder of the run; None where the run wrote no files
    """

    def table(self) -> Any:
        """A row per member: inputs and results.

        The first columns are mach, alpha_deg, k and amplitude of the motion, and other inputs that
        differ between members.  Then come the results: means and amplitudes, damping, work,
        derivatives, `converged`, and in `cause` why the member failed, and the
        warnings about the member (docs/results.md has all columns).

        Returns
        -------
        pandas.DataFrame, or where pandas is not installed a structured array (members,)
        """
        return run_table.frame(self)

    @property
    def roots(self) -> Any:
        """Oscillations of bodies on structures after the first period, by their frequencies.

        A row each: member; zeta, share of critical damping, negative where it grows, and half its
        spread over three windows; omega over omega_alpha; k = omega b / U; size and phase of each
        coordinate over the last one (h / b over alpha); share of the strongest.

        Returns
        -------
        pandas.DataFrame, or where pandas is not installed a structured array

        Raises
        ------
        CaseError    no body stands on a structure
        """
        rows = list(oscillations.of_run(self))
        names = list(rows[0]) if rows else ["member", "zeta", "uncertainty", "omega", "k", "share"]
        return run_table.framed({name: [row[name] for row in rows] for name in names})

    def frames(self, member: int | None = None) -> flow_fields.Frames:
        """Times, cycles and phases of the frames whose flow was kept.

        CaseError where the run has no folder, or no such member.
        """
        return flow_fields.frames(self, member)

    def fields(
        self,
        frame: int | None = None,
        *,
        phase_deg: float | None = None,
        member: int | None = None,
    ) -> flow_fields.Fields:
        """Flow fields of one frame as NumPy arrays with their points and cells.

        Parameters
        ----------
        frame : int          number of the frame: 0 the first, -1 the last (default)
        phase_deg : float    in place of `frame`: take the last frame at this phase of the motion
        member : int         of an ensemble, from 0

        Raises
        ------
        CaseError    no folder, no such member or frame, or no frame at that phase (the message
            names the nearest ones)
        """
        return flow_fields.read(self, frame, phase_deg, member)

    def pressures(
        self, member: int | None = None, *, section: float | None = None
    ) -> dict[str, Pressures]:
        """Unsteady pressures on the wall of each body over the last cycle, by marker.

        Of incompressible flow with the shear stress, and of a steady one those of its end.  Of a
        wing those on a `section`, given as a share of the span, which is one body, and of a steady
        one those of its end.
        CaseError for a steady run of an inviscid gas in the plane, for a wing without a section,
        for a section of a run in the plane, and where fewer than three frames were kept.
        """
        from kinemesh.results.pressures import pressures

        found = pressures(self, member, section)
        return {name: self.signed(own, member) for name, own in found.items()}

    def spanwise(self, member: int | None = None, *, stations: int = STATIONS) -> Spanwise:
        """Load along the span of a wing: cl, cd, cm and c cl of sections from root to tip.

        Of a steady run those of its end; of an unsteady one mean and first harmonic over the last
        cycle, or the end where there is no whole one.

        Parameters
        ----------
        stations : number of sections, dense towards closed tips

        Raises
        ------
        CaseError    no folder, no such member, a run in the plane, no walls that a section cuts
        """
        return spanwise(self, member, stations)

    def walls(
        self,
        frame: int | None = None,
        *,
        phase_deg: float | None = None,
        member: int | None = None,
    ) -> dict[str, Wall]:
        """Flow of a viscous gas on the wall of each body in one frame, by marker.

        cp, cf, y+ and heat flux along the wall; frame, phase and member as of `fields`, whose
        CaseErrors it has, and one for an inviscid gas.
        """
        from kinemesh.results.along_walls import walls

        found = walls(self.fields(frame, phase_deg=phase_deg, member=member))
        return {name: self.signed(own, member) for name, own in found.items()}

    def layer(
        self,
        x: float,
        *,
        body: str | None = None,
        upper: bool = True,
        frame: int | None = None,
        phase_deg: float | None = None,
        member: int | None = None,
    ) -> Layer:
        """Boundary layer of a viscous gas at a place of a wall in one frame, in wall units.

        Parameters
        ----------
        x : place along the wall, of which the nearest node is taken [chord]
        body : marker; default the first
        upper : whether the gas is above the wall there, else below it
        frame, phase_deg, member : as of `fields`

        Raises
        ------
        CaseError    those of `fields`; an inviscid gas, no such body or side, friction of 0, walls
            that move of a solver on cells
        """
        from kinemesh.results.boundary_layers import layer

        flow = self.fields(frame, phase_deg=phase_deg, member=member)
        found = layer(flow, self.asked()[member or 0]["mach"], x, body, upper, self.walls_move)
        return self.signed(found, member)

    @property
    def walls_move(self) -> bool:
        """True of a run whose walls move with a body, or slide in themselves."""
        told = self.summary["conditions"]
        if told.get("sliding"):
            return True
        motions = told.get("motion") if self.history.kind == "unsteady" else None
        return any(motions) if isinstance(motions, list) else motions is not None

    def __repr__(self) -> str:
        members = f"{self.members} members, " if self.members > 1 else ""
        members += f"{len(self.failed)} failed, " if self.failed else ""
        where = "" if self.out is None else f", out={str(self.out)!r}"
        kind = self.history.kind
        return f"Run({kind}, {members}{self.history.rows} rows, {self.told()}{where})"

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        from kinemesh.io.html import table_of

        rows = run_table.columns(self)
        if self.members > 1:
            return table_of(list(rows), list(zip(*rows.values(), strict=True)), repr(self))
        return table_of(["", ""], [(name, v[0]) for name, v in rows.items()], repr(self))
