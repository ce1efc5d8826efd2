#!/bin/sh
# Makes the role that the server runs as; it gets its rights after each migration.
set -eu
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 \
  --set password="$(cat /run/secrets/server_password)" <<'SQL'
CREATE ROLE promptuary_server LOGIN PASSWORD :'password';
SQL
