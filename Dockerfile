# The program in a distroless image. Name both images as your registry serves them, by digest, for a tag can come to mean
# another image (`docker buildx imagetools inspect IMAGE` prints the digest); without digests the build ends at once:
# docker build -t evenkeel:0.1.0 --build-arg BUILD_DIGEST=sha256:… --build-arg RUNTIME_DIGEST=sha256:… \
#   --build-arg RUNTIME=REGISTRY/distroless/nodejs24-debian12 .
ARG BUILD=node
ARG BUILD_DIGEST=give-BUILD_DIGEST-of-node-24-bookworm-slim
ARG RUNTIME=distroless/nodejs24-debian12
ARG RUNTIME_DIGEST=give-RUNTIME_DIGEST-of-nodejs24-debian12-nonroot

FROM ${BUILD}@${BUILD_DIGEST} AS build
WORKDIR /evenkeel
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY build build
COPY src src
# The image has no /usr/bin/env, so the program names its interpreter; then it can be started by its path.
RUN npm run build && sed '1s|^#!.*|#!/nodejs/bin/node|' dist/evenkeel.cjs > evenkeel && chmod 755 evenkeel \
 && mv dist/evenkeel.cjs.map evenkeel.map

FROM ${RUNTIME}@${RUNTIME_DIGEST}
COPY --from=build /evenkeel/evenkeel /bin/evenkeel
COPY --from=build /evenkeel/evenkeel.map /bin/evenkeel.map
# Under the name of the reference, so that a manifest of it needs only another image.
COPY --from=build /evenkeel/evenkeel /bin/descheduler
COPY --from=build /evenkeel/evenkeel.map /bin/descheduler.map
COPY LICENSE /licenses/evenkeel
COPY --from=build /evenkeel/dist/THIRD-PARTY-LICENSES /licenses/THIRD-PARTY-LICENSES
USER 65532:65532
ENTRYPOINT ["/bin/evenkeel"]
