#!/usr/bin/env python3
"""What is inside the command, as SPDX 2.3 in JSON: the Debian packages of the libraries it is linked with and of the
headers that are compiled into it.

    bill_of_materials.py BRIDLE VERSION
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADERS_ONLY = {"libeigen3-dev": "MPL-2.0", "librandom123-dev": "BSD-3-Clause", "libcli11-dev": "BSD-3-Clause",
                "nlohmann-json3-dev": "MIT", "libjs-chart.js": "MIT"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def owner(library):
    """The package that a library's file belongs to; /lib is /usr/lib on merged systems."""
    for path in (library, str(pathlib.Path(library).resolve()), "/usr" + library):
        if found := output("dpkg-query", "-S", path):
            return found.split(":")[0]
    return None


def version_of(package):
    return output("dpkg-query", "-W", "-f", "${Version}", package) or "NOASSERTION"


def main():
    bridle, version = sys.argv[1:]
    libraries = re.findall(r"=> (/\S+)", output("ldd", bridle))
    linked = {package for library in libraries if (package := owner(library))}
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))
    license_text = (ROOT / "LICENSE").read_text()
    packages = [{"name": "bridle", "SPDXID": "SPDXRef-bridle", "versionInfo": version, "downloadLocation": "NOASSERTION",
                 "filesAnalyzed": False, "licenseDeclared": "MIT" if "MIT License" in license_text else "NOASSERTION"}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-bridle"}]
    for package in sorted(linked | set(HEADERS_ONLY)):
        identity = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", package)
        packages.append({"name": package, "SPDXID": identity, "versionInfo": version_of(package), "downloadLocation": "NOASSERTION",
                         "filesAnalyzed": False, "licenseDeclared": HEADERS_ONLY.get(package, "NOASSERTION"),
                         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                           "referenceLocator": f"pkg:deb/debian/{package}@{version_of(package)}"}]})
        kind = "STATIC_LINK" if package in HEADERS_ONLY else "DYNAMIC_LINK"
        relations.append({"spdxElementId": "SPDXRef-bridle", "relationshipType": kind, "relatedSpdxElement": identity})
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    print(json.dumps({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"bridle-{version}",
                      "documentNamespace": f"urn:bridle:{version}:{digest}",
                      "creationInfo": {"created": created, "creators": ["Tool: scripts/bill_of_materials.py"]},
                      "packages": packages, "relationships": relations}, indent=1))


if __name__ == "__main__":
    main()
