// Package mapoutput has the endpoint MapOutputTracker: where the outputs of finished map tasks lie. Reduce tasks ask it
// before they fetch. It owns the book of statuses. Only DAGScheduler changes it: it registers each output before it submits
// the tasks that read it, so that no question comes too early. A long list goes by broadcast (Config): executors have most of its
// pieces from each other. It mirrors org.apache.spark.MapOutputTrackerMaster and its MapOutputTrackerMasterEndpoint.
package mapoutput
