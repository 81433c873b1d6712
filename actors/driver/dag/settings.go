package dag

import (
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that say how often a stage is tried.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	stageMaxConsecutiveAttempts = conf.Declare(Settings, "spark.stage.maxConsecutiveAttempts", conf.AtLeast(conf.Ints, 1), "4",
		"After how many attempts in a row that failed to fetch a stage fails its job.")
	stageMaxAttempts = conf.Declare(Settings, "spark.stage.maxAttempts", conf.AtLeast(conf.Ints, 1), conf.Infinite,
		"After how many attempts in all a stage fails its job.")
)
