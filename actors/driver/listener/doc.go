// Package listener has the events of org.apache.spark.scheduler.SparkListener in the form in which Spark writes them to an event log:
// one JSON object a line, its key "Event" first, the others in the order of org.apache.spark.util.JsonProtocol, no blanks. Encode
// writes one, Decode reads one. What is encoded, decoded and encoded again is the same text, for each line that Spark 4.1 wrote.
//
// Times are in milliseconds of the Unix epoch, durations in milliseconds unless a field says nanoseconds, sizes in bytes. A field
// that Spark leaves out when it has no value is a pointer, or is marked omitzero.
//
//coherer:pure
package listener
