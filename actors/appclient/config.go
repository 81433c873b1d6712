package appclient

import (
	"errors"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Config is what a client is made of.
type Config struct {
	// Masters are where to register. More than one are standbys of each other.
	Masters []rpcenv.Address
	// Description is what the application asks for. It is not changed any more.
	Description *deploy.ApplicationDescription
	// Listener is an endpoint of the same Env, the driver's CoarseGrainedScheduler, to which the client reports.
	Listener rpcenv.Ref
}

// Validate reports all that is wrong with c.
func (c *Config) Validate() error {
	var errs []error
	if len(c.Masters) == 0 {
		errs = append(errs, errors.New("an application needs a Master: name one as spark://HOST:PORT"))
	}
	if c.Description == nil {
		errs = append(errs, errors.New("an application needs a description"))
	}
	if c.Listener.IsZero() {
		errs = append(errs, errors.New("an application's client needs a listener"))
	}
	return errors.Join(errs...)
}
