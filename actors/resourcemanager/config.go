package resourcemanager

import (
	"errors"
	"fmt"
	"io"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/actors/resourcemanager/tracker"
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
	Allocations scheduler.Allocations
	// Hosts are the lists of hosts that may be nodes, or may not; nil: all may.
	Hosts tracker.Hosts
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

// Start registers a ResourceManager's endpoints in an Env: ClientRMService, ApplicationMasterService, ResourceTracker and
// Scheduler. It returns the last for simulations, which look into it from outside. Without a Store they serve at once, with one
// when its records are read. Settings that contradict each other and keys of a wrong length are errors.
func Start(env *rpcenv.Env, cfg Config) (*scheduler.Scheduler, error) {
	if err := cfg.Keys.validate(); err != nil {
		return nil, fmt.Errorf("start a ResourceManager: %w", err)
	}
	s, err := scheduler.New(env.Conf(), cfg.Allocations)
	if err != nil {
		return nil, fmt.Errorf("start a ResourceManager: %w", err)
	}
	// ClientRMService last: its OnStart begins the life and sends to the other three, which have to be there.
	for _, e := range []struct {
		name     string
		endpoint rpcenv.Endpoint
	}{
		{scheduler.Name, s},
		{tracker.Name, tracker.New(cfg.Hosts)},
		{session.Name, session.New()},
		{Name, newClientRMService(cfg)},
	} {
		if _, err := env.Register(e.name, e.endpoint); err != nil {
			return nil, fmt.Errorf("start a ResourceManager: %w", err)
		}
	}
	return s, nil
}
