# A static binary on an image with nothing else but certificates and time zones.
#
# The base images are named by digest, because a tag can be moved; the tag beside it
# says what it was. What a tag is now, this tells:
#   docker buildx imagetools inspect golang:1.26.8 --format '{{.Manifest.Digest}}'
# Others are taken with --build-arg GO_IMAGE=… and BASE_IMAGE=….
ARG GO_IMAGE=golang:1.26.8@sha256:6c2a5538f964f1c82f97ad14988bf05de100d922d159d0e398b54c7b0ca0c6c9
ARG BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot@sha256:d093aa3e30dbadd3efe1310db061a14da60299baff8450a17fe0ccc514a16639

FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=""
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /roundtable ./cmd/roundtable

FROM ${BASE_IMAGE}
COPY --from=build /roundtable /roundtable
USER 65532:65532
ENTRYPOINT ["/roundtable"]
CMD ["serve"]
