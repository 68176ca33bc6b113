# The program in a distroless image. Name the image to run on as your registry serves it:
# docker build -t evenkeel:0.1.0 --build-arg RUNTIME=REGISTRY/distroless/nodejs24-debian12:nonroot .
ARG RUNTIME=distroless/nodejs24-debian12:nonroot

FROM node:24-bookworm-slim AS build
WORKDIR /evenkeel
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY src src
# The image has no /usr/bin/env, so the program names its interpreter; then it can be started by its path.
RUN npm run build && sed '1s|^#!.*|#!/nodejs/bin/node|' dist/evenkeel.cjs > evenkeel && chmod 755 evenkeel \
 && mv dist/evenkeel.cjs.map evenkeel.map

FROM ${RUNTIME}
COPY --from=build /evenkeel/evenkeel /bin/evenkeel
COPY --from=build /evenkeel/evenkeel.map /bin/evenkeel.map
# Under the name of the reference, so that a manifest of it needs only another image.
COPY --from=build /evenkeel/evenkeel /bin/descheduler
COPY --from=build /evenkeel/evenkeel.map /bin/descheduler.map
COPY LICENSE /licenses/evenkeel
USER 65532:65532
ENTRYPOINT ["/bin/evenkeel"]
