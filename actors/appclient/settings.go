package appclient

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that a standalone application's client reads.
var Settings = conf.NewSet()

// StarvationTimeout is spark.starvation.timeout.
var StarvationTimeout = conf.Declare(Settings, "spark.starvation.timeout", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "15s",
	"After how long without a started task the driver warns that it has no resources.")
