# SPDX-License-Identifier: Apache-2.0
"""Registries with one small package each, as files that any web server can serve: npm's, and Python's simple index (PEP 503)."""
import base64
import hashlib
import io
import json
import tarfile
import zipfile

NAME, VERSION = "tiny-from-the-lab", "1.0.0"


def write(root, path, data):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())


def npm(root, base):
    """Below npm/ of `root`, which is served at `base`."""
    package = {"name": NAME, "version": VERSION, "main": "index.js"}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in (("package.json", json.dumps(package)), ("index.js", "module.exports = 'required from the lab';\n")):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    data = packed.getvalue()
    digest = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    dist = {"tarball": f"{base}/npm/{NAME}/-/{NAME}-{VERSION}.tgz", "integrity": digest}
    document = {"name": NAME, "dist-tags": {"latest": VERSION}, "versions": {VERSION: {**package, "dist": dist}}}
    write(root, f"npm/{NAME}.json", json.dumps(document))
    write(root, f"npm/{NAME}/-/{NAME}-{VERSION}.tgz", data)


def simple_index(root):
    """Below simple/ of `root`."""
    module = NAME.replace("-", "_")
    wheel = f"{module}-{VERSION}-py3-none-any.whl"
    info = f"{module}-{VERSION}.dist-info"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{module}.py", "said = 'imported from the lab'\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", f"{module}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    digest = hashlib.sha256(packed.getvalue()).hexdigest()
    write(root, f"simple/{NAME}/{wheel}", packed.getvalue())
    write(root, f"simple/{NAME}/index.html", f'<!DOCTYPE html><a href="{wheel}#sha256={digest}">{wheel}</a>\n')
