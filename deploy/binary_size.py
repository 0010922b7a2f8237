"""Prints how many bytes each module and library has in the installed binary, and fails when one exceeds its budget.

    deploy/binary_size.py MAP BINARY       MAP is what the linker wrote with -Map, in the format of lld

A byte belongs to the module whose object file it came from, so a generic of the standard library that was specialised
for a module counts for that module. Debug information and memory without contents do not count: the binary is measured
stripped. `docs/benchmarks.md` has the figures.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

KIB = 1024
#: KiB that a part may have. Raise one in the commit that needs it, and say there what the bytes are for.
BUDGETS = {
    "ChatModel": 900, "ByteCodec": 120, "Execution": 40, "Diagnostics": 45, "RegularExpressions": 150,
    "Configuration": 150, "Localization": 50, "CAssets": 720, "SQLite": 40, "Store": 2450, "FileStore": 120,
    "Transport": 350, "HTTPClient": 190, "Transfers": 400, "Profiles": 400, "Accounts": 620, "Broker": 430,
    "LeanCloudQuery": 190, "LeanCloudWire": 600, "LeanCloudTranslation": 210, "LeanCloudGateway": 480,
    "LeanCloudAPI": 760, "LeanCloudPull": 420, "LeanCloudExport": 160, "WuKongPull": 130, "WuKongImport": 60, "WuKongWire": 210, "WuKongCrypto": 25, "WuKongTranslation": 170,
    "WuKongGateway": 150, "ContentTranslation": 100, "WuKongAPI": 930, "APIKit": 210, "APIGateway": 745, "Hooks": 260,
    "NativeAPI": 640, "Backup": 340, "Imports": 200, "LeanCloudImport": 200, "Monitoring": 170, "MessageLog": 260, "QRCode": 40, "Search": 200,
    "AdminAPI": 1950, "AdminConsole": 2100, "AdminService": 680, "CommandLineKit": 210, "Doctor": 170, "Server": 275,
    "teahouse": 870,
    "swiftCore": 5500, "crypto": 3400, "ssl": 500, "sqlite3": 1250, "sodium": 240, "ncursesw": 180, "tinfo": 110,
    "z": 90,
    "the linker": 1650,
}
#: KiB of a part that is not named above: a new module asks for its own, and a library does not come in unnoticed.
UNNAMED = 40
#: KiB of the whole, stripped.
WHOLE = 31 * KIB
#: Sections that stripping removes, or that take no room in the file.
UNCOUNTED = (".debug", ".symtab", ".strtab", ".shstrtab", ".comment", ".bss", ".tbss")
#: Offset, address, length, alignment, then the object file and its section.
INPUT = re.compile(r"\s*[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+ {9}(?! )(.+):\((.+)\)$")


def owner(origin: str) -> str:
    """The part that an object file belongs to: a module of ours, an archive, or the linker with its start-up files."""
    if modules := re.findall(r"/([^/]+)\.build/", origin):
        return modules[-1]
    if archive := re.search(r"lib([^/]+)\.a\b", origin):
        return archive[1]
    return "the linker"


def bytes_by_part(linker_map: Path) -> Counter[str]:
    parts: Counter[str] = Counter()
    with linker_map.open(errors="replace") as lines:
        for line in lines:
            if (found := INPUT.match(line)) and not found[3].startswith(UNCOUNTED):
                parts[owner(found[2])] += int(found[1], 16)
    return parts


def stripped_bytes(binary: str) -> int:
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run(["strip", "-o", copy.name, binary], check=True)
        return Path(copy.name).stat().st_size


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    parts = bytes_by_part(Path(sys.argv[1]))
    if "Store" not in parts:
        sys.exit(f"{sys.argv[1]} is no linker map of teahouse in the format of lld")
    whole = stripped_bytes(sys.argv[2])
    faults = []
    print(f"{'KiB':>8} {'budget':>8}")
    for part, size in parts.most_common():
        budget = BUDGETS.get(part, UNNAMED)
        is_over = size > budget * KIB
        if part in BUDGETS or size > KIB:
            print(f"{size / KIB:8.0f} {budget:8} {part}{' !' if is_over else ''}")
        if is_over:
            faults.append(f"{part} has {size / KIB:.0f} KiB in the binary, its budget is {budget}")
    print(f"{whole / KIB:8.0f} {WHOLE:8} the whole, stripped")
    if whole > WHOLE * KIB:
        faults.append(f"the stripped binary has {whole / KIB:.0f} KiB, its budget is {WHOLE}")
    for part in ("swift_StringProcessing", "swift_RegexParser"):
        if parts[part]:
            faults.append(f"{part} is linked: some module uses Swift's regular expressions; see RegularExpressions")
    if faults:
        sys.exit("\n".join(faults) + "\nMake it smaller, or raise the budget in deploy/binary_size.py and say why.")


if __name__ == "__main__":
    main()
