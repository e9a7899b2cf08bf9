"""What Planetfall raises: one paragraph that says where, what, what is allowed, and what to do."""


class PlanetfallError(Exception):
    """Base of every error that Planetfall raises on purpose."""


class InputError(PlanetfallError):
    """A bad input: a key, a file, a folder or an option that the user can change.

    Args:
        where: The key path, file or option at fault.
        problem: What is wrong, with the offending value and its unit.
        allowed: What would be accepted, as a noun phrase: the message says "expected" before it.
        advice: What to do next.
    """

    def __init__(self, where: str, problem: str, allowed: str = "", advice: str = "") -> None:
        """Keep the four parts, and join those that are given into one sentence; a question ends its part by itself."""
        self.where, self.problem, self.allowed, self.advice = where, problem, allowed, advice
        expected = f"expected {allowed}" if allowed else ""
        super().__init__(
            "; ".join(part for part in (f"{where}: {problem}", expected, advice) if part).replace("?; ", "? ")
        )

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        """Survives the way from a worker process."""
        return type(self), (self.where, self.problem, self.allowed, self.advice)


class FileElsewhereWarning(UserWarning):
    """A file that a scenario names is not where the scenario says, and was taken from elsewhere."""


class PluginWarning(UserWarning):
    """An installed plug-in cannot be imported; nothing but its own parts is affected."""


class IncompleteWarning(UserWarning):
    """A campaign was opened of which not all runs have a row."""


class WorkerWarning(UserWarning):
    """A worker of a cluster is left out of a campaign: it lacks something that the campaign needs."""


class RunError(PlanetfallError):
    """A simulation that could not be carried to an outcome (an engine fault, never a bad input)."""


class ClusterError(RunError):
    """A campaign stopped because its cluster did; no finished run is lost.

    Args:
        problem: What became of the cluster.
        advice: What is safe, and how to go on.
    """

    def __init__(self, problem: str, advice: str = "") -> None:
        """Join the two into one sentence."""
        self.problem, self.advice = problem, advice
        super().__init__(f"{problem}; {advice}" if advice else problem)

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        """Survives the way from another process."""
        return type(self), (self.problem, self.advice)


ANOTHER_NAME = "give it another name, or load only one of the files that register it"
"""What to do about a part whose name another part has."""
