# The command `usp` in a container, as a user that is not root:
#
#     docker run --rm --init IMAGE ls https://example.org/
#     docker run --rm --init --read-only -v "$PWD:/data" IMAGE check /data/sitemap.xml
#
# Files are read and written in /data, which belongs to the user 1000. Nothing else is written but temporary files in /tmp:
# both are volumes, so the rest can be read-only.
FROM node:24-slim AS package
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund \
    && mkdir /package && npm pack --ignore-scripts --pack-destination /package

FROM node:24-slim
# The optional packages too: a queue for `usp crawl --queue`, and the protocol of `usp mcp`.
RUN --mount=type=bind,from=package,source=/package,target=/package \
    npm install --global --no-audit --no-fund --ignore-scripts \
      /package/*.tgz bullmq@6 ioredis@5 @modelcontextprotocol/server@2 \
    && npm cache clean --force \
    && mkdir /data && chown node:node /data
USER node
WORKDIR /data
VOLUME ["/data", "/tmp"]
ENTRYPOINT ["usp"]
CMD ["--help"]
