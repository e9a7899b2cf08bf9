"""Whether the kernels of scenarios compile for a CUDA card, on a machine that need not have one.

    .venv/bin/python tools/compile_for_cuda.py                              # every library scenario, for sm_90
    .venv/bin/python tools/compile_for_cuda.py msl-drop examples/plugins/hover.toml --arch 80
    .venv/bin/python tools/compile_for_cuda.py msl-drop --set 'integrator.method="adaptive"' --others

Warp brings NVIDIA's compiler along, which needs neither card nor driver. Of each scenario are compiled the kernel of a
recorded run, that which computes its histories, and those of a campaign with parameters of its own for every run: one
kernel, or split kernels where a card would take these. Printed are the seconds of one core that each takes, the size of
its code, the registers of a thread, the bytes of its stack, how many instructions store to it and load from it (of
registers that are spilled, and of local arrays), and errors as the compiler gives them; the exit status is 1 if there
is one. Nothing is kept in Warp's cache.
"""

import argparse
import contextlib
import os
import re
import struct
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import warp as wp

import planetfall
from planetfall.compute.device import HOST, start_warp
from planetfall.engine.build import assemble
from planetfall.engine.gpu.batched_queries import evaluation_kernel
from planetfall.engine.gpu.split_kernels import kernels_of
from planetfall.engine.gpu.split_method import can_be_split
from planetfall.engine.gpu.work_queues import empty
from planetfall.engine.kernel import block_size, kernel_of
from planetfall.engine.observe import observe_kernel
from planetfall.world.terrain.dem import build as maps
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.mesh import build as meshes

MULTIPROCESSORS = 132
"""Of an H200: from them and the number of runs follow the threads to a block, and so the registers of a thread."""
INFO = ".nv.info"
REGISTERS, STACK = 0x2F, 0x12
"""Attributes of a kernel in that section of a compiled module (EIATTR_REGCOUNT, EIATTR_MIN_STACK_SIZE)."""
SIZED = 4
"""Form of attributes that are followed by as many bytes as they say; others have their value in place of the size."""
CODE = ".text."
INSTRUCTION, OPCODE = 16, 0xFFF
"""Bytes of an instruction, and the bits of its first two that say which it is, since sm_70."""
STORE, LOAD = 0x387, 0x983
"""Instructions that go to the stack (STL, LDL)."""


@dataclass(frozen=True)
class Compiled:
    """What became of a kernel.

    Attributes:
        seconds: Of one core, from Python source to machine code.
        code: Bytes, of all its functions.
        registers: Of a thread.
        stack: Bytes of a thread, what it calls included.
        stores: Instructions that store to the stack.
        loads: Instructions that load from it.
        error: What the compiler says, empty if it compiles.
    """

    seconds: float
    code: int = 0
    registers: int = 0
    stack: int = 0
    stores: int = 0
    loads: int = 0
    error: str = ""

    def __str__(self) -> str:
        if self.error:
            return f"{self.seconds:7.1f} s  does not compile\n{self.error}"
        stack = f"stack {self.stack:6d} B ({self.stores} stores, {self.loads} loads)"
        return f"{self.seconds:7.1f} s {self.code / 1024:6.0f} KiB  {self.registers:3d} registers  {stack}"


def take_ground_for_cards() -> None:
    """From here on, maps and meshes that are made on the host have the queries that a card is given."""
    maps.MODELS = {gap: (on_card, on_card) for gap, (_, on_card) in maps.MODELS.items()}
    meshes.TERRAIN_MESH = meshes.TERRAIN_MESH_GPU


def kernels_on_cuda(scenario: planetfall.Scenario, n_runs: int) -> Iterator[tuple[str, Any]]:
    """Name and kernel of all that a card would be given for a recorded run, and for a campaign of so many."""
    surface = make_surface(scenario, HOST)
    recorded, batch = (assemble(scenario, surface, is_recorded) for is_recorded in (True, False))
    yield "recorded", kernel_of(recorded, False, block_size(recorded, 1, MULTIPROCESSORS))
    yield "histories", observe_kernel(recorded)
    if not can_be_split(batch):
        yield "batch", kernel_of(batch, True, block_size(batch, n_runs, MULTIPROCESSORS))
        return
    for name, kernel in vars(kernels_of(batch)).items():
        if kernel is not None:
            yield f"split {name}", kernel
    if batch.plan.culls:
        yield "split first", evaluation_kernel(batch)
    yield "split empty", empty


def other_kernels(known: set[str]) -> Iterator[tuple[str, Any]]:
    """Name and module of whatever else was made in this process: fields, queries of the ground, gravity."""
    for name, module in list(wp._src.context.user_modules.items()):
        if name not in known and module.kernels and not name.startswith("warp."):
            yield name, module


def compiled(module: Any, arch: int) -> Compiled:
    """Compiles a Warp module for an architecture, such as 90."""
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as said:
        try:
            with _stderr_to(said):
                (cubin,) = wp.compile_aot_module(module, arch=arch, module_dir=folder, use_ptx=False)
        except Exception as error:
            said.seek(0)
            text = said.read().decode(errors="replace").strip()
            return Compiled(time.process_time() - begin, error=f"{text}\n{error}".strip())
        return _looked_into(cubin.read_bytes(), time.process_time() - begin)


@contextlib.contextmanager
def _stderr_to(file: Any) -> Iterator[None]:
    """Inside, what compiled code writes to standard error goes to a file."""
    sys.stderr.flush()
    saved = os.dup(2)
    try:
        os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def _looked_into(cubin: bytes, seconds: float) -> Compiled:
    """What a compiled module, an ELF file, says of its kernels: most registers and stack, the sum of the rest."""
    sections, at = _sections(cubin), 0
    most, info = {REGISTERS: 0, STACK: 0}, sections.get(INFO, b"")
    while at < len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != SIZED:
            continue
        if attribute in most:  # of a symbol
            most[attribute] = max(most[attribute], struct.unpack_from("<II", info, at)[1])
        at += size
    code = b"".join(text for name, text in sections.items() if name.startswith(CODE))
    codes = [struct.unpack_from("<H", code, i)[0] & OPCODE for i in range(0, len(code), INSTRUCTION)]
    return Compiled(seconds, len(code), most[REGISTERS], most[STACK], codes.count(STORE), codes.count(LOAD))


def _sections(elf: bytes) -> dict[str, bytes]:
    """Of a 64-bit ELF file, by name."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    start = headers[names][4]

    def name_of(header: tuple[int, ...]) -> str:
        begin = start + header[0]
        return elf[begin : elf.index(b"\0", begin)].decode()

    return {name_of(header): elf[header[4] : header[4] + header[5]] for header in headers}


def main() -> int:
    """Compiles what was asked for, a line for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", help="names or files; all of the library by default")
    parser.add_argument("--arch", type=int, default=90, help="of the card: 90 for an H100 or H200 (default)")
    parser.add_argument("--runs", type=int, default=8000, help="of the campaign, which decide the threads to a block")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="in TOML, for all scenarios")
    parser.add_argument("--kernels", default="", metavar="PATTERN", help="only those whose name matches")
    parser.add_argument("--others", action="store_true", help="also what else was made for them: fields, queries")
    given = parser.parse_args()
    start_warp()
    take_ground_for_cards()
    known, failed, total = set[str](), 0, 0.0

    def report(scenario: str, name: str, module: Any) -> None:
        nonlocal failed, total
        if module.name in known or not re.search(given.kernels, name):
            return
        known.add(module.name)
        found = compiled(module, given.arch)
        print(f"{scenario:32s} {name:24s} {found}", flush=True)
        failed, total = failed + bool(found.error), total + found.seconds

    for name in given.scenarios or planetfall.library_names():
        values = {key: value for text in given.set for key, value in _value(text)}
        for kernel_name, kernel in kernels_on_cuda(planetfall.load(name, values), given.runs):
            report(Path(name).stem, kernel_name, kernel.module)
    if given.others:
        for module_name, module in other_kernels(known):
            report("others", module_name, module)
    print(f"{len(known)} modules for sm_{given.arch}, {failed} failed, {total:.0f} s of one core")
    return int(failed > 0)


def _value(text: str) -> Iterator[tuple[str, Any]]:
    key, _, value = text.partition("=")
    yield key.strip(), tomllib.loads(f"value = {value}")["value"]


if __name__ == "__main__":
    sys.exit(main())
