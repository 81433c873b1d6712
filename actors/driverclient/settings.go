package driverclient

import (
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that a client of a driver in cluster mode reads.
var Settings = conf.NewSet()

// submitWaitAppCompletion is spark.standalone.submit.waitAppCompletion.
var submitWaitAppCompletion = conf.Declare(Settings, "spark.standalone.submit.waitAppCompletion", conf.Bools, "false",
	"Whether a submission in cluster mode waits for the driver's end.")
