#!/usr/bin/env bash
# Installs Debian's Docker engine and starts it, if none answers yet: tools/docker_engine.sh [start|stop].
# Needs root. The engine has no bridge and touches no firewall: containers of fsconform have the host's network.
set -euo pipefail

home=${FSCONFORM_DOCKER_HOME:-/var/lib/fsconform-docker}
log=$home/dockerd.log
pid=$home/dockerd.pid

answers() { docker version >/dev/null 2>&1; }

case ${1:-start} in
  start)
    if answers; then
      echo 'a Docker engine answers'
      exit 0
    fi
    [[ $(id -u) -eq 0 ]] || { echo 'installing and starting an engine needs root' >&2; exit 2; }
    if ! command -v dockerd >/dev/null; then
      export DEBIAN_FRONTEND=noninteractive
      apt-get -qq update
      apt-get -qq install --no-install-recommends --yes docker.io debootstrap
    fi
    mkdir -p "$home"
    for driver in overlay2 vfs; do
      setsid dockerd --data-root "$home/data" --exec-root "$home/run" --pidfile "$pid" --storage-driver "$driver" \
        --bridge none --iptables=false --ip6tables=false --ip-forward=false >"$log" 2>&1 </dev/null &
      for _ in $(seq 60); do
        if answers; then
          echo "the Docker engine runs with the storage driver $driver; its log is $log"
          exit 0
        fi
        kill -0 $! 2>/dev/null || break
        sleep 0.5
      done
      kill $! 2>/dev/null || true
      wait $! 2>/dev/null || true
      cp "$log" "$log.$driver"
    done
    echo "no Docker engine could be started; the ends of its logs:" >&2
    tail -n 5 "$log".* >&2
    exit 3
    ;;
  stop)
    [[ -r $pid ]] || { echo 'no engine that this script started'; exit 0; }
    kill "$(cat "$pid")"
    ;;
  *)
    echo "usage: $0 [start|stop]" >&2
    exit 2
    ;;
esac
