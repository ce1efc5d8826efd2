#!/bin/sh
# Makes the secrets of docker-compose.yml once; what is there stays. Files are readable by the containers' users, and the
# folder by its owner alone.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

keep() {
  [ -e "$1" ] || printf '%s' "$2" > "$1"
  chmod 644 "$1"
}

random() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}

keep secret_key "$(random)$(random)"
keep owner_password "$(random)"
keep server_password "$(random)"
keep broker_password "$(random)"
keep owner_database_url "postgresql://promptuary:$(cat owner_password)@database/promptuary"
keep database_url "postgresql://promptuary_server:$(cat server_password)@database/promptuary"
keep broker_url "redis://:$(cat broker_password)@broker:6379/0"
echo "The secrets are in $(pwd). Keep a copy of secret_key apart from your backups."
