package applicationmaster

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// register registers with the ResourceManager, then calls then.
func (m *ApplicationMaster) register(c *rpcenv.Context, then func(*rpcenv.Context)) {
	q := m.registration(c.Self().Address)
	// After a restart the ResourceManager learns from it which containers are still in use.
	q.Containers = m.holds()
	rmproxy.Ask(&m.proxy, c, m.rm, q, func(_ *yarn.RegisterApplicationMasterResponse, err error) {
		switch {
		case m.finished: // end has sent its own calls
		case err != nil:
			m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, ExitUncaughtException, fmt.Sprintf("Uncaught exception: register: %v", err))
		default:
			c.State("application master", m.cfg.Attempt.String(), "", "REGISTERED", "")
			m.registered = true
			then(c)
		}
	})
}

// holds are the containers that this ApplicationMaster has, or had and has not heard the end of.
func (m *ApplicationMaster) holds() []*yarn.ContainerId {
	if m.alloc == nil {
		return nil
	}
	var all []*yarn.ContainerId
	for _, text := range m.alloc.Held() {
		id, _ := ids.ParseContainer(text) // it was made by String
		all = append(all, id.Proto())
	}
	return all
}

// registration is the message by which this ApplicationMaster, which listens at own, registers. In client mode it has no port, as
// nobody may call it.
func (m *ApplicationMaster) registration(own rpcenv.Address) *yarn.RegisterApplicationMasterRequest {
	q := &yarn.RegisterApplicationMasterRequest{
		Host: m.cfg.Host, RpcPort: -1, TrackingUrl: m.cfg.TrackingURL,
		ApplicationAttemptId: m.cfg.Attempt.Proto(), AmRmToken: m.token,
	}
	if m.cfg.ClusterMode {
		q.Host, q.RpcPort = own.Host, int32(own.Port)
	}
	return q
}

// contextReady goes on with the driver that the program made.
func (m *ApplicationMaster) contextReady(c *rpcenv.Context, msg ContextReady) {
	switch {
	case !m.cfg.ClusterMode || m.finished:
		rpcenv.Fail(c, msg, fmt.Errorf("%w: this ApplicationMaster waits for no driver", rpcenv.ErrRefused))
		return
	case m.alloc != nil: // asked again after the answer
		rpcenv.Reply(c, msg, &rpc.Bool{Value: true})
		return
	case m.context != nil:
		rpcenv.Fail(c, msg, fmt.Errorf("%w: another driver waits already", rpcenv.ErrRefused))
		return
	}
	call := rpcenv.Defer(c, msg)
	m.context = &call
	if msg.TrackingURL != "" {
		m.cfg.TrackingURL = msg.TrackingURL
	}
	m.driver = c.Env().Ref(c.Self().Address, SchedulerName)
	m.register(c, m.createAllocator)
}

// contextTimeout ends an application whose program took too long to make its driver.
func (m *ApplicationMaster) contextTimeout(c *rpcenv.Context) {
	if m.context != nil {
		return
	}
	m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, ExitSCNotInited, fmt.Sprintf(
		"SparkContext did not initialize after waiting for %d ms. Please check earlier log output for errors. Failing the application.",
		yarnAMWaitTime.Get(c.Conf()).Milliseconds()))
}

// amIPFilter is the filter that Hadoop has put before an application's pages.
const amIPFilter = "org.apache.hadoop.yarn.server.webproxy.amfilter.AmIpFilter"

// runExecutorLauncher goes on with the driver that submitted the application, in client mode.
func (m *ApplicationMaster) runExecutorLauncher(c *rpcenv.Context) {
	uri := rpcenv.Ref{Address: m.cfg.Driver, Name: SchedulerName}.String()
	rpcenv.Resolve(c, uri, func(ref rpcenv.Ref, err error) {
		switch {
		case m.finished:
			return
		case err != nil:
			m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, ExitUncaughtException,
				fmt.Sprintf("Uncaught exception: the driver at %s: %v", uri, err))
			return
		}
		// From here on the end of its connection ends the application.
		m.driver = ref
		c.Send(ref, &app.AddWebUIFilter{FilterName: amIPFilter, ProxyBase: m.cfg.ProxyBase})
		m.createAllocator(c)
	})
}

// createAllocator makes the allocator, whose ids go on behind the last one that the driver knows, registers with the driver, and
// makes the first call.
func (m *ApplicationMaster) createAllocator(c *rpcenv.Context) {
	target, err := allocation.InitialTarget(c.Conf())
	if err != nil {
		m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, ExitUncaughtException, err.Error())
		return
	}
	// In client mode the driver has outlived the attempt before: an id that comes again would be a duplicate there
	// (SPARK-12864).
	rpcenv.Ask(c, m.driver, &app.RetrieveLastAllocatedExecutorId{}, func(last *app.LastAllocatedExecutorId, err error) {
		switch {
		case m.finished:
			return
		case err != nil:
			m.finish(c, yarn.FinalApplicationStatus_APP_FAILED, ExitUncaughtException, fmt.Sprintf("Uncaught exception: the driver's last executor id: %v", err))
			return
		}
		m.alloc = allocator.New(m.allocatorConfig(c.Conf(), target, m.historic.after(last.GetId())))
		m.pace = allocator.NewPace(YARNHeartbeatInterval.Get(c.Conf()), yarnInitialAllocationInterval.Get(c.Conf()), expiry(c.Conf()))
		// Not before the allocator is made: the driver sends its target as soon as it gets this.
		c.Send(m.driver, &app.RegisterClusterManager{Am: c.Self().Proto()})
		if m.context != nil {
			m.context.Reply(&rpc.Bool{Value: true})
		}
		if !m.cfg.ClusterMode {
			c.Send(m.driver, &app.MiscellaneousProcessAdded{Time: c.Now().UnixMilli(), ProcessId: "yarn-am", HostPort: m.cfg.Host, Cores: int32(submit.YARNAMCores.Get(c.Conf()))})
		}
		m.allocate(c)
	})
}

// sparkExpiry is what Spark takes for yarn.am.liveness-monitor.expiry-interval-ms when its configuration does not say it.
const sparkExpiry = 2 * time.Minute

func expiry(c *conf.Conf) time.Duration {
	if d, set := rmproxy.AMExpiry.Find(c); set {
		return d
	}
	return sparkExpiry
}

func (m *ApplicationMaster) allocatorConfig(c *conf.Conf, target, last int) allocator.Config {
	return allocator.Config{
		Default: profileOf(c, nil), Target: target, LastExecutorID: last,
		Label: yarnExecutorNodeLabelExpression.Get(c), FailureValidity: executorFailuresValidityInterval.Get(c),
		Rack: m.cfg.Rack, Resends: m.historic.resends,
		Health: allocator.HealthConfig{
			Exclude: yarnExcludeNodes.Get(c), OnFailure: yarnExecutorLaunchExcludeOnFailure.Get(c),
			MaxFailures: exclude.ApplicationExecutorsPerNode.Get(c), Timeout: exclude.Timeout(c),
		},
	}
}
