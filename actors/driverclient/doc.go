// Package driverclient is the endpoint that submits a driver in cluster mode to the Masters of a standalone cluster, ends one,
// or asks for its state. It mirrors org.apache.spark.deploy.Client and its ClientEndpoint, the way of spark-submit without
// REST.
//
// It asks all Masters side by side. One that does not lead says so, by a text that begins with "Current state is not alive",
// and its answer counts for nothing. After a submission it asks for the state of the driver, 5 s later and then each 10 s: at
// the first answer the process ends with code 0, or, with spark.standalone.submit.waitAppCompletion, at the first answer by
// which the driver has ended, however it did. Any fault ends it with 255, Spark's -1.
package driverclient
