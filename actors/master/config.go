package master

import "github.com/coherer/coherer/actors/records"

// Config is what a Master needs besides its Env's settings. The zero value is usable.
type Config struct {
	// WebUIURL is where its pages are; empty: it has none.
	WebUIURL string
	// RestPort is the port of its submission server; 0: it has none.
	RestPort int
	// Term counts leaderships and travels in all that the Master sends; 0: it has no election. The Master sets it when
	// it is elected.
	Term uint64
	// Placement decides where executors go; nil: spark.deploy.spreadOutApps and coherer.deploy.scheduler say.
	Placement Placement
	// Store keeps its records over its death; nil: it has none (recovery mode NONE).
	Store records.Store
	// Election makes the Master wait in STANDBY until it gets an [ElectedLeader]. Without it the Master elects itself
	// when it starts.
	Election bool
}
