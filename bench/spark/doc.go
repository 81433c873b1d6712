// Package spark makes Spark's own RpcEnv a contender of the bench, where a Spark is found: the folder that SPARK_HOME names, or
// that of Python's pyspark. Its program is the Java in folder java, which the binary carries and javac compiles against Spark's
// jars; it wants a JDK of version 17 or later. It obeys the control lines of package bench.
//
// It does what Spark's roles do: endpoints handle one message at a time, the sender has an RpcEnv in client mode like an executor, and
// Netty and Java's serialization work between processes, not within one. A message is an object with one array, as long as protobuf's
// encoding at the other contenders; class names and the stream's head come on top, as for Spark's own messages. Settings are Spark's
// defaults, and the JVM opens to Netty what Spark's launcher opens.
//
// The JIT compiler needs longer than a fifth of a trial: the warm-up lasts 5 s and 200,000 messages, or 30 s. CPU time is that of the whole
// JVM. A JVM does not count allocations, so the report has none. Spark has no back-pressure: in a flood messages wait in both processes,
// bounded by the JVM's default heap, a fourth of the machine's memory.
package spark
