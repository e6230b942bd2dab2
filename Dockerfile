# Build: everything that is needed to compile, the native part of sqlite3 included where no prebuilt one can be had.
FROM node:24-bookworm-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3 make g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && node -e "require('sqlite3')"
COPY tsconfig.json ./
COPY scripts scripts
COPY commands commands
COPY src src
# What only the build needs is optional.
RUN npm run build && npm prune --omit=dev --omit=optional

# Run: the built program and what it needs to run, as a user without rights.
FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    STATE_URL=sqlite:///data/dealbell.sqlite
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, so that it gets the signal to stop.
CMD ["node", "--enable-source-maps", "dist/src/main.js"]
