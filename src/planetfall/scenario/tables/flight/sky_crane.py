"""`[flight] controller = "sky-crane"`: the short form of the sky crane's sequence."""

from typing import Any, Literal, Self

from pydantic import model_validator

from planetfall.scenario.tables.flight.phases import ALL_TETHERS
from planetfall.scenario.tables.table import Table, choice, quantity

CONTROLLERS = "kind of controller: sequence | own | sky-crane"


class SkyCraneKeys(Table):
    """Keys of the short form."""

    controller: Literal["sky-crane"] = choice(CONTROLLERS)
    rate: float = quantity(
        "Hz", "number of calls a second; the integrator's step must divide the time between two", 64.0, gt=0
    )
    form: Literal["compiled", "python"] = choice(
        "compiled: in the kernel, the only one; kept for older files", "compiled"
    )
    stage: str = choice("name of the vehicle that flies; its engines and sensors are used")
    imu: str = choice("name of its IMU")
    velocimeter: str = choice("name of its velocimeter, with three beams or more and signal = 'doppler'")
    altimeter: str = choice("name of its altimeter")
    running: tuple[str, ...] = choice("engines that run in sky crane; all that work if one of them fails", ())
    failure_delay: float = quantity("s", "time after which the failure of an engine is known (assumed)", 0.1, ge=0)
    carried_mass: float = quantity("kg", "mass that the controller assumes until the landing", gt=0)
    stage_mass: float = quantity("kg", "mass that the controller assumes after the landing", gt=0)
    gravity: float = quantity("m/s^2", "gravity of the site that the controller assumes", gt=0)
    descent_speed: float = quantity("m/s", "speed of the powered descent and of the touchdown", 0.75, gt=0)
    separation_height: float = quantity(
        "m", "height of the altimeter over the ground at which the reels are released", gt=0
    )
    extension_time: float = quantity(
        "s", "time from the release until the tethers are taken to be out (tuned)", 7.0, gt=0
    )
    deploy_time: float = quantity(
        "s", "time in which the wheels are deployed, after which the trigger is armed", 1.5, ge=0
    )
    speed_gain: float = quantity("1/s", "vertical acceleration per error of vertical speed (tuned)", 3.0, gt=0)
    speed_integral: float = quantity("1/s^2", "vertical acceleration per integral of that error (tuned)", 2.0, ge=0)
    drift_gain: float = quantity("1/s", "horizontal acceleration per horizontal speed (tuned)", 0.3, ge=0)
    tilt_limit_deg: float = quantity("deg", "largest tilt against horizontal speed (assumed)", 10.0, gt=0, lt=60)
    attitude_gain: float = quantity("1/s^2", "angular acceleration per attitude error (tuned)", 9.0, gt=0)
    rate_gain: float = quantity("1/s", "angular acceleration per angular rate (tuned)", 4.2, gt=0)
    hold_time: float = quantity("s", "time for which the stage holds its height after the cut (tuned)", 0.2, ge=0)
    climb_time: float = quantity("s", "time of the climb straight up, all running engines full (tuned)", 1.0, ge=0)
    turn_time: float = quantity("s", "time of the turn to the flyaway's tilt (tuned)", 1.0, gt=0)
    burn_time: float = quantity("s", "time from the end of the turn to engine cut-off (tuned)", 3.3, ge=0)
    flyaway_share: float = quantity(
        "-", "share of the running engines' largest thrust in climb, turn and burn (tuned)", 0.85, gt=0, le=1
    )
    flyaway_tilt_deg: float = quantity("deg", "tilt of the flyaway from the vertical (tuned)", 45.0, gt=0, lt=90)
    flyaway_azimuth_deg: float = quantity("deg", "azimuth of the flyaway, clockwise from north", 0.0)

    @model_validator(mode="after")
    def _is_compiled(self) -> Self:
        if self.form == "python":
            raise ValueError(
                "form: 'python' is not part of the package; use 'compiled', or fly examples/skycrane_controller.py "
                "with flight.controller = 'own'"
            )
        return self

    def written_out(self) -> dict[str, Any]:
        """The keys of `[flight]` with `controller = "sequence"` that it stands for."""
        gains = ("speed_gain", "speed_integral", "drift_gain", "tilt_limit_deg")
        hold = {"law": "hold-velocity", **{key: getattr(self, key) for key in gains}}
        carried = {"guidance": {**hold, "speed": self.descent_speed}, "mass": self.carried_mass}
        fly = {"law": "attitude-hold", "share": self.flyaway_share, "azimuth_deg": self.flyaway_azimuth_deg}
        tilt, every = self.flyaway_tilt_deg, (ALL_TETHERS,)
        same = ("rate", "imu", "velocimeter", "altimeter", "failure_delay", "gravity", "attitude_gain", "rate_gain")
        phases = (
            {"name": "powered descent", **carried, "ends": _ends(height_below=self.separation_height)},
            {"name": "bridle extension", **carried, "release": every, "ends": _ends(after=self.extension_time)},
            {"name": "mobility deploy", **carried, "ends": _ends(after=self.deploy_time)},
            {"name": "ready for touchdown", **carried, "arm": True, "ends": _ends(landed=True)},
            {
                "name": "bridle cut", "guidance": hold, "mass": self.stage_mass, "cut": every, "integral": "reset",
                "ends": _ends(after=self.hold_time),
            },
            {"name": "climb", "guidance": fly, "ends": _ends(after=self.climb_time)},
            {
                "name": "turn",
                "guidance": {**fly, "tilt_deg": tilt, "tilt_from_deg": 0.0, "turn_time": self.turn_time},
                "ends": _ends(after=self.turn_time),
            },
            {"name": "flyaway", "guidance": {**fly, "tilt_deg": tilt}, "ends": _ends(after=self.burn_time)},
            {"name": "coast"},
        )  # fmt: skip
        return {
            "controller": "sequence", "body": self.stage, "engines": self.running, "phases": phases,
            **{key: getattr(self, key) for key in same},
        }  # fmt: skip


def _ends(**conditions: Any) -> tuple[dict[str, Any], ...]:
    return (conditions,)
