"""Writes Spark's answers for the operations of package rdd: README.md says how to run it."""

import base64
import bz2
import gzip
import json
import os
import random
import shutil
import sys
import tempfile
import zlib

from pyspark import SparkConf, SparkContext

OUT = sys.argv[1]
conf = SparkConf().setMaster("local[2]").setAppName("answers").set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
conf.set("spark.driver.bindAddress", "127.0.0.1").set("spark.driver.host", "127.0.0.1")
sc = SparkContext(conf=conf)
sc.setLogLevel("OFF")
jsc, jvm = sc._jsc, sc._jvm
pick = random.Random(1)


# Inputs: lists of partitions.

def dealt(items, partitions):
    """The items, each in a partition chosen by chance: some stay empty."""
    out = [[] for _ in range(partitions)]
    for v in items:
        out[pick.randrange(partitions)].append(v)
    return out


WORDS = ["", "a", "b", "ab", "B", "zebra", "Zebra", "ä", "é", "ß", "日本", "日", "\u00ff", "a b", "\t", "0", "-1", "10", "9", "naïve", "Ω", "\uffee"]

INTS = [
    [[]], [[], []], [[7]], [[], [7], []], [[3, 1, 2]], [[1, 2], [3]], [[5, 5, 5, 5], [5, 5]], [[0, -1, -2147483648, 2147483647], [], [-1, 0]],
    [[], [], list(range(10)), []], [[10, 9], [8, 7], [6, 5], [4]], dealt([pick.randrange(-20, 20) for _ in range(60)], 4),
    dealt([pick.randrange(1 << 30) for _ in range(80)], 7), dealt([1] * 50 + list(range(10)), 3), [[3000000000, 2999999999], [9007199254740991]],
    [list(range(i, i + 5)) for i in range(0, 50, 5)],
]
STRINGS = [
    [[]], [[], ["x"], []], [["b", "a"], ["c"]], [WORDS], dealt(WORDS, 3), dealt(WORDS * 3, 5), [["a"] * 9, ["a"], []],
    dealt(["w%d" % pick.randrange(30) for _ in range(70)], 4),
]


def with_values(parts):
    """Pairs: each item with a number that tells it from its like."""
    at = 0
    out = []
    for p in parts:
        out.append([])
        for v in p:
            out[-1].append([v, at * 7 % 23 - 5])
            at += 1
    return out


KINDS = {"int": INTS, "string": STRINGS}
SECOND = {
    "int": [[[]], [[7, 5], [], [1, 1]], dealt([pick.randrange(-20, 20) for _ in range(30)], 3)],
    "string": [[[]], [["a", "x"], ["a"]], dealt(WORDS[:9] * 2, 2)],
}


turn = 0


def next_of(choices):
    """One of the choices, each in turn: a case for each combination would take Spark hours."""
    global turn
    turn += 1
    return [choices[turn % len(choices)]]


# Inputs for Spark.

def tuple2(kv):
    return jvm.scala.Tuple2(kv[0], kv[1])


def scala(parts):
    """A JavaRDD of exactly these partitions."""
    rdds = [jsc.parallelize(p, 1) for p in parts]
    return united(rdds)


def scala_pairs(parts):
    """A JavaPairRDD of exactly these partitions."""
    return united([jsc.parallelizePairs([tuple2(kv) for kv in p], 1) for p in parts])


def united(rdds):
    out = rdds[0]
    for r in rdds[1:]:
        out = out.union(r)
    return out


def python(parts):
    """A Python RDD of exactly these partitions."""
    return sc.parallelize(range(len(parts)), len(parts)).flatMap(lambda i: parts[i])


def python_pairs(parts):
    return python(parts).map(tuple)


# Answers as JSON.

def plain(v):
    """A value of the JVM or of Python as JSON has it; an Optional that is missing is null, one that is there a list of one."""
    if v is None or isinstance(v, (int, str, bool, float)):
        return v
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    name = v.getClass().getName()
    if name.startswith("scala.Tuple"):
        return [plain(v._1()), plain(v._2())]
    if name.endswith(".Optional"):
        return [plain(v.get())] if v.isPresent() else None
    if hasattr(v, "iterator"):
        out, it = [], v.iterator()
        while it.hasNext():
            out.append(plain(it.next()))
        return out
    raise TypeError(name)


def glom(rdd):
    """The partitions of an RDD of either kind."""
    if hasattr(rdd, "_jrdd"):
        return plain(rdd.glom().collect())
    if rdd.getNumPartitions() == 0:
        return []
    return plain(list(rdd.glom().collect()))


cases = {}


def case(group, op, answer, **of):
    """Adds a case: of is its input. An exception of Spark is an answer, too."""
    try:
        of["answer"] = answer()
    except Exception as e:  # noqa: BLE001 # whatever Spark throws
        if os.environ.get("ANSWERS_DEBUG"):
            print(op, of, e, file=sys.stderr)
        of["fails"] = True
    cases.setdefault(group, []).append({"op": op, **of})


def entries(m):
    """A Java Map as sorted pairs."""
    return sorted(([plain(e.getKey()), plain(e.getValue())] for e in m.entrySet()), key=lambda e: str(e))


def sources():
    for items in [[], [1], list(range(7)), [-3, -2, 5, 5]]:
        for n in [1, 2, 3, 8]:
            case("sources", "Parallelize", lambda: glom(jsc.parallelize(items, n)), kind="int", left=[items], n=n)
    for a, b, n in [(0, 10, 3), (-5, 5, 4), (5, 5, 2), (3, 1, 2), (0, 2, 5), (0, 1, 1), (-2147483648, -2147483640, 3)]:
        case("sources", "Range", lambda: glom(jsc.sc().range(a, b, 1, n).toJavaRDD()), kind="int", left=[[a, b]], n=n)


def narrow():
    for kind, inputs in KINDS.items():
        for x in inputs:
            c = lambda op, f, **of: case("narrow", op, f, kind=kind, left=x, **of)
            if x in inputs[::3]:
                functions(kind, x)
            c("ZipWithIndex", lambda: glom(scala(x).zipWithIndex()))
            for n in [1, 2, 3]:
                c("Coalesce", lambda: glom(scala(x).coalesce(n)), n=n)
            p = with_values(x)
            d = lambda op, f, **of: case("narrow", op, f, kind=kind, left=p, **of)
            d("Keys", lambda: glom(scala_pairs(p).keys()))
            d("Values", lambda: glom(scala_pairs(p).values()))
            for y in next_of(SECOND[kind]) + [x]:
                c("Union", lambda: glom(scala(x).union(scala(y))), right=y)
                c("Cartesian", lambda: glom(scala(x).cartesian(scala(y))), right=y)
                c("Zip", lambda: glom(scala(x).zip(scala(y))), right=y)


def functions(kind, x):
    c = lambda op, f: case("narrow", op, f, kind=kind, left=x)
    c("Map", lambda: glom(python(x).map(lambda v: v * 2)))
    c("Filter", lambda: glom(python(x).filter(lambda v: len(str(v)) % 2 == 0)))
    c("FlatMap", lambda: glom(python(x).flatMap(lambda v: [v] * (len(str(v)) % 3))))
    c("MapPartitions", lambda: glom(python(x).mapPartitions(lambda it: [sum(1 for _ in it)])))
    c("MapPartitionsWithIndex", lambda: glom(python(x).mapPartitionsWithIndex(lambda i, it: [[i, v] for v in it])))
    c("KeyBy", lambda: glom(python(x).keyBy(lambda v: len(str(v)))))
    p = with_values(x)
    d = lambda op, f: case("narrow", op, f, kind=kind, left=p)
    d("MapValues", lambda: glom(python_pairs(p).mapValues(lambda v: v - 1)))
    d("FlatMapValues", lambda: glom(python_pairs(p).flatMapValues(lambda v: range(v % 3))))


def shuffled():
    for kind, inputs in KINDS.items():
        for x in inputs:
            for n in next_of([1, 3, 4]):
                c = lambda op, f, **of: case("shuffled", op, f, kind=kind, left=x, n=n, **of)
                c("Repartition", lambda: glom(scala(x).repartition(n)))
                c("Distinct", lambda: glom(scala(x).distinct(n)))
                for y in next_of(SECOND[kind] + [x]):
                    case("shuffled", "Intersection", lambda: glom(scala(x).intersection(scala(y))), kind=kind, left=x, right=y, n=max(len(x), len(y)))
                    c("Subtract", lambda: glom(scala(x).subtract(scala(y), n)), right=y)
                p = with_values(x)
                d = lambda op, f, **of: case("shuffled", op, f, kind=kind, left=p, n=n, **of)
                d("GroupByKey", lambda: glom(scala_pairs(p).groupByKey(n)))
                if x not in inputs[::2]:
                    continue
                d("ReduceByKey", lambda: glom(python_pairs(p).reduceByKey(lambda a, b: a + b, n)))
                d("FoldByKey", lambda: glom(python_pairs(p).foldByKey(10, lambda a, b: a + b, n)))
                d("AggregateByKey", lambda: glom(python_pairs(p).aggregateByKey(100, lambda c, v: max(c - 1, v), lambda a, b: a + b, n)))
                d("CombineByKey", lambda: glom(python_pairs(p).combineByKey(lambda v: 1, lambda c, v: c + 1, lambda a, b: a + b, n)))


def joined():
    for kind, inputs in KINDS.items():
        for x in inputs:
            for y in next_of(SECOND[kind]):
                p, q = with_values(x), with_values(y)
                for n in next_of([1, 4, 3]):
                    c = lambda op, f: case("joined", op, lambda: glom(f(scala_pairs(p), scala_pairs(q))), kind=kind, left=p, right=q, n=n)
                    c("Join", lambda a, b: a.join(b, n))
                    c("LeftOuterJoin", lambda a, b: a.leftOuterJoin(b, n))
                    c("RightOuterJoin", lambda a, b: a.rightOuterJoin(b, n))
                    c("FullOuterJoin", lambda a, b: a.fullOuterJoin(b, n))
                    c("CoGroup", lambda a, b: a.cogroup(b, n))
                    c("SubtractByKey", lambda a, b: a.subtractByKey(b, n))


def sorts():
    for kind, inputs in KINDS.items():
        for x in inputs + [dealt(range(200), 5), dealt([i * i % 97 for i in range(150)], 6)] * (kind == "int"):
            p = with_values(x)
            for n in [2] + next_of([1, 3, 8]):
                for op, up in [("SortByKey", True), ("SortByKeyDescending", False)]:
                    case("sorts", op, lambda: glom(scala_pairs(p).sortByKey(up, n)), kind=kind, left=p, n=n)


def actions():
    for kind, inputs in KINDS.items():
        for x in inputs:
            c = lambda op, f, **of: case("actions", op, f, kind=kind, left=x, **of)
            c("Count", lambda: scala(x).count())
            c("IsEmpty", lambda: scala(x).isEmpty())
            c("First", lambda: scala(x).first())
            if x in inputs[::2]:
                c("Min", lambda: python(x).min())
                c("Max", lambda: python(x).max())
            c("Collect", lambda: plain(list(scala(x).collect())))
            c("CountByValue", lambda: entries(scala(x).countByValue()))
            for n in next_of([0, 1000]) + [3]:
                c("Take", lambda: plain(list(scala(x).take(n))), n=n)
                c("TakeOrdered", lambda: plain(list(scala(x).takeOrdered(n))), n=n)
                c("Top", lambda: plain(list(scala(x).top(n))), n=n)
            p = with_values(x)
            d = lambda op, f, **of: case("actions", op, f, kind=kind, left=p, **of)
            d("CountByKey", lambda: entries(scala_pairs(p).countByKey()))
            d("CollectAsMap", lambda: entries(scala_pairs(p).collectAsMap()))
            if kind == "int" and x in inputs[::2]:
                c("Reduce", lambda: python(x).reduce(lambda a, b: a + b))
                c("TreeReduce", lambda: python(x).treeReduce(lambda a, b: a + b))
                c("Fold", lambda: python(x).fold(10, lambda a, b: a + b))
                c("Aggregate", lambda: plain(python(x).aggregate((0, 1), lambda s, v: (s[0] + v, s[1] + 1), lambda a, b: (a[0] + b[0], a[1] + b[1]))))


def files():
    texts = [
        [""], ["\n"], ["a"], ["a\n"], ["a\nb"], ["a\n\nb\n\n"], ["a\r\nb\r\n"], ["ä\n日本\n"], ["x\n" * 40], ["x" * 50 + "\n" + "y\n" * 9],
        ["a\n", "b\n"], ["a\nb\nc\nd\n" * 8, "e\n", ""], ["long " * 30 + "\n", "b\n" * 70, "c"], ["", ""], ["%d\n" % i for i in range(5)],
        ["".join("%05d\n" % i for i in range(200))], ["q\n" * 100, "r\n" * 10, "s\n"],
    ]
    for text in texts:
        for n in next_of([1, 2]) + next_of([3, 7]):
            folder = tempfile.mkdtemp()
            for i, t in enumerate(text):
                with open(os.path.join(folder, "f%d" % i), "w", encoding="utf-8", newline="") as f:
                    f.write(t)
            case("files", "TextFile", lambda: glom(jsc.textFile(folder, n)), left=[text], n=n)
            shutil.rmtree(folder)
    for kind, inputs in KINDS.items():
        for x in inputs:
            save("SaveAsTextFile", kind, x, scala)
            save("SavePairsAsTextFile", kind, with_values(x), scala_pairs)


def save(op, kind, x, rdd):
    folder = os.path.join(tempfile.mkdtemp(), "out")

    def answer():
        rdd(x).saveAsTextFile(folder)
        out = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as f:
                if not name.startswith("."):  # the checksums of Hadoop's local file system
                    out.append([name, f.read()])
        return out

    case("files", op, answer, kind=kind, left=x)


def compressed():
    text = "ä\n" + "".join("line %d\r\n" % i for i in range(30)) + "\nlast"
    squeeze = {".gz": lambda b: gzip.compress(b, mtime=0), ".bz2": bz2.compress, ".deflate": zlib.compress}
    for end, f in squeeze.items():
        for t in [text, text + "\n", "", "\n", "x" * 3000]:
            for n in [1, 3]:
                folder = tempfile.mkdtemp()
                data = f(t.encode())
                with open(os.path.join(folder, "f" + end), "wb") as out:
                    out.write(data)
                case("compressed", "TextFile", lambda: glom(jsc.textFile(folder, n)), left=[["f" + end, base64.b64encode(data).decode()]], n=n)
                shutil.rmtree(folder)


os.makedirs(OUT, exist_ok=True)
for ask in [globals()[name] for name in sys.argv[2:]] or [sources, sorts, files, compressed, joined, actions, shuffled, narrow]:
    pick.seed(ask.__name__)
    ask()
    group, all_of = ask.__name__, cases[ask.__name__]
    with open(os.path.join(OUT, group + ".json"), "w", encoding="utf-8") as f:
        f.write('{"spark": "%s", "cases": [\n' % sc.version)
        f.write(",\n".join(json.dumps(c, ensure_ascii=False, sort_keys=True) for c in all_of))
        f.write("\n]}\n")
    print(group, len(all_of), "cases,", sum("fails" in c for c in all_of), "fail", flush=True)
sc.stop()
