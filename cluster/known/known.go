package known

import (
	"sync"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/barrier"
	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/actors/storage/memory"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/eventlog"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those of this package.
var Settings = conf.NewSet()

// All are all settings of Coherer's programs. A program that has settings of its own gives conf.New their Set beside it.
var All = sync.OnceValue(func() *conf.Set {
	// At the first call, not while variables are made: by then each package has declared its own, this one too.
	return conf.Union(
		Settings,
		allocation.Settings, exclude.Settings,
		bus.Settings,
		appclient.Settings,
		applicationmaster.Settings,
		barrier.Settings,
		compat.Settings,
		dag.Settings,
		driver.Settings,
		driverclient.Settings,
		eventlog.Settings,
		executor.Settings,
		heartbeat.Settings,
		master.Settings,
		membership.Settings,
		nodemanager.Settings,
		rmproxy.Settings,
		rpcenv.Settings,
		scheduler.Settings,
		shuffleservice.Settings,
		status.Settings,
		storage.Settings, memory.Settings, broadcast.Settings,
		submit.Settings,
		worker.Settings,
		yarnclient.Settings,
	)
})
