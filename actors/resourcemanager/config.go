package resourcemanager

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
)

// Config configures a ResourceManager, together with its Env's settings.
type Config struct {
	// WebUIURL is the address of its pages; empty: it has no pages.
	WebUIURL string
	// Keys sign its tokens. Keys in the records of an earlier life take precedence.
	Keys Keys
	// Store keeps its records beyond its life; nil: it keeps no records. It is the same seam as the Master's.
	Store records.Store
	// Allocations is fair-scheduler.xml; nil: no such file.
	Allocations Allocations
	// Hosts are the lists of hosts that may be nodes, or may not; nil: all may.
	Hosts Hosts
	// Groups returns the groups of a user, the primary one first, for the placement of applications and for access lists;
	// nil: one group, named like the user. It is a body of [rpcenv.Run]: it may do I/O.
	Groups func(b *rpcenv.Blocking, user string) ([]string, error)
}

// Keys are the secrets under which tokens are made, [token.KeySize] bytes each.
type Keys struct {
	Container, NM, AMRM []byte
}

// NewKeys reads keys from a source of randomness, crypto/rand.Reader in production.
func NewKeys(random io.Reader) (Keys, error) {
	all := make([]byte, 3*token.KeySize)
	if _, err := io.ReadFull(random, all); err != nil {
		return Keys{}, fmt.Errorf("make keys for tokens: %w", err)
	}
	n := token.KeySize
	return Keys{all[:n:n], all[n : 2*n : 2*n], all[2*n:]}, nil
}

func (k Keys) validate() error {
	var problems []error
	for _, key := range []struct {
		name string
		of   []byte
	}{{"Container", k.Container}, {"NM", k.NM}, {"AMRM", k.AMRM}} {
		if len(key.of) != token.KeySize {
			problems = append(problems, fmt.Errorf("the key %s has %d bytes, want %d: see NewKeys", key.name, len(key.of), token.KeySize))
		}
	}
	return errors.Join(problems...)
}

// Allocations is the file of the FairScheduler's queues. Its method is a body of [rpcenv.Run]: it may do I/O.
type Allocations interface {
	// Read returns the file's content and the time of its last change. An error says which file and why.
	Read(b *rpcenv.Blocking) (content []byte, modified time.Time, err error)
}

// Hosts are the files behind yarn.resourcemanager.nodes.include-path and exclude-path. Its method is a body of
// [rpcenv.Run]: it may do I/O.
type Hosts interface {
	// Read returns the hosts that the files list. An empty include list admits all. An error says which file and why.
	Read(b *rpcenv.Blocking) (include, exclude []string, err error)
}

// Start registers a ResourceManager's endpoints in an Env: ClientRMService, ApplicationMasterService, ResourceTracker and
// Scheduler. It returns the last for simulations, which look into it from outside. Without a Store they serve at once, with one
// when its records are read. Settings that contradict each other and keys of a wrong length are errors.
func Start(env *rpcenv.Env, cfg Config) (*Scheduler, error) {
	if err := cfg.Keys.validate(); err != nil {
		return nil, fmt.Errorf("start a ResourceManager: %w", err)
	}
	scheduler, err := newScheduler(env.Conf(), cfg)
	if err != nil {
		return nil, fmt.Errorf("start a ResourceManager: %w", err)
	}
	// ClientRMService last: its OnStart begins the life and sends to the other three, which have to be there.
	for _, e := range []struct {
		name     string
		endpoint rpcenv.Endpoint
	}{
		{SchedulerName, scheduler},
		{ResourceTrackerName, newResourceTracker(cfg)},
		{ApplicationMasterServiceName, newApplicationMasterService()},
		{ClientRMServiceName, newClientRMService(cfg)},
	} {
		if _, err := env.Register(e.name, e.endpoint); err != nil {
			return nil, fmt.Errorf("start a ResourceManager: %w", err)
		}
	}
	return scheduler, nil
}

// The names of the endpoints.
const (
	// ClientRMServiceName is for clients: it owns applications and their attempts.
	ClientRMServiceName = ids.ClientRMService
	// ApplicationMasterServiceName is for ApplicationMasters: it owns their sessions.
	ApplicationMasterServiceName = ids.ApplicationMasterService
	// ResourceTrackerName is for NodeManagers: it owns nodes.
	ResourceTrackerName = ids.ResourceTracker
	// SchedulerName is for the other three: it owns queues and containers.
	SchedulerName = "Scheduler"
)
