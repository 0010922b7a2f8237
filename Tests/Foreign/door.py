"""The JSON door in every detail an SDK has been seen to trip over, with plain WebSockets and plain TCP."""

from __future__ import annotations

import argparse

# Each module adds its checks, in this order.
import door_sign_in  # noqa: F401
import door_messages  # noqa: F401
import door_bytes  # noqa: F401
import door_rules  # noqa: F401
import door_silence
from door_place import door
from house import run_checks


async def main(arguments: argparse.Namespace) -> int:
    door.start(arguments.binary)
    door_silence.start()
    return await door.checks.finish(door.house, arguments.only)


if __name__ == "__main__":
    run_checks(main, __doc__)
