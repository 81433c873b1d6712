package applicationmaster

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "YarnAM"

// The names of the endpoints that it speaks with.
const (
	// ServiceName is the ResourceManager's.
	ServiceName = ids.ApplicationMasterService
	// NodeName is a NodeManager's.
	NodeName = ids.ContainerManager
	// SchedulerName is the driver's.
	SchedulerName = ids.YarnScheduler
)

// Config is what an ApplicationMaster is made of. The rest is in its Env's settings.
type Config struct {
	// Attempt is the attempt that it is the ApplicationMaster of.
	Attempt ids.Attempt
	// ResourceManager is where it is.
	ResourceManager rpcenv.Address
	// Token proves to the ResourceManager which attempt asks; nil: without one.
	Token *yarn.Token
	// ClusterMode: the driver lives in the same Env.
	ClusterMode bool
	// Driver is where it listens, in client mode.
	Driver rpcenv.Address
	// Host is this node's name, for the ResourceManager.
	Host string
	// TrackingURL is where the application's pages are; HistoryURL where they will be when it has ended.
	TrackingURL, HistoryURL string
	// ProxyBase is the path of the application at the ResourceManager's proxy; "" without a proxy.
	ProxyBase string

	// LocalResources, Environment and Credentials are what every executor's container gets.
	LocalResources []*yarn.StringLocalResourceMap
	Environment    []*yarn.StringStringMap
	Credentials    []byte

	// Staging is what the client left for the application; nil when it is kept.
	Staging Staging
	// Rack is the rack of a host; nil: all are in one.
	Rack func(host string) string
}

// Staging is the directory that a client staged the application's files in.
type Staging interface {
	// Remove removes it. It is not an error when it is gone.
	Remove(b *rpcenv.Blocking) error
}

// Validate reports all problems at once.
func (c Config) Validate() error {
	var problems []error
	if c.Attempt.App.ID < 1 || c.Attempt.Attempt < 1 {
		problems = append(problems, errors.New("it needs the id of its attempt, which is in CONTAINER_ID"))
	}
	if c.ResourceManager.IsZero() {
		problems = append(problems, errors.New("it needs the ResourceManager's address (yarn.resourcemanager.address)"))
	}
	if !c.ClusterMode && c.Driver.IsZero() {
		problems = append(problems, errors.New("in client mode it needs the driver's address (--arg HOST:PORT)"))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("applicationmaster: %w", err)
	}
	return nil
}

// Exit codes of an ApplicationMaster. They mirror those of org.apache.spark.deploy.yarn.ApplicationMaster.
const (
	ExitSuccess                = 0
	ExitUncaughtException      = 10
	ExitMaxExecutorFailures    = 11
	ExitReporterFailure        = 12
	ExitSCNotInited            = 13
	ExitExceptionUserClass     = 15
	ExitEarly                  = 16
	ExitDisconnectedFromDriver = 17
)
