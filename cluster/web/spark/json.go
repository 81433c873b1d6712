package spark

import (
	"net/http"
	"slices"

	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/messages/deploy"
)

// The states that the sums look for.
const (
	alive     = "ALIVE"
	submitted = deploy.DriverState_SUBMITTED
)

// answer makes a handler of a function that computes an object.
func answer(s *web.Site, object func(r *http.Request) (pretty.Object, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o, err := object(r)
		if err != nil {
			s.Fail(w, err)
			return
		}
		text, err := pretty.Marshal(o)
		if err != nil {
			s.Fail(w, err)
			return
		}
		web.Send(w, "text/json;charset=utf-8", text)
	})
}

// masterJSON is a Master's /json. It mirrors JsonProtocol.writeMasterState: the sums are over Workers that are ALIVE, the list
// has all.
func masterJSON(s *deploy.MasterStateResponse) pretty.Object {
	sum := sumsOf(s)
	resources, used := pretty.Array{}, pretty.Array{}
	for _, w := range s.GetWorkers() {
		if w.GetState() == alive {
			resources = append(resources, resourcesJSON(w.GetResources()))
			used = append(used, resourcesJSON(w.GetResourcesUsed()))
		}
	}
	return pretty.Object{
		{Name: "url", Value: sparkURL(s.GetHost(), s.GetPort())},
		{Name: "workers", Value: array(s.GetWorkers(), workerJSON)},
		{Name: "aliveworkers", Value: sum.alive},
		{Name: "cores", Value: sum.cores},
		{Name: "coresused", Value: sum.coresUsed},
		{Name: "memory", Value: sum.memory},
		{Name: "memoryused", Value: sum.memoryUsed},
		{Name: "resources", Value: resources},
		{Name: "resourcesused", Value: used},
		{Name: "activeapps", Value: array(s.GetActiveApps(), appJSON(s.GetTimeMs()))},
		{Name: "completedapps", Value: array(s.GetCompletedApps(), appJSON(s.GetTimeMs()))},
		{Name: "activedrivers", Value: array(s.GetActiveDrivers(), driverJSON)},
		{Name: "completeddrivers", Value: array(s.GetCompletedDrivers(), driverJSON)},
		{Name: "status", Value: s.GetStatus()},
	}
}

// utilizationJSON is a Master's /json/clusterutilization. It mirrors JsonProtocol.writeClusterUtilization: without Workers
// all is used.
func utilizationJSON(s *deploy.MasterStateResponse) pretty.Object {
	sum := sumsOf(s)
	waiting := 0
	for _, d := range s.GetActiveDrivers() {
		if d.GetState() == submitted {
			waiting++
		}
	}
	return pretty.Object{
		{Name: "waitingDrivers", Value: waiting},
		{Name: "cores", Value: sum.cores},
		{Name: "coresused", Value: sum.coresUsed},
		{Name: "coresutilization", Value: percent(sum.coresUsed, sum.cores)},
		{Name: "memory", Value: sum.memory},
		{Name: "memoryused", Value: sum.memoryUsed},
		{Name: "memoryutilization", Value: percent(sum.memoryUsed, sum.memory)},
	}
}

func percent(part, whole int) int {
	if whole == 0 {
		return 100
	}
	return 100 * part / whole
}

// sums are those of the Workers that are ALIVE.
type sums struct{ alive, cores, coresUsed, memory, memoryUsed int }

func sumsOf(s *deploy.MasterStateResponse) (t sums) {
	for _, w := range s.GetWorkers() {
		if w.GetState() != alive {
			continue
		}
		t.alive++
		t.cores += int(w.GetCores())
		t.coresUsed += int(w.GetCoresUsed())
		t.memory += int(w.GetMemory())
		t.memoryUsed += int(w.GetMemoryUsed())
	}
	return t
}

func array[T any](list []T, one func(T) pretty.Object) pretty.Array {
	out := make(pretty.Array, len(list))
	for i, x := range list {
		out[i] = one(x)
	}
	return out
}

// workerJSON mirrors JsonProtocol.writeWorkerInfo.
func workerJSON(w *deploy.WorkerInfo) pretty.Object {
	return pretty.Object{
		{Name: "id", Value: w.GetId()},
		{Name: "host", Value: w.GetHost()},
		{Name: "port", Value: w.GetPort()},
		{Name: "webuiaddress", Value: w.GetWebUiUrl()},
		{Name: "cores", Value: w.GetCores()},
		{Name: "coresused", Value: w.GetCoresUsed()},
		{Name: "coresfree", Value: w.GetCores() - w.GetCoresUsed()},
		{Name: "memory", Value: w.GetMemory()},
		{Name: "memoryused", Value: w.GetMemoryUsed()},
		{Name: "memoryfree", Value: w.GetMemory() - w.GetMemoryUsed()},
		{Name: "resources", Value: resourcesJSON(w.GetResources())},
		{Name: "resourcesused", Value: resourcesJSON(w.GetResourcesUsed())},
		{Name: "resourcesfree", Value: resourcesJSON(free(w.GetResources(), w.GetResourcesUsed()))},
		{Name: "state", Value: w.GetState()},
		{Name: "lastheartbeat", Value: w.GetLastHeartbeatMs()},
	}
}

// appJSON mirrors JsonProtocol.writeApplicationInfo: cores are those that it has. The names with slave are the old ones.
func appJSON(now int64) func(*deploy.ApplicationInfo) pretty.Object {
	return func(a *deploy.ApplicationInfo) pretty.Object {
		each := array(a.GetResourcesPerExecutor(), requirementJSON)
		return pretty.Object{
			{Name: "id", Value: a.GetId()},
			{Name: "starttime", Value: a.GetStartMs()},
			{Name: "name", Value: a.GetName()},
			{Name: "cores", Value: a.GetCoresGranted()},
			{Name: "user", Value: a.GetUser()},
			{Name: "memoryperexecutor", Value: a.GetMemoryPerExecutorMb()},
			{Name: "memoryperslave", Value: a.GetMemoryPerExecutorMb()},
			{Name: "resourcesperexecutor", Value: each},
			{Name: "resourcesperslave", Value: each},
			{Name: "submitdate", Value: javaDate(a.GetStartMs())},
			{Name: "state", Value: a.GetState()},
			{Name: "duration", Value: duration(a, now)},
		}
	}
}

// duration of an application in milliseconds, until now while it runs.
func duration(a *deploy.ApplicationInfo, now int64) int64 {
	if a.GetEndMs() != 0 {
		now = a.GetEndMs()
	}
	return max(now-a.GetStartMs(), 0)
}

// driverJSON mirrors JsonProtocol.writeDriverInfo: the time of its start is a text.
func driverJSON(d *deploy.DriverInfo) pretty.Object {
	worker := d.GetWorkerId()
	if worker == "" {
		worker = "None"
	}
	return pretty.Object{
		{Name: "id", Value: d.GetId()},
		{Name: "starttime", Value: decimal(d.GetStartMs())},
		{Name: "state", Value: d.GetState().String()},
		{Name: "cores", Value: d.GetCores()},
		{Name: "memory", Value: d.GetMemory()},
		{Name: "resources", Value: resourcesJSON(d.GetResources())},
		{Name: "submitdate", Value: javaDate(d.GetStartMs())},
		{Name: "worker", Value: worker},
		{Name: "mainclass", Value: d.GetMainClass()},
	}
}

// resourcesJSON mirrors JsonProtocol.writeResourcesInfo.
func resourcesJSON(all []*deploy.ResourceInformation) pretty.Object {
	out := pretty.Object{}
	for _, r := range all {
		out = append(out, pretty.Field{Name: r.GetName(), Value: pretty.Object{
			{Name: "name", Value: r.GetName()}, {Name: "addresses", Value: r.GetAddresses()},
		}})
	}
	return out
}

// requirementJSON mirrors JsonProtocol.writeResourceRequirement.
func requirementJSON(r *deploy.ResourceRequirement) pretty.Object {
	return pretty.Object{{Name: "name", Value: r.GetName()}, {Name: "amount", Value: r.GetAmount()}}
}

// free are the addresses of all that are not used.
func free(all, used []*deploy.ResourceInformation) (out []*deploy.ResourceInformation) {
	taken := map[string][]string{}
	for _, r := range used {
		taken[r.GetName()] = append(taken[r.GetName()], r.GetAddresses()...)
	}
	for _, r := range all {
		left := slices.DeleteFunc(slices.Clone(r.GetAddresses()), func(a string) bool { return slices.Contains(taken[r.GetName()], a) })
		out = append(out, &deploy.ResourceInformation{Name: r.GetName(), Addresses: left})
	}
	return out
}
