package nodemanager

import (
	"slices"

	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// RunsShuffleService reports whether a node with these settings has the auxiliary service that serves map outputs: the one of Spark's
// name, spark_shuffle, unless spark.shuffle.service.name says another.
func RunsShuffleService(c *conf.Conf) bool {
	return slices.Contains(NodeManagerAuxServices.Get(c), shuffleservice.ShuffleServiceName.Get(c))
}

// initializeShuffle names a container's application to the shuffle service, when the launch context has data for it. It mirrors the
// AuxServicesEvent APPLICATION_INIT.
func (n *ContainerManager) initializeShuffle(c *rpcenv.Context, x *container) {
	name := shuffleservice.ShuffleServiceName.Get(c.Conf())
	for _, s := range x.context.GetServiceData() {
		if n.cfg.ShuffleOutputs != nil && s.GetKey() == name {
			c.Send(shuffleService(c), shuffleservice.InitializeApplication{App: x.id.Attempt.App.String()})
		}
	}
}

// stopShuffle ends the serving of an application's map outputs, then calls then. The node itself removes the directories: they are the
// application's. It mirrors the AuxServicesEvent APPLICATION_STOP.
func (n *ContainerManager) stopShuffle(c *rpcenv.Context, app string, then func()) {
	if n.cfg.ShuffleOutputs == nil {
		then()
		return
	}
	rpcenv.Ask(c, shuffleService(c), shuffleservice.StopApplication{App: app}, func(_ *rpc.Bool, err error) {
		if err != nil {
			c.Log().WithError(err).Warnf("The shuffle service did not give application %s up", app)
		}
		then()
	})
}

// shuffleService is the external shuffle service of this process.
func shuffleService(c *rpcenv.Context) rpcenv.Ref {
	return c.Env().Ref(c.Self().Address, shuffleservice.Name)
}
