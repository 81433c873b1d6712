#!/usr/bin/env bash
# Measures the tables of bench/RESULTS.md anew and writes each into the page as soon as it is there.
#
#   bench/publish.sh                  every table
#   bench/publish.sh scheduler tells  these alone
#   bench/publish.sh --quick          shorter trials, and fewer: about 4 minutes; the commands in the page say so
#   bench/publish.sh --resume         leaves out what this commit has measured already, after an interruption
#   bench/publish.sh -l               lists the tables with their commands
#
# It wants a quiet machine, and says in the page what the load was before each table, and how long each took.
set -euo pipefail
cd "$(dirname "$0")/.."
script=bench/publish.sh
page=bench/RESULTS.md

# tables: NAME, how its output becomes a table, and the command, a line each. {FULL/QUICK} is the first, or with --quick the second.
tables() {
  cat <<'TABLES'
costs text go test ./bench/costs -count=1
tells trials coherer bench local-tell,remote-tell --size 64B,1KiB,64KiB --in-flight 64 --duration {1s/100ms} --trials {5/1} -o csv
asks trials coherer bench local-ask,remote-ask --size 64B,1KiB,64KiB --in-flight 64 --duration {1s/100ms} --trials {5/1} -o csv
depth trials coherer bench local-tell,local-ask,remote-ask --size 64B --in-flight 1,1024,8192,65536 --duration {1s/100ms} --trials {3/1} -o csv
floods trials coherer bench one-way,fan-in,fan-out --size 64B,1KiB --duration {1s/100ms} --trials {3/1} -o csv
operations trials coherer bench endpoint-spawn,connect --in-flight 1,64 --duration {1s/100ms} --trials {3/1} -o csv
neighbour gobench:us-p50,us-p99,us-max go test ./rpcenv -run '^$' -bench Neighbour -benchtime {20000x/2000x} -count {3/1}
memory gobench:MiB-heap go test ./rpcenv -run '^$' -bench TooFast -benchtime 1x
spark trials coherer bench one-way,remote-tell,remote-ask --size 64B,1KiB --duration {2s/200ms} --trials {3/1} --contenders coherer,spark -o csv
flows trials coherer bench register-worker,heartbeat,launch-executor,launch-task,allocate-container --pairs {100,1000/100} --duration {2s/200ms} --trials {3/1} --rivals none -o csv
recording gobench:ns-none,ns-ring,%-ring,ns-record,%-record go test ./rpcenv -run '^$' -bench TraceCost -benchtime {41x/3x}
endpoints gobench:ns/op,B/endpoint,B/side go test ./rpcenv -run '^$' -bench 'Idle|Close' -benchtime 1x -count {3/1}
tasks gobench:tasks/s,ns/op go test ./cluster/local -run '^$' -bench '{Tasks/Tasks/.*/tasks=25000}' -benchtime 1x -count {2/1}
jobs gobench:ms-p50,ms-p99 go test ./cluster/local -run '^$' -bench 'Job/' -benchtime {3000x/300x} -count {3/1}
allocation gobench:ns/op,s-all go test ./cluster/local -run '^$' -bench DynamicAllocation -benchtime 1x -count {3/1}
cached gobench:ms-first,ms-second,times-faster go test ./cluster/local -run '^$' -bench CachedPass -benchtime {5x/1x} -count {3/1}
terasort text bench/terasort.sh {10000000/100000} {3/1}
register gobench:ns/op go test ./cluster/local -run '^$' -bench '{Register/Register/workers=[12]000}' -benchtime 1x -count {3/1}
start gobench:ns/op,MB-resident go test ./cluster/local ./cmd/coherer -run '^$' -bench '^BenchmarkStart$|Thousand|Daemon' -benchtime {5x/1x} -count {3/1}
words gobench:MB/s,allocs/op go test ./actors/rdd ./examples/wordcount/job -run '^$' -bench 'WordCountMapSide|MostFrequent' -benchmem -benchtime {10x/2x} -count {3/1}
master gobench:thread-cpu-ms/op,executors,ns/op go test ./actors/master -run '^$' -bench Schedule -benchtime {5x/1x} -count {3/1}
heartbeats gobench:msgs/s,cores-of-master go test ./cmd/coherer -run '^$' -bench Heartbeats -benchtime {60000x/10000x}
recovery gobench:s/run,workers/s,cpu-s/run,s-election/run go test ./cluster/recovery -run '^$' -bench 'Registration|Recovery' -benchtime 1x -count {3/1}
election gobench:ns/op,s-longest go test ./cmd/coherer -run '^$' -bench Election -benchtime {10x/1x}
gossip gobench:join-ms,crash-ms go test ./cluster/gossip -run '^$' -bench Convergence -benchtime {3x/1x}
ring gobench:join-ms,settled-ms,crash-ms,packets/s,B/s,%-core,suspicions/min,failures/min,busy-crash-ms go test ./cluster/gossip -run '^$' -bench Ring -benchtime 1x -members=200 -window=10s
scheduler gobench:allocations/cpu-s,p50-us,p99-us go test ./actors/resourcemanager/fair -run '^$' -bench Fill -benchtime 2x -count {5/1}
lives gobench:lives/cpu-s,p50-us,p99-us go test ./actors/resourcemanager/fair -run '^$' -bench Steady -benchtime {20x/5x} -count {5/1}
shares gobench:ns/op go test ./actors/resourcemanager/fair -run '^$' -bench 'Shares|Allocations|Update|Preempt' -benchtime {20x/2x} -count {3/1}
containers gobench:ms-p50,ms-p99 go test ./actors/resourcemanager -run '^$' -bench Allocation -benchtime {20x/3x}
nodes gobench:heartbeats/s go test ./actors/resourcemanager -run '^$' -bench NodeHeartbeats -benchtime {20000x/2000x} -count {3/1}
worlds gobench:beats/s,ns/op,sys-MB go test ./rpcenv/sim -run '^$' -bench Heartbeats -benchtime 1x -count {3/1}
losses text go run ./bench/publish losses bench/RESULTS.md
TABLES
}

list() { # a line NAME<tab>COMMAND for each table, as $1 (full or quick) has it
  tables | while read -r name _ command; do printf '%s\t%s\n' "$name" "$(chosen "$1" "$command")"; done
}

chosen() { # command $2 as $1 has it
  if [ "$1" = quick ]; then sed 's,{[^/}]*/\([^}]*\)},\1,g' <<<"$2"; else sed 's,{\([^/}]*\)/[^}]*},\1,g' <<<"$2"; fi
}

mode=full resume=
names=()
while [ $# -gt 0 ]; do
  case $1 in
  -l) list $mode && exit ;;
  --quick) mode=quick ;;
  --resume) resume=1 ;;
  -*) sed -n '2,10s/^# \{0,1\}//p' "$script" >&2 && exit 2 ;;
  *)
    if ! tables | cut -d ' ' -f1 | grep -qxF -- "$1"; then
      echo "publish.sh: there is no table $1; publish.sh -l lists them" >&2
      exit 2
    fi
    names+=("$1")
    ;;
  esac
  shift
done
[ ${#names[@]} -gt 0 ] || while read -r name _; do names+=("$name"); done < <(tables)

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
go build -o "$tmp/" ./cmd/coherer ./bench/publish
PATH=$tmp:$PATH
commit=$(git rev-parse --short=10 HEAD)
[ -z "$(git status --porcelain -- . ":!$page")" ] || commit+=+

where() { # the machine, in a few words
  local cpu
  cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
  echo "${cpu:-$(uname -m)}, $(getconf _NPROCESSORS_ONLN) cores, $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)"
}

load() { uptime | sed 's/.*load averages\{0,1\}: *\([0-9.]*\).*/\1/'; }

has() { # the page has table $1 by command $2 of this commit
  publish section $page "$1" >"$tmp/had"
  grep -qF "commit $commit," "$tmp/had" && grep -qxF "    $2" "$tmp/had"
}

measure() { # table $1 into the page
  local format command before started
  read -r _ format command < <(tables | grep "^$1 ")
  command=$(chosen $mode "$command")
  if [ -n "$resume" ] && [ "$1" != losses ] && has "$1" "$command"; then
    echo "$1: this commit has it"
    return
  fi
  echo "$1: $command"
  before=$(load) started=$SECONDS
  if ! bash -c "$command" >"$tmp/out" 2>"$tmp/err"; then
    cat "$tmp/out" "$tmp/err" | tail -n 20 >&2
    echo "publish.sh: table $1 stays as it was: its command failed" >&2
    return 1
  fi
  {
    printf '    %s\n\n%s, commit %s, %s, load before %s, %d s\n\n' "$command" "$(where)" "$commit" "$(date +%Y-%m-%d)" "$before" $((SECONDS - started))
    case $format in
    trials) publish trials <"$tmp/out" ;;
    # shellcheck disable=SC2046 # a word per unit
    gobench:*) publish gobench $(tr , ' ' <<<"${format#*:}") <"$tmp/out" ;;
    text) if [ "$1" = costs ]; then sed '1,/^$/d' bench/costs/testdata/costs.md; else cat "$tmp/out"; fi ;;
    esac
  } >"$tmp/section"
  publish insert $page "$1" <"$tmp/section"
}

failed=0
for name in "${names[@]}"; do measure "$name" || failed=1; done
# What the tables say of rivals may have changed.
case " ${names[*]} " in *" losses "*) ;; *) measure losses || failed=1 ;; esac
exit $failed
