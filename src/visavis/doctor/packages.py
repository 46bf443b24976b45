"""The packages visavis stands on: which versions are here, which extras are complete, which do not start."""

from __future__ import annotations

from importlib import import_module, metadata

from packaging.requirements import Requirement

from visavis.doctor.report import Finding, Health

#: The packages without which nothing works, by the name they are imported under.
ESSENTIAL = {
    "numpy": "numpy",
    "pillow": "PIL",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "qdrant-edge-py": "qdrant_edge",
    "sqlalchemy": "sqlalchemy",
}


def requirements(extra: str = "") -> list[Requirement]:
    """What visavis asks for on this system: always, or for an extra."""
    asked = [Requirement(text) for text in metadata.requires("visavis") or []]
    always = [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    if not extra:
        return always
    return [one for one in asked if one not in always and one.marker and one.marker.evaluate({"extra": extra})]


def installed_version(name: str) -> str | None:
    """The version of a package that is installed, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def package_versions() -> dict[str, str | None]:
    """Every package that visavis always needs, and its version here."""
    return {one.name: installed_version(one.name) for one in requirements()}


def lacking_for_extras() -> dict[str, list[str]]:
    """Every extra, and what it lacks; those that other extras bring along are told there."""
    extras = metadata.metadata("visavis").get_all("Provides-Extra") or []
    return {
        extra: [str(one).split(";")[0].strip() for one in requirements(extra) if one.name != "visavis" and _lacks(one)]
        for extra in sorted(extras)
    }


def check_packages() -> list[Finding]:
    """Whether what visavis needs is here, recent enough, and starts."""
    findings = []
    for one in requirements():
        version = installed_version(one.name)
        remedy = f"Install it with: pip install '{one.name}{one.specifier}'"
        if version is None:
            findings.append(Finding(one.name, Health.BROKEN, "not installed", remedy))
        elif not one.specifier.contains(version, prereleases=True):
            detail = f"version {version}, but {one.specifier} is needed"
            findings.append(Finding(one.name, Health.BROKEN, detail, remedy))
    return findings + [finding for name, module in ESSENTIAL.items() if (finding := _check_start(name, module))]


def _lacks(requirement: Requirement) -> bool:
    version = installed_version(requirement.name)
    return version is None or not requirement.specifier.contains(version, prereleases=True)


def _check_start(name: str, module: str) -> Finding | None:
    """A package can be installed and still not load: a library of the system is missing, or it is for another one."""
    try:
        import_module(module)
    except Exception as error:  # whatever a broken package raises
        remedy = f"Install it anew with: pip install --force-reinstall {name}"
        return Finding(name, Health.BROKEN, f"it does not start ({error})", remedy)
    return None
