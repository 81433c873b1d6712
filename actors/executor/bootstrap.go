package executor

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// ErrUnreachable means that the driver cannot be reached at its address. The executor's process then ends with
// [ExitUnreachable].
var ErrUnreachable = errors.New("cannot reach the driver")

// ExitUnreachable is the exit code of an executor that never reached its driver, so that the Master can tell that from
// other ends. Spark's is 1.
const ExitUnreachable = 61

// lookupTries is how often the driver is looked up before an executor gives up.
const lookupTries = 3

// FetchConfig asks the driver for its settings, from an Env of its own that is shut down afterwards (Spark's
// driverPropsFetcher).
func FetchConfig(b *rpcenv.Blocking, a Args) (map[string]string, error) {
	ref, err := rpcenv.ResolveWait(b, a.DriverURL)
	// Without a pause, as in Spark.
	for try := 1; err != nil && try < lookupTries; try++ {
		ref, err = rpcenv.ResolveWait(b, a.DriverURL)
	}
	if err != nil {
		return nil, fmt.Errorf("%w at %s: %w: is it still there, and is spark.driver.host an address that Workers reach?",
			ErrUnreachable, a.DriverURL, err)
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

// lookUp looks up those of the driver's endpoints that an executor's environment wants before the endpoint Executor
// exists, in Spark's order (SparkEnv.create).
func lookUp(b *rpcenv.Blocking, driverURL string) error {
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
