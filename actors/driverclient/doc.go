// Package driverclient is who submits a driver in cluster mode, ends one, or asks how one fares, at the Masters of a
// standalone cluster. It mirrors org.apache.spark.deploy.Client and its ClientEndpoint, the way of spark-submit that does
// not go by REST.
//
// All Masters are asked side by side. One that does not lead says so, by a text that begins with "Current state is not
// alive", and its answer counts for nothing. After a submission the state of the driver is asked for, 5 s later and then
// each 10 s: at the first answer the process ends with code 0, or, with spark.standalone.submit.waitAppCompletion, at the
// first answer by which the driver has ended, however it did. What goes wrong ends it with 255, Spark's -1.
//
// # Differences from Spark
//
//   - When no Master leads, a submission is repeated each 10 s for a minute, and then given up with 255; Spark's client waits
//     for ever. (TestASubmissionWaitsForALeader, TestNoLeaderIsTheEnd)
//   - When a Master takes too long to answer a submission the process ends with 255 and says that it may have been taken;
//     Spark's client waits for ever. (TestAnUnansweredSubmissionIsTheEnd)
//   - A Master that cannot be found is lost like one whose connection ends; Spark's client ends with an exception though
//     another Master may lead. (TestAMasterThatIsNotThereIsLost)
//   - A supervised driver that runs again under another id is followed there. (TestARelaunchedDriverIsFollowed)
//   - The state of a driver can be asked for by itself; Spark's client only submits and kills. (TestStatus)
package driverclient
