// Package driverclient is the endpoint that submits a driver in cluster mode to the Masters of a standalone cluster, ends one,
// or asks for its state. It mirrors org.apache.spark.deploy.Client and its ClientEndpoint, the way of spark-submit without
// REST.
//
// It asks all Masters side by side. One that does not lead says so, by a text that begins with "Current state is not alive",
// and its answer counts for nothing. After a submission it asks for the state of the driver, 5 s later and then each 10 s: at
// the first answer the process ends with code 0, or, with spark.standalone.submit.waitAppCompletion, at the first answer by
// which the driver has ended, however it did. Any fault ends it with 255, Spark's -1.
//
// # Differences from Spark
//
//   - When no Master leads, the client repeats a submission each 10 s for a minute, and then gives up with 255; Spark's client
//     waits for ever. (TestASubmissionWaitsForALeader, TestNoLeaderIsTheEnd)
//   - When a Master takes too long to answer a submission the process ends with 255 and says that the Master may have taken it;
//     Spark's client waits for ever. (TestAnUnansweredSubmissionIsTheEnd)
//   - A Master that cannot be found is lost like one whose connection ends; Spark's client ends with an exception though
//     another Master may lead. (TestAMasterThatIsNotThereIsLost)
//   - The client follows a supervised driver that runs again under another id. (TestARelaunchedDriverIsFollowed)
//   - The client can ask for a driver's state alone; Spark's client only submits and kills. (TestStatus)
package driverclient
