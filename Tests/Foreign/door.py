"""The JSON door in every detail an SDK has been seen to trip over, with plain WebSockets and plain TCP."""

from __future__ import annotations

import argparse
import asyncio
import sys

# Each module adds its checks, in this order.
import door_sign_in  # noqa: F401
import door_messages  # noqa: F401
import door_bytes  # noqa: F401
import door_rules  # noqa: F401
import door_silence
from door_place import door
from house import equal


async def main(arguments: argparse.Namespace) -> int:
    door.start(arguments.binary)
    door_silence.start()
    code = await door.checks.run(arguments.only)
    equal(door.house.stop(), 0, "the exit code of the server")
    complaint = door.house.verify()
    print("ok    teahouse verify finds nothing" if complaint is None else f"FAIL  teahouse verify: {complaint}")
    return code or (1 if complaint else 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="teahouse")
    parser.add_argument("--only", help="run the checks whose name contains this")
    sys.exit(asyncio.run(main(parser.parse_args())))
