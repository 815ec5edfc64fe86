#!/usr/bin/env bash
# Makes a builder image for `make image` where no image registry can be reached: Debian's packages and this machine's
# own Rust toolchain. Needs root, buildah and debootstrap.
# Usage: offline-builder.sh [NAME]    (then: make image BUILDER=NAME)
set -euo pipefail

name=${1:-localhost/rust-builder}
export BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot} STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}

for tool in buildah debootstrap rustc; do
    command -v "$tool" >/dev/null || { echo "Error: $tool is missing: install it first" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "Debian base ..."
debootstrap --variant=minbase --include=gcc,libc6-dev,ca-certificates bookworm "$work/root" >"$work/log" 2>&1 ||
    { tail -20 "$work/log" >&2; exit 1; }
# The machine's certificates, in case its packages come through a proxy with one of its own.
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/ca-certificates.crt"
fi
echo "Rust toolchain ..."
mkdir -p "$work/root/usr/local"
cp -a "$(rustc --print sysroot)" "$work/root/usr/local/rust"
rm -rf "$work/root/usr/local/rust/share"
if [ -f "${CARGO_HOME:-$HOME/.cargo}/config.toml" ]; then
    mkdir -p "$work/root/root/.cargo"
    cp "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$work/root/root/.cargo/config.toml"
fi
container=$(buildah from scratch)
buildah copy --quiet "$container" "$work/root" / >/dev/null
buildah config --env PATH=/usr/local/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit --quiet --rm "$container" "$name" >/dev/null
echo "$name"
