"""The command line of the loops of kills."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Foreign"))

from house import HouseError  # noqa: E402


def run_loop(
        name: str, run: Callable[[argparse.Namespace], Coroutine[Any, Any, int]], description: str | None, *,
        seconds: float, red: str, people: int | None = None) -> NoReturn:
    """Runs a loop with what its arguments say; ends with its exit code. `red`: what a server that is broken on purpose has
    to show; `people`: how many there are unless somebody says otherwise."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--server", help="what to run in place of `teahouse serve`")
    if people is not None:
        parser.add_argument("--people", type=int, default=people)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=seconds, help="of load, about, without the restarts")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--expect-red", action="store_true", help=f"succeed only when {red}")
    arguments = parser.parse_args()
    print(f"{name}: seed {arguments.seed}", flush=True)
    begun = time.monotonic()
    try:
        code = asyncio.run(run(arguments))
    except HouseError as error:
        sys.exit(f"{name}: {error}")
    print(f"{name}: {time.monotonic() - begun:.1f} s")
    sys.exit(code)
