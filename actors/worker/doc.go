// Package worker is a standalone cluster's Worker: it offers a machine's cores and memory to a Master, starts and ends
// the executors that the Master orders, and reports what becomes of them. It mirrors
// org.apache.spark.deploy.worker.Worker and ExecutorRunner; [Watcher] is WorkerWatcher, by which an executor shares its
// Worker's fate.
//
// Registration: look the Master up by its verifier, send RegisterWorker, and when RegisteredWorker comes answer with
// WorkerLatestState and begin the heartbeats. All Masters are tried side by side; retries come after 5 to 15 s, later
// after 30 to 90 s (drawn once), and after spark.worker.maxRegistrationRetries of them the process ends with code 1.
// When the connection to the Master ends the Worker registers again; its executors run on.
//
// Executors: LaunchExecutor starts a process of the Host. The Worker sends itself [ExecutorStateChanged] at the process's start
// and end, changes its books and asks the Master to take note.
//
// Drivers in cluster mode: LaunchDriver has its program fetched ([Programs]) and started, again after 1, 2, 4 s and so on
// while it is supervised and fails; [DriverStateChanged] reports its end in the same way.
//
// The Worker keeps no socket, file, process or page: the Host starts processes, [Directories] removes what they leave,
// the endpoint Membership finds Masters that no setting names.
package worker
