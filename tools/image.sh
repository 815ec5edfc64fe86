#!/usr/bin/env bash
# Builds the image with whichever of docker, podman or buildah works here.
# Usage: image.sh IMAGE HELM_CHART API_VERSION KIND [BUILDER]
#        image.sh IMAGE --base [BUILDER]     the image that takes the place of operator-sdk's in a project's Dockerfile
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$2" = --base ]; then
    builder=${3:-}
    args=(-t "$1" --target base)
else
    image=$1 chart=$2 api_version=$3 kind=$4 builder=${5:-}
    args=(-t "$image" --build-arg "HELM_CHART=$chart" --build-arg "API_VERSION=$api_version" --build-arg "KIND=$kind")
fi
[ -z "$builder" ] || args+=(--build-arg "BUILDER=$builder")

if docker info >/dev/null 2>&1; then
    exec docker build "${args[@]}" .
elif command -v podman >/dev/null; then
    exec podman build "${args[@]}" .
elif command -v buildah >/dev/null; then
    exec buildah build "${args[@]}" .
fi
echo "Error: no way to build an image: install docker (with a running engine), podman or buildah" >&2
exit 1
