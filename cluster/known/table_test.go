package known

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/conf"
)

// defaults is Spark's own table (release 4.1), with the differences that are meant: spark.master.rest.enabled is off.
const defaults = `
spark.authenticate                                               bool             false
spark.barrier.sync.timeout                                       time in s        365d
spark.blockManager.port                                          port             0
spark.cores.max                                                  int
spark.dead.worker.persistence                                    int              15
spark.decommission.enabled                                       bool             false
spark.default.parallelism                                        int
spark.deploy.appIdPattern                                        string           app-%s-%04d
spark.deploy.defaultCores                                        int              2147483647
spark.deploy.driverIdPattern                                     string           driver-%s-%04d
spark.deploy.maxDrivers                                          int              2147483647
spark.deploy.maxExecutorRetries                                  int              10
spark.deploy.recoveryTimeout                                     time in s        = spark.worker.timeout
spark.deploy.retainedApplications                                int              200
spark.deploy.retainedDrivers                                     int              200
spark.deploy.spreadOutApps                                       bool             true
spark.deploy.spreadOutDrivers                                    bool             true
spark.driver.bindAddress                                         string           = spark.driver.host
spark.driver.blockManager.port                                   port             = spark.blockManager.port
spark.driver.cores                                               int              1
spark.driver.maxResultSize                                       size in bytes    1g
spark.driver.memory                                              size in MiB      1g
spark.driver.port                                                port             0
spark.driver.supervise                                           bool             false
spark.dynamicAllocation.cachedExecutorIdleTimeout                time in s        2147483647s
spark.dynamicAllocation.enabled                                  bool             false
spark.dynamicAllocation.executorAllocationRatio                  float            1
spark.dynamicAllocation.executorIdleTimeout                      time in s        1m
spark.dynamicAllocation.initialExecutors                         int              = spark.dynamicAllocation.minExecutors
spark.dynamicAllocation.maxExecutors                             int              2147483647
spark.dynamicAllocation.minExecutors                             int              0
spark.dynamicAllocation.schedulerBacklogTimeout                  time in s        1s
spark.dynamicAllocation.shuffleTracking.enabled                  bool             true
spark.dynamicAllocation.shuffleTracking.timeout                  time in ms
spark.dynamicAllocation.sustainedSchedulerBacklogTimeout         time in s        = spark.dynamicAllocation.schedulerBacklogTimeout
spark.excludeOnFailure.application.maxFailedExecutorsPerNode     int              2
spark.excludeOnFailure.application.maxFailedTasksPerExecutor     int              2
spark.excludeOnFailure.stage.maxFailedExecutorsPerNode           int              2
spark.excludeOnFailure.stage.maxFailedTasksPerExecutor           int              2
spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor           int              1
spark.excludeOnFailure.task.maxTaskAttemptsPerNode               int              2
spark.executor.cores                                             int
spark.executor.heartbeat.maxFailures                             int              60
spark.executor.heartbeatInterval                                 time in ms       10s
spark.executor.instances                                         int
spark.executor.logs.rolling.enableCompression                    bool             false
spark.executor.logs.rolling.maxRetainedFiles                     int              -1
spark.executor.logs.rolling.maxSize                              size in bytes    1m
spark.executor.logs.rolling.strategy                             |time|size
spark.executor.logs.rolling.time.interval                        daily|hourly|minutely|seconds daily
spark.executor.memory                                            size in MiB      1g
spark.executor.memoryOverheadFactor                              float            0.1
spark.executor.metrics.pollingInterval                           time in ms       0
spark.executor.minMemoryOverhead                                 size in MiB      384m
spark.locality.wait                                              time in ms       3s
spark.locality.wait.node                                         time in ms       = spark.locality.wait
spark.master.rest.enabled                                        bool             false
spark.master.rest.port                                           port             6066
spark.master.ui.port                                             port             8080
spark.network.maxRemoteBlockSizeFetchToMem                       size in bytes    200m
spark.network.timeout                                            time in s        2m
spark.network.timeoutInterval                                    time in ms       = spark.storage.blockManagerTimeoutIntervalMs
spark.port.maxRetries                                            int              16
spark.rpc.askTimeout                                             time in s        = spark.network.timeout
spark.rpc.lookupTimeout                                          time in s        = spark.network.timeout
spark.rpc.message.maxSize                                        int              128
spark.rpc.netty.dispatcher.numThreads                            int              
spark.driver.rpc.netty.dispatcher.numThreads                     int
spark.executor.rpc.netty.dispatcher.numThreads                   int
spark.scheduler.barrier.maxConcurrentTasksCheck.interval         time in s        15s
spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures      int              40
spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout     time in s        2m
spark.scheduler.listenerbus.eventqueue.capacity                  int              10000
spark.scheduler.maxRegisteredResourcesWaitingTime                time in ms       30s
spark.scheduler.minRegisteredResourcesRatio                      float
spark.scheduler.mode                                             FIFO|FAIR        FIFO
spark.scheduler.revive.interval                                  time in ms       1s
spark.shuffle.mapOutput.minSizeForBroadcast                      size in bytes    512k
spark.shuffle.registration.maxAttempts                           int              3
spark.shuffle.registration.timeout                               time in ms       5s
spark.shuffle.service.db.enabled                                 bool             true
spark.shuffle.service.enabled                                    bool             false
spark.shuffle.service.fetch.rdd.enabled                          bool             false
spark.shuffle.service.name                                       string           spark_shuffle
spark.shuffle.service.port                                       port             7337
spark.speculation                                                bool             false
spark.speculation.interval                                       time in ms       100ms
spark.speculation.minTaskRuntime                                 time in ms       100ms
spark.speculation.multiplier                                     float            3
spark.speculation.quantile                                       float            0.9
spark.stage.maxAttempts                                          int              2147483647
spark.stage.maxConsecutiveAttempts                               int              4
spark.standalone.executorRemoveDelayOnDisconnection              time in ms       5s
spark.standalone.submit.waitAppCompletion                        bool             false
spark.starvation.timeout                                         time in ms       15s
spark.storage.blockManagerHeartbeatTimeoutMs                     time in ms       = spark.network.timeout
spark.storage.blockManagerMasterDriverHeartbeatTimeoutMs         time in ms       10m
spark.storage.blockManagerTimeoutIntervalMs                      time in ms       1m
spark.submit.deployMode                                          client|cluster   client
spark.task.cpus                                                  int              1
spark.task.maxDirectResultSize                                   size in bytes    1m
spark.task.maxFailures                                           int              4
spark.task.reaper.killTimeout                                    time in ms       -1ms
spark.task.reaper.pollingInterval                                time in ms       10s
spark.worker.cleanup.appDataTtl                                  seconds          604800
spark.worker.cleanup.enabled                                     bool             true
spark.worker.cleanup.interval                                    seconds          1800
spark.worker.driverTerminateTimeout                              time in ms       10s
spark.worker.executorStateSync.maxAttempts                       int              5
spark.worker.initialRegistrationRetries                          int              6
spark.worker.maxRegistrationRetries                              int              16
spark.worker.preferConfiguredMasterAddress                       bool             false
spark.worker.timeout                                             seconds          60
spark.worker.ui.port                                             port
spark.worker.ui.retainedDrivers                                  int              1000
spark.worker.ui.retainedExecutors                                int              1000
spark.yarn.am.clientModeExitOnError                              bool             false
spark.yarn.am.clientModeTreatDisconnectAsFailed                  bool             false
spark.yarn.am.cores                                              int              1
spark.yarn.am.memory                                             size in MiB      512m
spark.yarn.am.waitTime                                           time in ms       100s
spark.yarn.applicationType                                       string           SPARK
spark.yarn.clientLaunchMonitorInterval                           time in ms       1s
spark.yarn.containerLauncherMaxThreads                           int              25
spark.yarn.executor.launch.excludeOnFailure.enabled              bool             false
spark.yarn.preserve.staging.files                                bool             false
spark.yarn.queue                                                 string           default
spark.yarn.report.interval                                       time in ms       1s
spark.yarn.report.loggingFrequency                               int              30
spark.yarn.scheduler.heartbeat.interval-ms                       time in ms       3s
spark.yarn.scheduler.initial-allocation.interval                 time in ms       200ms
spark.yarn.scheduler.reporterThread.maxFailures                  int              5
spark.yarn.submit.waitAppCompletion                              bool             true
spark.yarn.unmanagedAM.enabled                                   bool             false
yarn.client.application-client-protocol.poll-interval-ms         time in ms       200ms
yarn.client.application-client-protocol.poll-timeout-ms          time in ms       -1ms
coherer.compat                                                   faults           fixed
coherer.deploy.scheduler                                         executors|core-by-core executors
coherer.deploy.raft.peers                                        string
coherer.gossip.port                                              port             0
coherer.trace.bodyLimit                                          size in bytes    1k
coherer.trace.enabled                                            bool             true
`

func TestDefaultsAreSparks(t *testing.T) { checkDefaults(t, defaults) }

// checkDefaults compares what is declared with a table of keys, forms and defaults.
func checkDefaults(t *testing.T, defaults string) {
	t.Helper()
	known := make(map[string]conf.Described)
	for _, d := range All().Entries() {
		known[d.Key] = d
	}
	for line := range strings.Lines(strings.TrimSpace(defaults)) {
		line = strings.TrimSpace(line)
		key, _, _ := strings.Cut(line, " ")
		d, ok := known[key]
		if !ok {
			t.Errorf("%s is not known", key)
			continue
		}
		want := strings.Fields(line)[1:]
		if got := strings.Fields(d.Form + " " + d.Default); !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func TestDeclarations(t *testing.T) {
	for _, err := range All().Faults() {
		t.Error(err)
	}
	all := All().Entries()
	if !slices.IsSortedFunc(all, func(a, b conf.Described) int { return strings.Compare(a.Key, b.Key) }) {
		t.Error("Entries is not sorted")
	}
	keys := make(map[string]bool)
	for _, d := range all {
		keys[d.Key] = true
	}
	for _, d := range all {
		if d.Form == "" || !strings.HasSuffix(d.Doc, ".") {
			t.Errorf("%+v: want a form and a sentence", d)
		}
		if target, ok := strings.CutPrefix(d.Default, "= "); ok && !keys[target] {
			t.Errorf("%s falls back to %s, which is not known", d.Key, target)
		}
	}
}

// Every entry refuses some text or takes all; the example in its error must do.
func TestExamplesAreGood(t *testing.T) {
	for _, d := range All().Entries() {
		_, err := conf.New(map[string]string{d.Key: ""}, All())
		if err == nil {
			continue
		}
		bad, ok := errors.AsType[*conf.ValueError](err)
		if !ok {
			t.Fatalf("%s: %T", d.Key, err)
		}
		if _, err := conf.New(map[string]string{d.Key: bad.Example}, All()); err != nil {
			t.Errorf("the example for %s: %v", d.Key, err)
		}
	}
}
