# A static binary on an image with nothing else but certificates and time zones.
FROM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=""
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /roundtable ./cmd/roundtable

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /roundtable /roundtable
USER 65532:65532
ENTRYPOINT ["/roundtable"]
CMD ["serve"]
