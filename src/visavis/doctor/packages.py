"""Check the required packages: installed versions, complete extras, failing imports."""

from __future__ import annotations

from importlib import import_module, metadata

from packaging.requirements import Requirement

from visavis.doctor.report import Finding, Severity

#: The required packages, by their import name.
ESSENTIAL = {
    "numpy": "numpy",
    "pillow": "PIL",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "qdrant-edge-py": "qdrant_edge",
    "sqlalchemy": "sqlalchemy",
}


def requirements(extra: str = "") -> list[Requirement]:
    """Return the requirements on this system: the base ones, or those of an extra."""
    asked = [Requirement(text) for text in metadata.requires("visavis") or []]
    always = [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    if not extra:
        return always
    return [one for one in asked if one not in always and one.marker and one.marker.evaluate({"extra": extra})]


def installed_version(name: str) -> str | None:
    """Return the version of a package that is installed, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def package_versions() -> dict[str, str | None]:
    """Return the installed version of every required package."""
    return {one.name: installed_version(one.name) for one in requirements()}


def lacking_for_extras() -> dict[str, list[str]]:
    """Return the missing packages of every extra; those of a nested extra are listed there only."""
    extras = metadata.metadata("visavis").get_all("Provides-Extra") or []
    return {
        extra: [str(one).split(";")[0].strip() for one in requirements(extra) if one.name != "visavis" and _lacks(one)]
        for extra in sorted(extras)
    }


def check_packages() -> list[Finding]:
    """Check that the required packages are installed, recent enough, and importable."""
    findings = []
    for one in requirements():
        version = installed_version(one.name)
        remedy = f"Install it with: pip install '{one.name}{one.specifier}'"
        if version is None:
            findings.append(Finding(one.name, Severity.BROKEN, "not installed", remedy))
        elif not one.specifier.contains(version, prereleases=True):
            detail = f"version {version}, but {one.specifier} is needed"
            findings.append(Finding(one.name, Severity.BROKEN, detail, remedy))
    return findings + [finding for name, module in ESSENTIAL.items() if (finding := _check_start(name, module))]


def _lacks(requirement: Requirement) -> bool:
    version = installed_version(requirement.name)
    return version is None or not requirement.specifier.contains(version, prereleases=True)


def _check_start(name: str, module: str) -> Finding | None:
    """Import a package: it can be installed and still fail to load, because a system library is missing."""
    try:
        import_module(module)
    except Exception as error:  # a broken package may raise anything
        remedy = f"Install it anew with: pip install --force-reinstall {name}"
        return Finding(name, Severity.BROKEN, f"it does not start ({error})", remedy)
    return None
