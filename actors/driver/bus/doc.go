// Package bus has the endpoint LiveListenerBus: all events of an application in one order, which is that of an event log and of the
// pages of a running application. The driver's endpoints post the events of package event; the bus makes Spark's events of them
// (package listener), gives each the time at which it came, and hands it to its listeners: the event log and the status store (package
// status). It mirrors org.apache.spark.scheduler.LiveListenerBus with EventLoggingListener.
//
// Before the cluster manager has taken the application, events wait: the first to come out are LogStart, the resource profile, the
// driver's block manager, the settings, and the start of the application, then what waited. In Spark no job can be among that, as a
// SparkContext waits for the cluster manager.
//
// # The event log
//
// The bus writes no file: lines go in batches to a Log, which the process supplies, in a body beside the inbox, one batch at a time. At
// most spark.scheduler.listenerbus.eventqueue.capacity lines wait for it, besides those that begin the log; further ones are dropped, and
// the driver's log says how many. A Log that fails is used no more: the driver's log has one warning, and the application goes on. Stop
// waits until all lines are written.
//
// What Go does not have, as the processor time of a task, is 0. Peaks of memory are Go's, see peaksOf. The accumulators of a program are not
// in it.
package bus
