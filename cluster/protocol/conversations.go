package protocol

// conversations are in the order in which a cluster holds them.
var conversations = []conversation{
	{"worker-registration", "A Worker joins a Master", "application", []string{
		"=> endpoint-verifier CheckExistence", "<= CheckExistence", "-> Master RegisterWorker", "-> Worker RegisteredWorker",
		"-> Master WorkerLatestState", "-> Master Heartbeat",
	}},
	{"application-registration", "An application registers with the Master", "application", []string{
		"-> Worker RegisteredWorker", "=> endpoint-verifier CheckExistence", "<= CheckExistence", "-> Master RegisterApplication",
		"-> AppClient RegisteredApplication", "-> CoarseGrainedScheduler Connected",
	}},
	{"driver-submission", "A driver in cluster mode is submitted, ordered of a Worker, and asked for", "cluster_mode", []string{
		"=> Master RequestSubmitDriver", "-> Worker LaunchDriver", "<= RequestSubmitDriver",
		"=> Master RequestDriverStatus", "<= RequestDriverStatus",
	}},
	{"driver-kill", "A driver in cluster mode is killed", "cluster_mode", []string{
		"=> Master RequestKillDriver", "-> Worker KillDriver", "<= RequestKillDriver", "=> Master DriverStateChanged",
		"<= DriverStateChanged",
	}},
	{"executor-launch", "The Master orders an executor, its Worker starts it", "application", []string{
		"-> Master RegisterApplication", "-> Worker LaunchExecutor", "-> AppClient ExecutorAdded",
		"=> Master ExecutorStateChanged", "-> AppClient ExecutorUpdated", "<= ExecutorStateChanged",
	}},
	{"executor-registration", "An executor registers with its driver", "application", []string{
		"=> CoarseGrainedScheduler RetrieveSparkAppConfig", "<= RetrieveSparkAppConfig",
		"=> CoarseGrainedScheduler RegisterExecutor", "<= RegisterExecutor", "-> Executor RegisteredExecutor",
		"=> BlockManagerMaster RegisterBlockManager", "<= RegisterBlockManager", "-> CoarseGrainedScheduler LaunchedExecutor",
	}},
	{"block-manager-registration", "An executor's block manager enters the driver's book", "application", []string{
		"-> BlockManagerMaster ExecutorChange", "=> BlockManagerMaster RegisterBlockManager", "<= RegisterBlockManager",
	}},
	{"job", "A job is submitted, runs its stages and is answered", "application", []string{
		"=> DAGScheduler JobSubmitted", "-> MapOutputTracker RegisterShuffle", "-> CoarseGrainedScheduler SubmitTasks",
		"-> Executor LaunchTask", "-> CoarseGrainedScheduler StatusUpdate", "-> DAGScheduler CompletionEvent",
		"-> CoarseGrainedScheduler SubmitTasks", "-> Executor LaunchTask", "-> DAGScheduler CompletionEvent", "<= JobSubmitted",
	}},
	{"task-launch", "A task is launched, runs and reports its end", "application", []string{
		"-> CoarseGrainedScheduler SubmitTasks", "-> Executor LaunchTask", "-> CoarseGrainedScheduler StatusUpdate",
		"-> CoarseGrainedScheduler StatusUpdate", "-> DAGScheduler CompletionEvent",
	}},
	{"map-outputs", "Map outputs are entered, and a task of the next stage asks for them", "application", []string{
		"-> MapOutputTracker RegisterShuffle", "-> DAGScheduler CompletionEvent", "-> MapOutputTracker RegisterMapOutput",
		"-> MapOutputTracker IncrementEpoch", "-> CoarseGrainedScheduler SubmitTasks", "-> Executor LaunchTask",
		"=> MapOutputTracker GetMapOutputStatuses", "<= GetMapOutputStatuses",
	}},
	{"executor-heartbeat", "An executor reports to its driver that it lives", "silent_executor", []string{
		"=> HeartbeatReceiver Heartbeat", "<= Heartbeat",
	}},
	{"worker-heartbeat", "A Worker that was given up is heard again and registers", "silent_worker", []string{
		"-> Worker RegisteredWorker", "-> Master Heartbeat", "-> Worker ReconnectWorker", "=> endpoint-verifier CheckExistence",
		"<= CheckExistence", "-> Master RegisterWorker", "-> Worker RegisteredWorker", "-> Master WorkerLatestState",
	}},
	{"worker-suspicion", "A Worker is frozen: the others miss it, its Master gives it up, and takes it back", "frozen", []string{
		"-> Master MemberSuspected", "=> endpoint-verifier CheckExistence", "-> Master MemberFailed", "-> Master MemberJoined",
		"-> Worker ReconnectWorker", "=> endpoint-verifier CheckExistence", "<= CheckExistence", "-> Master RegisterWorker",
		"-> Worker RegisteredWorker", "-> Master WorkerLatestState",
	}},
	{"executor-expiry", "A silent executor is given up and replaced", "silent_executor", []string{
		"-> CoarseGrainedScheduler ExpireExecutor", "=> AppClient KillExecutors", "-> Executor StopExecutor",
		"-> HeartbeatReceiver ExecutorChange", "=> Master KillExecutors", "-> Worker KillExecutor", "-> Worker LaunchExecutor",
		"-> AppClient ExecutorAdded", "<= KillExecutors", "<= KillExecutors",
	}},
	{"worker-loss", "A Worker dies, and with it an executor", "worker_death", []string{
		"-> AppClient ExecutorUpdated state=LOST", "-> AppClient WorkerRemoved", "-> CoarseGrainedScheduler ExecutorRemoved",
		"-> CoarseGrainedScheduler WorkerRemoved",
	}},
	{"task-kill", "A job fails, and what runs of it is killed", "job_fails", []string{
		"-> CoarseGrainedScheduler ExecutorRemoved", "-> DAGScheduler TaskSetFailed", "-> CoarseGrainedScheduler CancelTasks",
		"-> Executor KillTask", "-> CoarseGrainedScheduler StatusUpdate",
	}},
	{"application-end", "An application ends in good order", "application", []string{
		"=> CoarseGrainedScheduler StopExecutors", "-> Executor StopExecutor", "=> CoarseGrainedScheduler StopDriver",
		"=> AppClient StopAppClient", "-> Master UnregisterApplication", "-> Worker KillExecutor", "-> Worker ApplicationFinished",
		"=> Master ExecutorStateChanged", "<= ExecutorStateChanged",
	}},
	{"application-removal", "The Master gives an application up", "application_removed", []string{
		"=> Master ExecutorStateChanged state=EXITED", "-> AppClient ExecutorUpdated state=EXITED",
		"-> AppClient ApplicationRemoved", "-> Worker ApplicationFinished", "-> CoarseGrainedScheduler Dead",
		"-> DAGScheduler ApplicationDead",
	}},
}
