package membership

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that say when a member of a cluster counts as lost, and whether it leaves in order.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	WorkerTimeout = conf.Declare(Settings, "spark.worker.timeout", conf.AtLeast(conf.Seconds, time.Second), "60",
		"After how long without a heartbeat the Master takes a worker for dead; a worker sends four in that time.")
	AskTimeout = conf.Declare(Settings, "coherer.gossip.askTimeout", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "1s",
		"How long a node that the cluster's gossip suspects to be gone may take to answer its Master or ResourceManager, which asks twice.")
	DecommissionEnabled = conf.Declare(Settings, "spark.decommission.enabled", conf.Bools, "false",
		"Whether executors that are to be lost finish their work and hand over their blocks first.")
)
