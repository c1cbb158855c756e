FROM node:20.19.5-bookworm-slim@sha256:9e70124bd00f47dd023e349cd587132ae61892acc0e47ed641416c3e18f401c3 AS build
# SQLite is compiled if no prebuilt binary can be downloaded.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . .
RUN node scripts/ensure.mjs --build && npm prune --omit=dev && rm -rf node_modules/.cache

FROM node:20.19.5-bookworm-slim@sha256:9e70124bd00f47dd023e349cd587132ae61892acc0e47ed641416c3e18f401c3
# Commands that are run in a container find the data of its server.
ENV NODE_ENV=production PARLEY_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages packages
COPY --from=build /app/plugins plugins
RUN mkdir /data && chown node:node /data && ln -s /app/packages/cli/dist/main.js /usr/local/bin/parley
USER node
VOLUME /data
EXPOSE 7420
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/dist/main.js"]
# The server binds all addresses of the container, so it needs this flag: there must be a proxy in front, or a port on loopback only.
CMD ["serve", "--host", "0.0.0.0", "--port", "7420", "--data-dir", "/data", "--behind-proxy"]
