#!/usr/bin/env bash
# Makes the image fsconform-java:17, a small Debian with Java 17, out of Debian packages alone: no image is pulled.
# Needs root, debootstrap and a Docker engine. FSCONFORM_DEBIAN names another release, FSCONFORM_DEBIAN_MIRROR a mirror.
set -euo pipefail

image=fsconform-java:17
release=${FSCONFORM_DEBIAN:-bookworm}
mirror=${FSCONFORM_DEBIAN_MIRROR:-http://deb.debian.org/debian}

[[ $(id -u) -eq 0 ]] || { echo 'debootstrap needs root' >&2; exit 2; }
for tool in debootstrap docker tar; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install debootstrap docker.io tar" >&2; exit 2; }
done
docker version >/dev/null || { echo 'no Docker engine answers: start one (docs/how-to-run-in-containers.md)' >&2; exit 2; }
if docker image inspect "$image" >/dev/null 2>&1; then
  echo "$image is there"
  exit 0
fi

root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase --include=openjdk-17-jre-headless,ca-certificates "$release" "$root" "$mirror"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*
tar --create --directory "$root" --numeric-owner . | docker import --change 'ENV PATH=/usr/sbin:/usr/bin:/sbin:/bin' - "$image"
