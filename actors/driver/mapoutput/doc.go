// Package mapoutput has the endpoint MapOutputTracker: where the outputs of finished map tasks lie. Reduce tasks ask it
// before they fetch. It owns the book of statuses; DAGScheduler, the only one who changes it, tells it of each output
// before it hands out the tasks that read it, so that no question overtakes the answer. It mirrors
// org.apache.spark.MapOutputTrackerMaster and its MapOutputTrackerMasterEndpoint.
//
// # Differences from Spark
//
//   - A question for an unknown shuffle fails at once; in Spark the asker waits for its time-out.
//     (TestTheBookOfMapOutputs)
//   - Long lists are not sent by broadcast. (TestALongListOfOutputsIsTheAnswerItself)
package mapoutput
