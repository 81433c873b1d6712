package executor

import (
	"fmt"

	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// lookupTries is how often the driver is looked up before an executor gives up.
const lookupTries = 3

// FetchConfig asks the driver for its settings, from an Env of its own that is shut down afterwards (Spark's
// driverPropsFetcher).
func FetchConfig(b *rpcenv.Blocking, a Args) (map[string]string, error) {
	ref, err := rpcenv.ResolveWait(b, a.DriverURL)
	for try := 1; err != nil && try < lookupTries && !b.Done(); try++ {
		ref, err = rpcenv.ResolveWait(b, a.DriverURL)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot reach the driver at %s: %w: is it still there, and is spark.driver.host an address that Workers reach?",
			a.DriverURL, err)
	}
	cfg, err := rpcenv.AskWait(b, ref, &app.RetrieveSparkAppConfig{ResourceProfileId: int32(a.ProfileID)})
	if err != nil {
		return nil, fmt.Errorf("ask the driver at %s for its settings: %w", ref.Address, err)
	}
	out := make(map[string]string, len(cfg.GetSparkProperties()))
	for _, p := range cfg.GetSparkProperties() {
		out[p.GetKey()] = p.GetValue()
	}
	return out, nil
}

// LookUp looks up those of the driver's endpoints that an executor's environment wants before the endpoint Executor
// exists, in Spark's order (SparkEnv.create).
func LookUp(b *rpcenv.Blocking, driverURL string) error {
	at, _, err := rpcenv.ParseURI(driverURL)
	if err != nil {
		return err
	}
	for _, name := range []string{mapoutput.Name, storage.MasterName, storage.MasterHeartbeatName, commit.Name} {
		if _, err := rpcenv.ResolveWait(b, rpcenv.Ref{Address: at, Name: name}.String()); err != nil {
			return err
		}
	}
	return nil
}
