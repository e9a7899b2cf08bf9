"""The host side of flight: arrays for commands, controllers in Python called between launches, and the flight log."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from planetfall.compute.device import HOST
from planetfall.compute.struct_arrays import allocate
from planetfall.engine.build import Model
from planetfall.engine.state.result import Transition
from planetfall.errors import InputError
from planetfall.flight.commands import (
    FAULT_NAN,
    FAULT_RAISED,
    FAULT_RANGE,
    FLIGHT_NUMBERS,
    MAX_TRANSITIONS,
    Commands,
)
from planetfall.flight.controller import Command, Controller, Seen
from planetfall.flight.mount_flight import phase_names
from planetfall.flight.own_controller import controller_of
from planetfall.flight.sensors.mount import places
from planetfall.outcome import Outcome


def n_engines_of(model: Model) -> int:
    """Number of engines of all vehicles."""
    return sum(len(vehicle.engines) for vehicle in model.scenario.vehicles)


def make_commands(model: Model, n_runs: int) -> Commands:
    """Arrays for the commands of a batch, before the first call."""
    commands, assembly, device = Commands(), model.assembly, model.device
    if not assembly.flight.is_flown:
        return commands

    allocate(commands, (max(n_engines_of(model), 1), n_runs), device, throttle=0)
    allocate(commands, (len(model.scenario.tethers), n_runs), device, release=0, cut=0)
    allocate(commands, (len(assembly.switches), n_runs), device, switches=0)
    allocate(commands, n_runs, device, bank=np.nan, phase=0, cause=0, armed=0, shortfall=0)
    # NaN says that there has been no call
    allocate(commands, (assembly.flight.n_memory, n_runs), device, memory=np.nan)
    allocate(commands, n_runs, device, stride=1, step=np.inf, coarse=0, tick=0, called=0, pending=0)
    allocate(commands, n_runs, device, fault=0, fault_engine=0, log_count=0)
    allocate(commands, (MAX_TRANSITIONS, n_runs), device, log_time=0, log_phase=0, log_cause=0)
    allocate(commands, (MAX_TRANSITIONS, len(FLIGHT_NUMBERS), n_runs), device, log_flight=0)
    return commands


WRITTEN = ("throttle", "release", "cut", "switches", "bank", "phase", "cause", "armed", "shortfall", "fault")
"""Arrays of commands that a controller's answer changes."""


NO_BANK = "the entering vehicle needs aerodynamics.attitude = 'trim' and no bank_plan"


class HostController:
    """Controllers in Python, one for each run, that answer when the kernel waits."""

    def __init__(
        self, model: Model, batch: Any, controller: Controller | Sequence[Controller] | None, n_runs: int
    ) -> None:
        """Gives every run a copy of the controller, or one of as many; those of the scenario where none is given."""
        scenario = model.scenario
        controller = controller_of(scenario) if controller is None else controller
        if controller is None:
            raise InputError(
                "flight.controller", "'own' needs a controller",
                advice="give one: planetfall.run(scenario, controller=...), or name one of a plug-in",
            )  # fmt: skip
        for one in controller if isinstance(controller, Sequence) else (controller,):
            if not callable(getattr(one, "command", None)):
                raise InputError("controller", f"{type(one).__name__} has no method command(seen)")
        if isinstance(controller, Sequence):
            self.controllers = list(controller)
        else:
            self.controllers = [controller] if n_runs == 1 else [copy.deepcopy(controller) for _ in range(n_runs)]
        self.batch, self.n_engines = batch, n_engines_of(model)
        engines = tuple(engine for vehicle in scenario.vehicles for engine in vehicle.engines)
        self.failed = np.array([np.inf if engine.fail_time is None else engine.fail_time for engine in engines])
        self.where = {sensor.name: place for sensor, place in zip(scenario.sensors, places(scenario), strict=True)}
        self.tethers = [tether.name for tether in scenario.tethers]
        self.switches = list(scenario.switches)
        self.has_bank = scenario.is_bank_commanded
        self.phases, self.causes = (list(names) for names in phase_names(scenario))
        self.messages: dict[int, str] = {}
        self.is_shared = model.device == HOST
        self.views = self._views() if self.is_shared else {}

    def _views(self) -> dict[str, np.ndarray]:
        """What the controllers are shown and what they write: on a CPU the arrays themselves, else copies."""
        commands, sensing = self.batch.commands, self.batch.sensing
        arrays = {name: getattr(commands, name).numpy() for name in (*WRITTEN, "called", "pending")}
        arrays["status"] = self.batch.status.numpy()
        if self.where:
            arrays |= {"value": sensing.readings.value.numpy(), "landed": sensing.memory.landed.numpy()}
        return arrays

    def answer(self) -> None:
        """Calls the controller of every run that waits, and writes its commands."""
        arrays = self.views if self.is_shared else self._views()
        waits = np.flatnonzero((arrays["pending"] == 1) & (arrays["status"] == Outcome.running))
        if not len(waits):
            return
        times = arrays["called"]
        values = arrays.get("value", np.zeros((0, len(times))))
        landed = arrays.get("landed", np.full(len(times), np.nan))
        for run in waits:
            time = float(times[run])
            seen = Seen(
                time=time,
                sensors={
                    name: values[place.channel : place.channel + place.n_channels, run].copy()
                    for name, place in self.where.items()
                },
                throttles=arrays["throttle"][: self.n_engines, run].copy(),
                engine_works=time < self.failed,
                landed=bool(np.isfinite(landed[run])),
            )
            fault = self._call(int(run), seen, arrays)
            if fault:
                self.messages[int(run)] = fault
                arrays["fault"][run] = FAULT_RAISED
        for name in () if self.is_shared else WRITTEN:
            getattr(self.batch.commands, name).assign(arrays[name])

    def _call(self, run: int, seen: Seen, arrays: dict[str, np.ndarray]) -> str | None:
        """Takes one command; what was wrong with it, if it cannot be taken."""
        try:
            command = self.controllers[run].command(seen)
        except Exception as error:
            return f"the controller raised {type(error).__name__} at {seen.time:.6g} s: {error}"
        if not isinstance(command, Command):
            return f"the controller returned {type(command).__name__} at {seen.time:.6g} s, not a Command"
        try:
            throttles = np.asarray(command.throttles, dtype=float)
        except (TypeError, ValueError):
            return f"the controller's throttles at {seen.time:.6g} s are not numbers: {command.throttles!r}"
        if throttles.shape != (self.n_engines,):
            return f"the controller gave {throttles.size} throttles at {seen.time:.6g} s for {self.n_engines} engines"
        unknown = [name for name in (*command.release, *command.cut) if name not in self.tethers]
        if unknown:
            return f"the controller named the tether {unknown[0]!r} at {seen.time:.6g} s; there is none of that name"
        unknown = [name for name in command.switch if name not in self.switches]
        if unknown:
            there = ", ".join(self.switches) or "none"
            return f"the controller switched {unknown[0]!r} at {seen.time:.6g} s; what can be switched: {there}"
        if command.bank is not None:
            if not self.has_bank:
                return f"the controller gave a bank angle at {seen.time:.6g} s, and no vehicle follows one: {NO_BANK}"
            if not np.isfinite(command.bank):
                return f"the controller's bank angle at {seen.time:.6g} s, {command.bank}, is not finite"
            arrays["bank"][run] = command.bank
        arrays["throttle"][: self.n_engines, run] = throttles
        for i, name in enumerate(self.switches):
            arrays["switches"][i, run] = int(name in command.switch)
        for i, name in enumerate(self.tethers):
            arrays["release"][i, run] = int(name in command.release)
            arrays["cut"][i, run] = int(name in command.cut)
        arrays["armed"][run] = int(command.is_armed)
        arrays["phase"][run] = _number(self.phases, command.phase)
        arrays["cause"][run] = _number(self.causes, command.cause)
        arrays["shortfall"][run] = max(float(arrays["shortfall"][run]), command.shortfall)
        return None


def _number(names: list[str], name: str) -> int:
    """The place of a name in a list, to which new names are added."""
    if name not in names:
        names.append(name)
    return names.index(name)


def flight_log(model: Model, batch: Any, host_controller: HostController | None, n_runs: int) -> dict[str, np.ndarray]:
    """Phases, faults and shortfalls of all runs, as `BatchResult` has them."""
    transitions, faults = np.empty(n_runs, dtype=object), np.empty(n_runs, dtype=object)
    if not model.assembly.flight.is_flown:
        transitions.fill(())
        return {"transitions": transitions, "faults": faults, "shortfall": np.full(n_runs, np.nan)}
    commands = batch.commands
    phases, causes = (
        (host_controller.phases, host_controller.causes) if host_controller else phase_names(model.scenario)
    )
    times, entered, why = (array.numpy() for array in (commands.log_time, commands.log_phase, commands.log_cause))
    codes, numbers = commands.fault.numpy(), commands.log_flight.numpy()
    for run, n in enumerate(commands.log_count.numpy()):
        transitions[run] = tuple(
            Transition(
                float(times[k, run]), phases[entered[k, run]], causes[why[k, run]],
                dict(zip(FLIGHT_NUMBERS, numbers[k, :, run].tolist(), strict=True)),
            )
            for k in range(n)
        )  # fmt: skip
        faults[run] = _fault(model, commands, host_controller, run) if codes[run] else None
    return {"transitions": transitions, "faults": faults, "shortfall": commands.shortfall.numpy()}


def _fault(model: Model, commands: Commands, host_controller: HostController | None, run: int) -> str:
    """What was wrong with the command that ended a run."""
    fault = int(commands.fault.numpy()[run])
    if host_controller is not None and run in host_controller.messages:
        return host_controller.messages[run]
    engines = [engine for vehicle in model.scenario.vehicles for engine in vehicle.engines]
    i = int(commands.fault_engine.numpy()[run])
    value, engine, time = commands.throttle.numpy()[i, run], engines[i], commands.called.numpy()[run]
    kinds = {int(FAULT_NAN): "is not finite", int(FAULT_RANGE): "is out of range"}
    least = engine.thrust_min / engine.thrust_max
    return (
        f"the throttle of {engine.name} commanded at {time:.6g} s, {value:.6g}, {kinds[fault]}; "
        f"allowed: 0, or {least:.6g} to 1"
    )
