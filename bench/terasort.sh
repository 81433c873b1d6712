#!/usr/bin/env bash
# Sorts records of 100 bytes with Coherer, pyspark and GNU sort, and prints a table.
#
#   bench/terasort.sh RECORDS TRIALS
#
# Coherer and pyspark have two executors of one core and 1 GiB, and read, sort and save 16 partitions; GNU sort has two threads and 1 GiB. The
# contenders take turns. A time is that of the whole command, from its start to its end: it has the start of the cluster. Each output is
# checked. pyspark is that of python3, else it is installed into a virtual environment; where that cannot be had, the table does without.
set -euo pipefail
cd "$(dirname "$0")/.."
records=$1 trials=$2
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_STATE_HOME=$tmp/state TMPDIR=$tmp
command -v coherer >"$tmp/found" || { go build -o "$tmp/" ./cmd/coherer && PATH=$tmp:$PATH; }
go build -o "$tmp/terasort" ./examples/terasort

run_coherer() { # of generate or sort
  coherer run --workers 2 --worker-cores 1 --worker-memory 1g --executor-memory 1g "$tmp/terasort" "$@" 16 >"$tmp/log" 2>&1
}

coherer_sort() { run_coherer sort "$tmp/in" "$tmp/out"; }
gnu_sort() {
  mkdir "$tmp/out"
  sort --parallel=2 -S 1G -T "$tmp" -s -k1.1,1.10 "$tmp"/in/part-* -o "$tmp/out/part-0" 2>"$tmp/log"
}
pyspark_sort() {
  "$(dirname "$PYSPARK_PYTHON")/spark-submit" --master 'local-cluster[2,1,1024]' --executor-memory 1g --conf spark.ui.enabled=false \
    bench/terasort.py "$tmp/in" "$tmp/out" 16 >"$tmp/log" 2>&1
}

contenders=(coherer gnu)
python=
if command -v java >"$tmp/found"; then
  python=python3
  if ! python3 -c 'import pyspark' 2>"$tmp/log"; then # as bench/spark does, one that is there is taken
    python=$tmp/venv/bin/python
    { python3 -m venv "$tmp/venv" && "$tmp/venv/bin/pip" install -q pyspark==4.1.4; } >"$tmp/log" 2>&1 || python=
  fi
fi
if [ -n "$python" ]; then
  contenders+=(pyspark)
  version=$("$python" -c 'import pyspark; print(pyspark.__version__)')
  PYSPARK_PYTHON=$(command -v "$python")
  SPARK_HOME=$("$python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))') # which executors of local-cluster want
  SPARK_WORKER_DIR=$tmp/work
  export PYSPARK_PYTHON SPARK_HOME SPARK_WORKER_DIR
else
  echo "terasort.sh: left out pyspark: it needs Java, python3 with venv, and a package index" >&2
fi

run_coherer generate "$records" "$tmp/in" || { tail "$tmp/log" >&2 && exit 1; }
want=$(cat "$tmp"/in/part-* | cksum)
bytes=$((records * 100))

check() { # that the output of $1 has all records, in order
  local lines
  lines=$(cat "$tmp"/out/part-* | wc -l)
  if [ "$lines" -ne "$records" ] || ! cat "$tmp"/out/part-* | cut -c1-10 | sort -c; then
    echo "terasort.sh: $1 gave $lines lines of $records, or they are not in order" >&2
    return 1
  fi
  # By the records' numbers the sorted are the generated, to the byte.
  if [ "$(cat "$tmp"/out/part-* | sort -S 512M -T "$tmp" -k1.12,1.27 | cksum)" != "$want" ]; then
    echo "terasort.sh: $1 gave other records" >&2
    return 1
  fi
}

now() { date +%s%N; }

for _ in $(seq "$trials"); do
  for c in "${contenders[@]}"; do
    rm -rf "$tmp/out"
    began=$(now)
    "${c}_sort" || { echo "terasort.sh: $c failed" >&2 && tail -n 20 "$tmp/log" >&2 && exit 1; }
    echo $(($(now) - began)) >>"$tmp/times.$c"
    check "$c"
  done
done

echo "| $((bytes / 1000000)) MB | s | MB/s | slowest s |"
echo "|---|---|---|---|"
for c in "${contenders[@]}"; do
  case $c in gnu) name="GNU sort" ;; pyspark) name="pyspark $version" ;; *) name=$c ;; esac
  sort -n "$tmp/times.$c" | awk -v name="$name" -v bytes="$bytes" '{ t[NR] = $1 / 1e9 }
    END { m = NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2; printf "| %s | %.1f | %.1f | %.1f |\n", name, m, bytes / 1e6 / m, t[NR] }'
done
