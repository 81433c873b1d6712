package driver

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Config is what a driver is made of. The rest is in its Env's settings.
type Config struct {
	// AppName is the application's name, for people (spark.app.name).
	AppName string
	// Masters are where the Master may be, as in spark://H:P,H:P. At least one, unless YARN or Local is set.
	Masters []rpcenv.Address
	// Local makes the application one without a cluster; nil: it has one.
	Local *Local
	// YARN makes the application one on YARN; nil: on a standalone cluster.
	YARN *YARN
	// User runs the application.
	User string
	// WebUIURL of the driver's pages; "" without pages.
	WebUIURL string
	// Environment of the executors.
	Environment []*deploy.EnvironmentVariable
	// FS is where text files are split, and where spark.scheduler.allocation.file is. Without either it may be nil.
	FS rdd.FS
	// ConfDir is the directory of settings in FS, whose fairscheduler.xml has the pools of mode FAIR when no setting names another file;
	// "": none.
	ConfDir string
	// Transfer fetches results that are too large for a message. Without it they are lost: a job that has such
	// a result fails when its task has been tried spark.task.maxFailures times.
	Transfer storage.Transfer
	// Blocks serves the pieces of broadcasts to executors. Without it the application has no broadcasts.
	Blocks broadcast.Server
	// EventLog takes the application's event log; nil writes no event log.
	EventLog bus.Log
	// Status is kept up to date for the pages (bus.Query); nil: there are none.
	Status *status.Store
	// Process describes the driver's process for people.
	Process bus.Process
	// Listener is an endpoint of the driver's Env that gets the events of package event; the zero Ref: nobody.
	Listener rpcenv.Ref
}

// wantsEvents reports whether somebody takes Spark's events: the driver has a LiveListenerBus then.
func (c Config) wantsEvents() bool { return c.EventLog != nil || c.Status != nil }

// YARN is what a driver on YARN has to know.
type YARN struct {
	// AppID is the application's id in cluster mode, where the ApplicationMaster in the driver's own Env knows it.
	AppID string
	// Submission is the application, in client mode: the driver submits it at its start. Its Driver is filled in.
	Submission *yarnclient.Submission
	// ResourceManager is where it is submitted.
	ResourceManager rpcenv.Address
}

// manager is the kind of cluster.
func (c Config) manager() submit.Manager {
	switch {
	case c.YARN != nil:
		return submit.YARN
	case c.Local != nil:
		return submit.Local
	}
	return submit.Standalone
}

// externalShuffle reports whether map outputs outlive their executors, in the shuffle services of Workers or NodeManagers. A local
// application has none, whatever spark.shuffle.service.enabled says.
func (c Config) externalShuffle(s *conf.Conf) bool {
	return c.Local == nil && shuffleservice.ShuffleServiceEnabled.Get(s)
}

// maxFailures is how many attempts of a task may fail. A local application has its own number, whatever spark.task.maxFailures says.
func (c Config) maxFailures(s *conf.Conf) int {
	if c.Local != nil {
		return c.Local.MaxFailures
	}
	return taskMaxFailures.Get(s)
}

// Validate reports all problems at once.
func (c Config) Validate() error {
	var problems []error
	if c.AppName == "" {
		problems = append(problems, errors.New("a driver needs the application's name (spark.app.name)"))
	}
	if err := c.Local.validate(); err != nil {
		problems = append(problems, err)
	}
	if len(c.Masters) == 0 && c.YARN == nil && c.Local == nil {
		problems = append(problems, errors.New("a driver needs a master (spark.master), such as spark://localhost:7077"))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("driver: %w", err)
	}
	return nil
}
