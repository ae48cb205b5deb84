# The command in a small image: docker build -t bridle . && docker run --rm -v "$PWD:/data" bridle solve problem.toml
FROM debian:12-slim AS build
WORKDIR /bridle
COPY . .
# Of the packages the project wants, those that the solver and the command are built with.
RUN apt-get update && apt-get install -y --no-install-recommends g++ cmake ninja-build git pkg-config python3 dpkg-dev \
    libjs-chart.js $(sed -nE 's/^([^ #]+) +# the (solver|command):.*/\1/p' scripts/packages.txt)
RUN cmake --preset release -DBRIDLE_TESTS=OFF && cmake --build --preset release && \
    scripts/package --no-site --build build/release --output /packages

FROM debian:12-slim
COPY --from=build /packages/bridle_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/bridle_*.deb && \
    rm -rf /var/lib/apt/lists/* /tmp/*.deb
WORKDIR /data
USER nobody
ENTRYPOINT ["bridle"]
CMD ["--help"]
