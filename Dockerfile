# The command line and the studio, as an ordinary user; the package is built from this checkout, its page too.
#   docker build -t manipula .
#   docker run --rm -v "$PWD:/robots" manipula generate puma560 -l c -o out
#   docker run --rm --network host -v "$PWD:/robots" manipula studio --no-browser --port 8765
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
# hatch_build.py takes Node from PyPI when the page is not built yet
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /wheels .

FROM python:3.13-slim
# a C compiler, with which emitted C is tested and co-simulation units get their binary
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[studio,plot]" && rm -rf /wheels \
    && useradd --create-home --uid 1000 manipula && mkdir /robots && chown manipula /robots
USER manipula
WORKDIR /robots
ENTRYPOINT ["manipula"]
CMD ["--help"]
