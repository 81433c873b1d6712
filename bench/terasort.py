"""pyspark's part of bench/terasort.sh: sorts the lines of a folder by their first ten bytes and saves them."""

import sys

from pyspark import SparkContext

source, target, partitions = sys.argv[1], sys.argv[2], int(sys.argv[3])
sc = SparkContext(appName="terasort")
pairs = sc.textFile(source, partitions).map(lambda line: (line[:10], line[10:]))
pairs.sortByKey(numPartitions=partitions).map(lambda pair: pair[0] + pair[1]).saveAsTextFile(target)
sc.stop()
