"""How the kernel of an assembly is compiled: what is inlined, which points a step leaves out, what stages share.

An `Assembly` says what is simulated. Nothing here changes what is computed, but for the order of sums where a body
coasts: a plan follows from the assembly and is made for speed.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planetfall.vehicle.body import AppliedForces, AppliedForcesAndMass
from planetfall.world.terrain.model import TerrainView

if TYPE_CHECKING:
    from planetfall.engine.structure.assembly import Assembly

KERNEL_OPTIONS: dict[str, Any] = {
    "enable_backward": False,
    "module": "unique",
    # without contraction a run has the same bits in every kernel that contains it: batch, replay, recorded or not
    "module_options": {"fuse_fp": False},
    # 128 registers, two blocks of 256 per multiprocessor: more warps in flight outweigh the spills
    "launch_bounds": (256, 2),
}


@dataclass(frozen=True)
class CodePlan:
    """The plan of an assembly's kernels.

    Attributes:
        assembly: What is simulated.
    """

    assembly: "Assembly"

    @property
    def is_large(self) -> bool:
        """Whether the kernel's code is so long that what is called from several places is not inlined.

        Code that does not fit the instruction cache of a GPU takes longer to fetch than to execute.
        """
        return bool(self.assembly.sensors) or self.assembly.flight.is_flown or self.assembly.has_links

    @property
    def calls_functions(self) -> bool:
        """Whether the kernel has functions that are not inlined and take all parameters, or all of the terrain's."""
        return self.assembly.is_mode_locked or self.is_large or self.assembly.terrain.is_register_bound

    @property
    def inlining_of_parts(self) -> bool | None:
        """Whether the parts of a step, and what is done for each body in them, are inlined; None: as it comes.

        Some stand in several places, and the kernel of a whole landing has a quarter fewer statements if they are
        called. `tools/compile_for_cuda.py` tells what that makes of code and compile time on a GPU.
        """
        return False if self.is_large else None

    @property
    def inlining_of_fields(self) -> bool:
        """Whether gravity, terrain and a body's friction are inlined where they are evaluated.

        A rule of its own, since it does not go by the kernel's size: with a fixed step, evaluations and stages need
        them, each in one place. In an adaptive step event location, samples and coasts do, too, and copies would
        outgrow a GPU's cache, but in split kernels each is in a kernel of its own.
        """
        return not self.assembly.is_mode_locked or self.assembly.is_split

    @property
    def predicts_hits(self) -> bool:
        """Whether an evaluation finds points that hit the ground too fast in the coming step (see `motion.crash`)."""
        return self.assembly.may_crash and not self.assembly.is_mode_locked

    @property
    def culls(self) -> bool:
        """Whether points that cannot touch the ground in a step are left out of it (`events.broad_phase_adaptive`)."""
        is_bounded = self.assembly.terrain.steepness is not None and not self.assembly.law.is_anchored
        return self.assembly.is_mode_locked and is_bounded and self.assembly.n_bodies == 1

    @property
    def leaves_out_bodies(self) -> bool:
        """Whether bodies high over the ground are left out of contact, all points at once (`contact.far_bodies`).

        With the adaptive method, several bodies, flown over endless ground.
        """
        terrain, law, is_flown = self.assembly.terrain, self.assembly.law, self.assembly.flight.is_flown
        is_bounded = terrain.closing is not None and terrain.is_endless and not terrain.is_flat
        is_plain = law.resultant is None and not law.is_anchored
        return is_bounded and is_plain and self.assembly.is_mode_locked and self.assembly.n_bodies > 1 and is_flown

    @property
    def coasts(self) -> bool:
        """Whether a body in free flight, far from the ground, takes long steps without contact (see `solver.coast`)."""
        return self.culls and not self.assembly.has_torques and not self.assembly.sensors

    @property
    def passes_over(self) -> bool:
        """Whether the stages of a step leave out points that are too far from the ground to touch it in them.

        Over a plane a point's gap is one dot product, so that there is nothing to save.
        """
        is_bounded = self.assembly.terrain.closing is not None or self.assembly.terrain.steepness is not None
        return (
            is_bounded
            and not self.assembly.terrain.is_flat
            and not self.assembly.is_mode_locked
            and not self.assembly.law.is_anchored
        )

    @property
    def lists_points(self) -> bool:
        """Whether an evaluation lists the points that can touch in the step after it."""
        return self.passes_over or self.culls

    @property
    def monitors_in_stages(self) -> bool:
        """Whether an evaluation is a stage with monitors, by the same code (see `contact.point_loop_fields`).

        Evaluations, too, then leave out points far from the ground, as long as these cannot have come near it, and
        bodies see the ground around them at once. Not with the adaptive method: there the search for it is a small
        part.
        """
        return self.assembly.terrain.view is not None and self.assembly.terrain.is_endless and self.passes_over

    @property
    def view(self) -> TerrainView | None:
        """What bodies keep of the terrain around them from one evaluation to the next."""
        return self.assembly.terrain.view if self.monitors_in_stages else None

    @property
    def carries_mass(self) -> bool:
        """Whether the law asks for mass properties that change: to carry them in every kernel costs a sky crane 2 %."""
        return self.assembly.law.resultant is not None and any(
            self.assembly.loses_mass(i) for i in range(self.assembly.n_bodies)
        )

    @property
    def applied_forces(self) -> Any:
        """Struct of the forces on a body off the ground."""
        return AppliedForcesAndMass if self.carries_mass else AppliedForces
