"""What pip asks of a build (PEP 517), with the standard library alone: `pip install .` needs no network.

CMake builds the extension module in build/wheel, or in the tree that BRIDLE_BUILD names.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "bridle"
CMAKE_OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DBRIDLE_TESTS=OFF", "-DBRIDLE_MPI=OFF"]


def version():
    text = (ROOT / "bridle" / "report" / "version.hpp").read_text()
    return re.search(r'version = "([^"]+)"', text)[1]


def metadata():
    lines = [
        "Metadata-Version: 2.1",
        "Name: bridle",
        f"Version: {version()}",
        "Summary: Stochastic nonconvex optimisation with linear constraints, certified",
        "License: MIT",
        "Requires-Python: >=3.9",
        "Requires-Dist: numpy",
        "Requires-Dist: scipy",
        "Provides-Extra: sklearn",
        'Requires-Dist: scikit-learn; extra == "sklearn"',
        "Provides-Extra: torch",
        'Requires-Dist: torch; extra == "torch"',
        "Provides-Extra: plot",
        'Requires-Dist: matplotlib; extra == "plot"',
    ]
    return "\n".join(lines) + "\n"


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{python}-{python}-{platform}"


def build_module():
    """The extension module, built."""
    given = os.environ.get("BRIDLE_BUILD")
    folder = pathlib.Path(given) if given else ROOT / "build" / "wheel"
    if not given:
        generator = ["-G", "Ninja"] if _there_is("ninja") else []
        python = f"-DPython_EXECUTABLE={sys.executable}"
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, *generator, *CMAKE_OPTIONS, python], check=True)
    jobs = os.environ.get("BRIDLE_JOBS", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", folder, "--target", "_bridle", "--parallel", jobs], check=True)
    name = "_bridle" + sysconfig.get_config_var("EXT_SUFFIX")
    module = folder / "python" / "bridle" / name
    if not module.exists():
        raise SystemExit(f"CMake built no {name} (is pybind11-dev installed?)")
    return module


def _there_is(program):
    return any((pathlib.Path(folder) / program).exists() for folder in os.get_exec_path())


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip wants to know before anything is built."""
    info = f"bridle-{version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / info
    folder.mkdir()
    (folder / "METADATA").write_text(metadata())
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = build_module()
    info = f"bridle-{version()}.dist-info"
    files = {f"bridle/{path.name}": path.read_bytes() for path in sorted(PACKAGE.iterdir()) if path.is_file()}
    files[f"bridle/{module.name}"] = module.read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: bridle\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = ("\n".join([*record, f"{info}/RECORD,,"]) + "\n").encode()
    name = f"bridle-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # the same bytes whenever it is built
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data)
    return name


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory, config_settings=None):
    base = f"bridle-{version()}"
    tracked = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in filter(None, tracked.split("\0")):
            archive.add(ROOT / name, f"{base}/{name}")
    return f"{base}.tar.gz"
