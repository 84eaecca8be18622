#!/bin/bash
# Two PostgreSQL servers on loopback, a primary and its synchronous standby, for the tests of exosql/test/failover.
#
#   cluster.sh pair    BIN PORT_A PORT_B
#   cluster.sh patroni BIN PORT_A PORT_B REST_A REST_B HAPROXY ETCD ETCD_PEER
#
# BIN has the programs of PostgreSQL. In a pair, the test promotes the standby; Patroni does that itself, by a lock in etcd, and HAProxy leads to
# the primary. Each line of standard input is a command, answered by a line. At its end, also if the test was killed, all is stopped and removed.
set -uo pipefail
mode=$1 bin=$2
declare -A port=([a]=$3 [b]=$4)
work=$(mktemp -d)
own=()
if [ "$(id -u)" = 0 ]; then
  own=(setpriv --reuid=postgres --regid=postgres --clear-groups)
  chown postgres:postgres "$work"
fi
cd "$work" || exit 1

declare -A patroni=()
others=()
# pids NODE: its processes, Patroni first, so that it can't start the others again.
pids() {
  local main
  [ -n "${patroni[$1]:-}" ] && echo "${patroni[$1]}"
  main=$(head -1 "$1/data/postmaster.pid" 2>/dev/null) || return 0
  [ "$(cat "/proc/$main/comm" 2>/dev/null)" = postgres ] && echo "$main" && cat "/proc/$main/task/$main/children" 2>/dev/null
}
signal() { kill "-$1" $(pids "$2") 2>/dev/null; true; }
cleanup() {
  for node in a b; do signal KILL $node; done
  [ ${#others[@]} -gt 0 ] && kill -KILL "${others[@]}" 2>/dev/null
  for node in a b; do signal KILL $node; done # what Patroni was about to start
  cd / && rm -rf "$work"
}
trap 'cleanup 2>/dev/null' EXIT
trap 'exit 1' INT TERM HUP
fail() { echo "error: $*" | tr '\n' ' '; echo; exit 1; }
# background LOG COMMAND…: starts it as the user of PostgreSQL; its process is $!.
background() {
  local log=$1
  shift
  "${own[@]}" "$@" </dev/null >>"$log" 2>&1 &
}

pair() {
  "${own[@]}" "$bin/initdb" -D a/data -A trust -U postgres -N -E UTF8 --locale=C >log 2>&1 || fail "initdb: $(tail -n 3 log)"
  "${own[@]}" tee -a a/data/postgresql.conf >/dev/null <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = ${port[a]}
jit = off
fsync = off
shared_buffers = 16MB
max_connections = 60
wal_keep_size = 256MB
END
  run a
  "${own[@]}" "$bin/pg_basebackup" -D b/data -h 127.0.0.1 -p "${port[a]}" -U postgres -c fast --no-sync >log 2>&1 || fail "pg_basebackup: $(tail -n 3 log)"
  "${own[@]}" touch b/data/standby.signal
  "${own[@]}" tee -a b/data/postgresql.conf >/dev/null <<<"port = ${port[b]}
primary_conninfo = 'host=127.0.0.1 port=${port[a]} user=postgres application_name=b'"
  run b
  "${own[@]}" tee -a a/data/postgresql.conf >/dev/null <<<"synchronous_standby_names = 'b'"
  "${own[@]}" "$bin/pg_ctl" -D a/data reload >log 2>&1 || fail "$(tail -n 3 log)"
}
run() { "${own[@]}" "$bin/pg_ctl" -D "$1/data" -l "$1/log" -w start </dev/null >log 2>&1 || fail "$1: $(tail -n 5 log "$1/log")"; }

# configure NAME PORT REST: of Patroni. The lock lasts 8 s, the least with which etcd may be away for 3 s at a time. It is kept by the second
# version of etcd's protocol: by the third, a primary of Patroni 3.0.2 that was stopped takes the lock back when it goes on, and what its
# successor has acknowledged is lost.
configure() {
  "${own[@]}" mkdir -p "$1"
  "${own[@]}" tee "$1/patroni.yml" >/dev/null <<END
scope: exo
name: $1
restapi: { listen: 127.0.0.1:$3, connect_address: 127.0.0.1:$3 }
etcd: { host: 127.0.0.1:$etcd }
bootstrap:
  dcs:
    ttl: 8
    loop_wait: 1
    retry_timeout: 3
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: { jit: 'off', shared_buffers: 16MB, max_connections: 60, wal_keep_size: 256MB }
  initdb: [ { encoding: UTF8 }, { locale: C }, { auth: trust } ]
postgresql:
  listen: 127.0.0.1:$2
  connect_address: 127.0.0.1:$2
  data_dir: $work/$1/data
  bin_dir: $bin
  pgpass: $work/$1/pgpass
  authentication: { superuser: { username: postgres }, replication: { username: replicator } }
  parameters: { unix_socket_directories: $work/$1 }
  pg_hba: [ host all all 127.0.0.1/32 trust, host replication all 127.0.0.1/32 trust ]
END
}
start() {
  background "$1/patroni.log" patroni "$work/$1/patroni.yml"
  patroni[$1]=$!
}
cluster() {
  local haproxy=$3 peer=$5
  etcd=$4
  export ETCD_UNSUPPORTED_ARCH=arm64
  background etcd.log etcd --enable-v2=true --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" \
    --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "default=http://127.0.0.1:$peer"
  others+=($!)
  # HAProxy ends the sessions of a server that it takes out: a program would else wait for one that has stopped to answer.
  "${own[@]}" tee haproxy.cfg >/dev/null <<END
defaults
  mode tcp
  timeout connect 1s
  timeout check 1s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:$haproxy
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
  server a 127.0.0.1:${port[a]} check port $1
  server b 127.0.0.1:${port[b]} check port $2
END
  background haproxy.log /usr/sbin/haproxy -db -f haproxy.cfg
  others+=($!)
  configure a "${port[a]}" "$1"
  configure b "${port[b]}" "$2"
  start a
  start b
}

case $mode in
  pair) pair ;;
  patroni) shift 4 && cluster "$@" ;;
  *) fail "unknown mode $mode" ;;
esac
echo ok
while read -r command node; do
  case $command in
    kill)
      signal KILL "$node"
      [ -n "${patroni[$node]:-}" ] && wait "${patroni[$node]}" 2>/dev/null
      patroni[$node]=
      while [ -n "$(pids "$node")" ]; do sleep 0.05; done
      ;;
    stop) signal STOP "$node" ;;
    go) signal CONT "$node" ;;
    start) start "$node" ;;
    deafen) # its walsenders stop: the standby gets nothing more
      for p in $(pids "$node"); do grep -qa walsender "/proc/$p/cmdline" && kill -STOP "$p"; done
      ;;
    serve) # exo serve, as a file of bash starts it
      bash "$node" </dev/null >>"$node.log" 2>&1 &
      served=$!
      others+=($!)
      ;;
    served)
      kill -TERM "$served"
      wait "$served" || fail "exo serve ended with $?"
      ;;
    promote) "${own[@]}" "$bin/pg_ctl" -D "$node/data" -w promote >log 2>&1 || fail "$(tail -n 3 log)" ;;
    logs) tail -n 25 ./*log ./*/*log >&2 ;;
    *) fail "unknown command $command" ;;
  esac
  echo ok
done
