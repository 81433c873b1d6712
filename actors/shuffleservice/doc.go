// Package shuffleservice has the endpoint ExternalShuffleService: it serves the map outputs of a host's executors in their place, so that
// an executor can end, or crash, and no map task runs again. A Worker has one with spark.shuffle.service.enabled, a NodeManager when
// yarn.nodemanager.aux-services names spark_shuffle. It mirrors org.apache.spark.deploy.ExternalShuffleService and
// org.apache.spark.network.yarn.YarnShuffleService, which share ExternalBlockHandler and ExternalShuffleBlockResolver.
//
// The daemon names each application before it starts the first of its executors (InitializeApplication). An executor registers with the
// directories in which it writes ([storage.RegisterShuffleExecutor]) and learns the port that serves blocks; this port goes into each of its
// MapStatus. When the executor has ended, the daemon sends ExecutorRemoved: what is no map output is removed. At the application's end
// the daemon asks StopApplication, and removes the rest when that is answered.
//
// Peers are not trusted. An application that the daemon has not named is refused, and so is a directory that lies outside of the daemon's
// own. Blocks are found by the numbers in their names, never by a path.
//
// The endpoint keeps the book. Files and the port are behind [Outputs], which package cluster supplies. Registrations end with the
// daemon's process: the executors end with it too, and the driver gives up the outputs of a Worker that is lost.
package shuffleservice
