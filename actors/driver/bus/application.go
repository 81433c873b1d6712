package bus

import (
	"strconv"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// SparkVersion is the version of Spark whose events these are. The History Server shows it.
const SparkVersion = "4.1.4"

// headLines is how many events begin an event log. None of them is dropped: the History Server reads no log without them. Spark
// writes LogStart past its queue for that reason.
const headLines = 5

// driverID is the executor id of the driver's block manager (SparkContext.DRIVER_IDENTIFIER).
const driverID = "driver"

// applicationStart begins the stream. A second one, of a Master that took the application again, changes nothing.
func (s *Bus) applicationStart(c *rpcenv.Context, m event.ApplicationStart) {
	if s.appID != "" {
		return
	}
	held := s.held
	s.appID, s.held = m.AppID, nil
	s.log.begin(c, m.AppID)
	// These are headLines events.
	s.post(c, &listener.LogStart{SparkVersion: SparkVersion})
	s.post(c, defaultProfile(c))
	none := int64(0)
	at := c.Self().Address
	s.post(c, &listener.BlockManagerAdded{
		ID: listener.BlockManagerID{ExecutorID: driverID, Host: at.Host, Port: at.Port}, Timestamp: s.began, OnHeap: &none, OffHeap: &none,
	})
	s.post(c, s.environment(c))
	s.post(c, &listener.ApplicationStart{AppName: m.Name, AppID: m.AppID, Timestamp: s.began, User: s.cfg.User})
	for _, e := range held {
		s.post(c, e)
	}
}

// defaultProfile is the resource profile of all executors (ResourceProfile.getOrCreateDefaultProfile).
func defaultProfile(c *rpcenv.Context) *listener.ResourceProfileAdded {
	p := &listener.ResourceProfileAdded{}
	add := func(name string, amount int64) {
		p.Executors = append(p.Executors, listener.Field[listener.ExecutorRequest]{
			Key: name, Value: listener.ExecutorRequest{Name: name, Amount: amount},
		})
	}
	if n, set := submit.ExecutorCores.Find(c.Conf()); set {
		add("cores", int64(n))
	}
	add("memory", int64(submit.ExecutorMemory.Get(c.Conf())))
	add("offHeap", 0)
	p.Tasks = listener.Fields[listener.TaskRequest]{{
		Key: "cpus", Value: listener.TaskRequest{Name: "cpus", Amount: listener.Double(submit.TaskCPUs.Get(c.Conf()))},
	}}
	return p
}

// environment has the settings without secrets, and what SparkContext adds to them.
func (s *Bus) environment(c *rpcenv.Context) *listener.EnvironmentUpdate {
	at := c.Self().Address
	all := listener.Properties{
		{Key: "spark.app.id", Value: s.appID},
		{Key: "spark.app.startTime", Value: strconv.FormatInt(s.began, 10)},
		{Key: "spark.driver.host", Value: at.Host},
		{Key: "spark.driver.port", Value: strconv.Itoa(at.Port)},
		{Key: "spark.executor.id", Value: driverID},
	}
	own := len(all)
	for _, p := range c.Conf().Pairs() {
		if all[:own].Get(p.Key) == "" {
			all = append(all, listener.Field[string]{Key: p.Key, Value: rpcenv.Redact(c.Conf(), p.Key, p.Value)})
		}
	}
	system := listener.Properties{}
	for _, p := range s.cfg.Process.System {
		system = append(system, listener.Field[string]{Key: p.Key, Value: rpcenv.Redact(c.Conf(), p.Key, p.Value)})
	}
	runtime := s.cfg.Process.Runtime
	if runtime == nil { // the History Server shows no page of an application without these keys
		runtime = listener.Properties{{Key: "Java Home"}, {Key: "Java Version"}, {Key: "Scala Version"}}
	}
	return &listener.EnvironmentUpdate{JVM: runtime, Spark: all.Sorted(), System: system.Sorted()}
}

func managerOf(id *storage.BlockManagerId) listener.BlockManagerID {
	return listener.BlockManagerID{ExecutorID: id.GetExecutorId(), Host: id.GetHost(), Port: int(id.GetPort())}
}

func (s *Bus) blockManagerAdded(c *rpcenv.Context, m event.BlockManagerAdded) {
	s.post(c, &listener.BlockManagerAdded{
		ID: managerOf(m.ID), Memory: m.OnHeap + m.OffHeap, Timestamp: c.Now().UnixMilli(), OnHeap: &m.OnHeap, OffHeap: &m.OffHeap,
	})
}

func (s *Bus) blockManagerRemoved(c *rpcenv.Context, m event.BlockManagerRemoved) {
	s.post(c, &listener.BlockManagerRemoved{ID: managerOf(m.ID), Timestamp: c.Now().UnixMilli()})
}

func (s *Bus) blockUpdated(c *rpcenv.Context, m event.BlockUpdated) {
	level := listener.StorageLevel{Disk: m.Disk, Memory: m.Memory, OffHeap: m.OffHeap, Deserialized: m.Deserialized, Replication: max(m.Replication, 1)}
	s.post(c, &listener.BlockUpdated{Info: listener.BlockUpdatedInfo{
		Manager: managerOf(m.ID), BlockID: m.Block, Level: level, Memory: m.MemorySize, Disk: m.DiskSize,
	}})
}

func (s *Bus) executorRegistered(c *rpcenv.Context, m event.ExecutorRegistered) {
	now, x := c.Now().UnixMilli(), m.Executor
	info := listener.ExecutorInfo{
		Host: x.GetHostname(), TotalCores: int(x.GetCores()), LogURLs: pairs(x.GetLogUrls()), Attributes: pairs(x.GetAttributes()),
		Profile: x.GetResourceProfileId(), RegistrationTime: &now,
	}
	for _, r := range x.GetResources() {
		info.Resources = append(info.Resources, listener.Field[listener.Resource]{
			Key: r.GetName(), Value: listener.Resource{Name: r.GetName(), Addresses: append([]string{}, r.GetAddresses()...)},
		})
	}
	s.post(c, &listener.ExecutorAdded{Timestamp: now, ExecutorID: x.GetExecutorId(), Info: info})
}

func pairs(all []*app.Property) (out listener.Properties) {
	for _, p := range all {
		out = append(out, listener.Field[string]{Key: p.GetKey(), Value: p.GetValue()})
	}
	return out
}

// exclusion posts the event under its older name and then under its own, as Spark does.
func (s *Bus) exclusion(c *rpcenv.Context, m event.Exclusion) {
	e := &listener.Exclusion{Name: m.Kind.String(), Time: c.Now().UnixMilli(), ExecutorID: m.Executor, HostID: m.Node}
	ends := m.Failures == 0
	switch {
	case !ends && m.Executor != "":
		e.TaskFailures = &m.Failures
	case !ends:
		e.ExecutorFailures = &m.Failures
	}
	if m.ForStage() {
		e.StageID, e.Attempt = &m.Stage, &m.Attempt
	}
	s.post(c, e.Older())
	s.post(c, e)
}
