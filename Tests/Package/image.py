"""The image for containers: its structure, its digests, and the binary in nothing but its layer.

    image.py ARCHIVE FOLDER       FOLDER is made, and gets the layer; needs root to run what is in it
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

#: Seconds that anything may take.
PATIENCE = 120


def check(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"the image: {what}")


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tarfile.open(sys.argv[1]) as archive:
        files = {member.name.removeprefix("./"): archive.extractfile(member).read()  # type: ignore[union-attr]
                 for member in archive if member.isfile()}
    check(json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}, "it is no OCI layout")
    for name, content in files.items():
        if name.startswith("blobs/sha256/"):
            check(hashlib.sha256(content).hexdigest() == name.rsplit("/", 1)[1], f"{name} is not what its name says")

    def content(entry: dict[str, Any]) -> bytes:
        found = files["blobs/" + entry["digest"].replace(":", "/")]
        check(len(found) == entry["size"], f"{entry['digest']} has {len(found)} bytes, not {entry['size']}")
        return found

    index = json.loads(files["index.json"])
    check(len(index["manifests"]) == 1, "there is not one manifest")
    manifest = json.loads(content(index["manifests"][0]))
    config = json.loads(content(manifest["config"]))
    layers = [gzip.decompress(content(layer)) for layer in manifest["layers"]]
    inside = ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers]
    check(config["rootfs"]["diff_ids"] == inside, "the layers are not those of the configuration")
    check(config["config"]["User"] == "7677:7677", "it runs as another user than its own")
    older = json.loads(files["manifest.json"])[0]
    check(older["Layers"] == [f"blobs/sha256/{layer['digest'][7:]}" for layer in manifest["layers"]], "docker finds other layers")

    root = Path(sys.argv[2])
    root.mkdir()
    for layer in layers:
        with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
            for member in tar:
                check(not member.name.startswith("/") and ".." not in Path(member.name).parts, f"{member.name} leaves the layer")
            tar.extractall(root, numeric_owner=True, filter="fully_trusted")
    data = (root / "var/lib/teahouse").stat()
    check((data.st_uid, data.st_mode & 0o777) == (7677, 0o700) or os.getuid() != 0, "the data folder is not the server's own")
    if os.getuid() != 0:
        return print("the image: its layer was not run, that needs root")

    environment = dict(entry.split("=", 1) for entry in config["config"]["Env"])
    server = [*config["config"]["Entrypoint"], *config["config"]["Cmd"], "--listen", "127.0.0.1:0"]
    confined = ["chroot", "--userspec=7677:7677", str(root)]
    process = subprocess.Popen([*confined, *server], env=environment | {"PATH": "/usr/sbin:/usr/bin"}, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout and process.stderr
        ready = process.stdout.readline()
        if not ready.startswith("teahouse ready on 127.0.0.1:"):
            process.kill()
            check(False, f"it does not start: {process.stderr.read()}")
        ctl = subprocess.run([*confined, "/usr/bin/teahouse", "ctl", "user", "add", "ming"], env=environment | {
            "PATH": "/usr/sbin:/usr/bin"}, text=True, capture_output=True, timeout=PATIENCE)
        check(ctl.returncode == 0, f"ctl: {ctl.stderr}")
        process.terminate()
        check(process.wait(PATIENCE) == 0, f"it ended with {process.returncode}")
    finally:
        process.kill()
        process.wait()
    print("the image: passed")


main()
