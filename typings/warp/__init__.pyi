# Kernel code is checked by Warp's own compiler; to pyright everything of Warp is Any (see [tool.pyright]).
from typing import Any

def __getattr__(name: str) -> Any: ...
