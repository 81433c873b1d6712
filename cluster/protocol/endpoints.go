package protocol

// home is the part of an endpoint's description that the source lacks.
type home struct{ where, spark string }

// homes are the endpoints by name. A test wants a row for each.
var homes = map[string]home{
	"endpoint-verifier":           {"every process that listens", "org.apache.spark.rpc.netty.RpcEndpointVerifier"},
	"Master":                      {"the Master", "org.apache.spark.deploy.master.Master"},
	"Worker":                      {"a Worker", "org.apache.spark.deploy.worker.Worker"},
	"WorkerWatcher":               {"an executor that a Worker started", "org.apache.spark.deploy.worker.WorkerWatcher"},
	"client":                      {"a client that submits a driver in cluster mode", "org.apache.spark.deploy.ClientEndpoint"},
	"AppClient":                   {"the driver", "org.apache.spark.deploy.client.StandaloneAppClient.ClientEndpoint"},
	"CoarseGrainedScheduler":      {"the driver", "org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend.DriverEndpoint"},
	"DAGScheduler":                {"the driver", "org.apache.spark.scheduler.DAGScheduler, which is no endpoint there but an event loop"},
	"HeartbeatReceiver":           {"the driver", "org.apache.spark.HeartbeatReceiver"},
	"MapOutputTracker":            {"the driver", "org.apache.spark.MapOutputTrackerMasterEndpoint"},
	"OutputCommitCoordinator":     {"the driver", "org.apache.spark.scheduler.OutputCommitCoordinator.OutputCommitCoordinatorEndpoint"},
	"barrierSync":                 {"the driver", "org.apache.spark.BarrierCoordinator"},
	"BlockManagerMaster":          {"the driver", "org.apache.spark.storage.BlockManagerMasterEndpoint"},
	"BlockManagerMasterHeartbeat": {"the driver", "org.apache.spark.storage.BlockManagerMasterHeartbeatEndpoint"},
	"ExternalShuffleService":      {"a Worker with spark.shuffle.service.enabled, a NodeManager with the auxiliary service spark_shuffle", "org.apache.spark.deploy.ExternalShuffleService, which is no endpoint there but a server of its own"},
	"Executor":                    {"an executor", "org.apache.spark.executor.CoarseGrainedExecutorBackend"},
	"ClientRMService":             {"the ResourceManager", "org.apache.hadoop.yarn.server.resourcemanager.ClientRMService"},
	"ApplicationMasterService":    {"the ResourceManager", "org.apache.hadoop.yarn.server.resourcemanager.ApplicationMasterService"},
	"ResourceTracker":             {"the ResourceManager", "org.apache.hadoop.yarn.server.resourcemanager.ResourceTrackerService"},
	"Scheduler":                   {"the ResourceManager", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler, which is no endpoint there"},
	"Election":                    {"a Master, in recovery mode RAFT", ""},
	"YarnClient":                  {"a client that submits an application to YARN", "org.apache.hadoop.yarn.client.api.impl.YarnClientImpl under org.apache.spark.deploy.yarn.Client, which are no endpoints there"},
	"YarnScheduler":               {"the driver of an application on YARN", "org.apache.spark.scheduler.cluster.YarnSchedulerBackend.YarnSchedulerEndpoint"},
	"LiveListenerBus":             {"the driver, with an event log or pages", "org.apache.spark.scheduler.LiveListenerBus, which is no endpoint there but threads with queues"},
	"ExecutorAllocationManager":   {"the driver, with dynamic allocation", "org.apache.spark.ExecutorAllocationManager, which is no endpoint there but a thread"},
	"YarnAM":                      {"an ApplicationMaster, in cluster mode with the driver", "org.apache.spark.deploy.yarn.ApplicationMaster.AMEndpoint, with the thread Reporter"},
	"Progress":                    {"the driver", ""},
	"Tracer":                      {"every daemon, driver and executor", ""},
	"Metrics":                     {"every daemon, driver and executor", ""},
	"ContainerManager":            {"a NodeManager", "org.apache.hadoop.yarn.server.nodemanager.containermanager.ContainerManagerImpl"},
	"Membership":                  {"every daemon that hears of others by gossip", ""},
}

// senders are the Envs and bodies that send messages and are no endpoints.
var senders = map[string]string{
	"REST":               "the Master's server for submissions by HTTP",
	"driverPropsFetcher": "the short-lived Env of an executor's process that asks the driver for its settings",
	"main":               "the body of the application's program",
}
