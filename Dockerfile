# Two images: "docker build --target bot ." holds the bot alone and needs its settings; "docker build ." holds what simulates Discord and the
# catalog as well, and needs none.

# The base of all stages, pinned by the digest of its index (amd64 and arm64). The workflow base-image renews it.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS base

# The bot alone: where the packages' own package.json files are not there, nothing of theirs is installed or built.
FROM base AS build-bot
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY tsconfig.json ./
COPY scripts scripts
COPY commands commands
COPY src src
# What only the build and other machines need is not copied below. Loading both native parts last shows that what is copied works.
RUN npm run build \
 && node scripts/prune.mjs \
 && node -e "new (require('sqlite3').Database)(':memory:').close(); require('@resvg/resvg-js')"

# The bot and the packages.
FROM base AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/local-discord/package.json packages/local-discord/package.json
COPY packages/catalog-service/package.json packages/catalog-service/package.json
COPY packages/demo/package.json packages/demo/package.json
RUN npm ci --omit=dev
COPY tsconfig.json ./
COPY scripts scripts
COPY commands commands
COPY packages packages
COPY src src
# The demo counts by it what is owed and posted.
COPY test/model test/model
# As above.
RUN npm run build \
 && node scripts/prune.mjs \
 && node -e "new (require('sqlite3').Database)(':memory:').close(); require('@resvg/resvg-js')"

# Run: a user without rights. Nothing that writes but /data.
FROM base AS run
LABEL org.opencontainers.image.title="Dealbell" \
      org.opencontainers.image.description="A self-hosted Discord bot that posts new deals the moment they appear." \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    STATE_URL=sqlite:///data/dealbell.sqlite
WORKDIR /app
RUN mkdir /data && chown 1000:1000 /data
# The user "node" of the image, as numbers, so that an orchestrator sees that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# Node itself is the first process of both, so that it gets the signal to stop.
FROM run AS bot
COPY --from=build-bot /app/package.json ./
COPY --from=build-bot /app/node_modules node_modules
COPY --from=build-bot /app/dist dist
CMD ["node", "--enable-source-maps", "--max-semi-space-size=2", "dist/src/main.js"]

FROM run AS everything
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/scripts/start.mjs scripts/start.mjs
CMD ["node", "--enable-source-maps", "--max-semi-space-size=2", "scripts/start.mjs"]
