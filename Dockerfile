# Packs a chart and its operator into an image with one static binary:
#   docker build -t you/memcached-operator --build-arg HELM_CHART=charts/memcached \
#       --build-arg API_VERSION=anywhere.io/v1alpha1 --build-arg KIND=Memcached .
# Or makes the base image that takes the place of operator-sdk's in an existing project's Dockerfile:
#   docker build -t you/helm-operator --target base .

# Any image with a Rust toolchain and a C compiler.
ARG BUILDER=docker.io/library/rust:1.95-slim-bookworm

FROM ${BUILDER} AS build
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY crates crates
COPY tools tools
COPY templates templates
COPY src src
# glibc linked in: the result needs nothing from the image it runs in. Addresses to be relocated as a bitmap: half a
# megabyte less. Naming the target keeps the flags off build scripts.
RUN target="$(rustc -vV | sed -n 's/^host: //p')" \
    && RUSTFLAGS='-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs' \
    cargo build --locked --profile image --target "$target" -p chartwright \
    && mkdir -p /image/usr/local/bin /image/opt/helm \
    && cp "target/$target/image/chartwright" /image/chartwright \
    && ln -s /chartwright /image/usr/local/bin/helm-operator

# Laid out as operator-sdk's image: a project copies its watches.yaml and charts to /opt/helm.
FROM scratch AS base
COPY --from=build /image/ /
ENV HOME=/opt/helm
WORKDIR /opt/helm
USER 1001
ENTRYPOINT ["/usr/local/bin/helm-operator", "run", "--watches-file=./watches.yaml"]

FROM build AS packed
# The chart comes last, so that another chart or kind does not compile anything again.
ARG HELM_CHART
ARG API_VERSION
ARG KIND
RUN for name in HELM_CHART API_VERSION KIND; do \
        eval "value=\$$name"; \
        if [ -z "$value" ]; then echo "Error: give --build-arg $name=..." >&2; exit 1; fi; \
    done
COPY ${HELM_CHART} /image/chart
RUN /image/chartwright check --chart /image/chart --api-version "$API_VERSION" --kind "$KIND"

FROM scratch
ARG API_VERSION
ARG KIND
COPY --from=packed /image/ /
ENV HELM_CHART=/chart API_VERSION=${API_VERSION} KIND=${KIND}
WORKDIR /opt/helm
USER 65532:65532
ENTRYPOINT ["/chartwright"]
CMD ["run"]
