"""What a client's configuration resolves secrets to: asked of Hadoop itself, before any code of the store runs.

Only Hadoop knows what files, includes, entities, variables and credential providers come to.
"""

from __future__ import annotations

from typing import Any

import jpype  # type: ignore[import-untyped]

from fsconform.adapters.hadoop import jvm
from fsconform.engine import secrecy

PROVIDERS = "security.credential.provider.path"
"""How the names of properties end that list credential providers: Hadoop's own, a connector's and a bucket's."""

MOST, LONGEST = 4096, 1 << 16
"""So many secrets are told, of so many characters at most: a frame has its limit."""

_DEFAULTS = "-default.xml"


def secrets(configuration: Any) -> tuple[str, ...]:
    """The values of properties with names of secrets, and passwords in URIs, as the client gets them."""
    found: set[str] = set()
    for entry in configuration:
        name, raw = jvm.text(entry.getKey()), jvm.text(entry.getValue())
        if not (secrecy.SECRET.search(name) or "://" in raw or "$" in raw):
            continue
        if _is_default(configuration, name):
            continue
        try:
            value = jvm.text(configuration.get(name))
        except jvm.JavaError:  # a variable that stands for itself, or what the security manager keeps
            value = raw
        found |= secrecy.of_properties([(name, one) for one in {raw, value, value.strip()}])
    return _bounded(found)


def provided(configuration: Any) -> tuple[str, ...]:
    """All that credential providers hold; what can't be read has none, and the client says so when it needs it."""
    found: set[str] = set()
    named = {jvm.text(entry.getKey()): jvm.text(entry.getValue()) for entry in configuration}
    paths = sorted(name for name, value in named.items() if name.endswith(PROVIDERS) and value.strip())
    if not paths:
        return ()
    try:
        factory = jpype.JClass("org.apache.hadoop.security.alias.CredentialProviderFactory")
    except (TypeError, jvm.JavaError):  # a client without them
        return ()
    standard = f"hadoop.{PROVIDERS}"
    for name in paths:
        try:
            own = jpype.JClass("org.apache.hadoop.conf.Configuration")(configuration)
            own.set(standard, configuration.get(name))
            for provider in factory.getProviders(own):
                for alias in provider.getAliases():
                    held = provider.getCredentialEntry(alias)
                    if held is not None and held.getCredential() is not None:
                        found.add("".join(map(str, held.getCredential())))
        except jvm.JavaError:
            continue
    return _bounded(found)


def _is_default(configuration: Any, name: str) -> bool:
    """Whether a property has the value that Hadoop ships."""
    try:
        sources = configuration.getPropertySources(name)
    except (AttributeError, jvm.JavaError):
        return False
    return sources is not None and len(sources) > 0 and all(jvm.text(one).endswith(_DEFAULTS) for one in sources)


def _bounded(found: set[str]) -> tuple[str, ...]:
    return tuple(sorted(one[:LONGEST] for one in found if len(one) >= secrecy.SHORTEST))[:MOST]
