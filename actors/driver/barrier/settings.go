package barrier

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that say how long a barrier waits.
var Settings = conf.NewSet()

var syncTimeout = conf.Declare(Settings, "spark.barrier.sync.timeout", conf.AtLeast(conf.Durations(time.Second), time.Second), "365d",
	"How long a barrier waits for all its tasks.")
