package shuffleservice

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those of the external shuffle service, for daemons, drivers and executors.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	ShuffleServiceEnabled = conf.Declare(Settings, "spark.shuffle.service.enabled", conf.Bools, "false",
		"Whether map outputs are served by the Worker or NodeManager, so that they outlive their executor. Workers and applications want it.")
	ShuffleServicePort = conf.Declare(Settings, "spark.shuffle.service.port", conf.Ports, "7337",
		"The port where a Worker or NodeManager serves map outputs; 0 for any free one.")
	// ShuffleServiceName is a setting of the application and of no daemon: a node calls its service by yarn.nodemanager.aux-services.
	ShuffleServiceName = conf.Declare(Settings, "spark.shuffle.service.name", conf.Filled(conf.Texts), "spark_shuffle",
		"What the auxiliary service of NodeManagers is called that serves map outputs.")
	_ = conf.Declare(Settings, "spark.shuffle.service.db.enabled", conf.Bools, "true",
		"Whether the service keeps registrations on disk.").Awaits("registrations that outlive their daemon")
	_ = conf.Declare(Settings, "spark.shuffle.service.fetch.rdd.enabled", conf.Bools, "false",
		"Whether the service serves cached blocks on disk too.").Awaits("cached blocks in the shuffle service")
	ShuffleRegistrationTimeout = conf.Declare(Settings, "spark.shuffle.registration.timeout", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "5000",
		"How long an executor waits for the answer to its registration with the shuffle service.")
	ShuffleRegistrationMaxAttempts = conf.Declare(Settings, "spark.shuffle.registration.maxAttempts", conf.AtLeast(conf.Ints, 1), "3",
		"How often an executor tries to register with the shuffle service before it ends.")
)
