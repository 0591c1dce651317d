# The image of Fettle: manager, sidecar and shim, with the git that they run.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t fettle/fettle:dev .
#
# The test cluster makes the same image without a container engine: hack/cluster/image.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH
ARG VERSION=devel
ENV CGO_ENABLED=0 GOFLAGS=-trimpath GOOS=$TARGETOS GOARCH=$TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -ldflags "-s -w -X github.com/fettle-dev/fettle/internal/cli.version=$VERSION" -o /out/ ./cmd/fettle
RUN go build -ldflags "-s -w" -o /out/ ./cmd/fettle-shim
RUN go build -ldflags "-s -w -X main.version=$VERSION" -o /out/ ./cmd/fettle-controller

FROM alpine:3.22
RUN apk add --no-cache ca-certificates git openssh-client \
 && addgroup -g 65532 nonroot \
 && adduser -D -u 65532 -G nonroot nonroot
COPY --from=build /out/ /usr/local/bin/
# By number: a kubelet can't tell whether a name is root's.
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/fettle"]
