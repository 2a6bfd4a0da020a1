# Builds one binary with the Swift runtime inside, then ships it on a bare Debian with five C libraries.
FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY Scripts/deps Scripts/deps
RUN Scripts/deps
COPY . .
RUN make build

FROM debian:bookworm-slim
# What the binary links: SQLite, OpenSSL, argon2, PCRE2, zlib, and libstdc++ under the Swift runtime.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libsqlite3-0 libssl3 libargon2-1 libpcre2-8-0 zlib1g libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin hato \
    && install -d -o hato -g hato -m 0700 /data
COPY --from=build /src/.build/hato /usr/local/bin/hato
ENV HATO_DATA=/data HATO_LISTEN=0.0.0.0:8080
USER hato
VOLUME /data
EXPOSE 8080
# SIGTERM: stop accepting, finish what runs, close the sockets, close the store.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=5s --retries=3 CMD ["hato", "health"]
ENTRYPOINT ["hato"]
CMD ["serve"]
