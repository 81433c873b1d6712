package status

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// TakeYARN asks a ResourceManager.
func TakeYARN(ctx context.Context, env *rpcenv.Env, at rpcenv.Address) (*yarn.ResourceManagerStateResponse, error) {
	b := env.Blocking(ctx)
	defer b.Close()
	s, err := rpcenv.AskWait(b, env.Ref(at, ids.ClientRMService), &yarn.RequestResourceManagerState{}, rpcenv.Timeout(patienceKey, patience))
	if err != nil {
		return nil, fmt.Errorf("the ResourceManager at %s does not answer: %w", at, err)
	}
	return s, nil
}

// The most lines of queues; the other bounds are those of a standalone cluster.
const mostQueues = 12

// YARNText is the screen of a cluster of YARN. Times in the past count back from the ResourceManager's now.
func YARNText(at rpcenv.Address, s *yarn.ResourceManagerStateResponse) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ResourceManager %s, %s, epoch %d, began %s%s\n", at, oneline.Text(s.GetScheduler()), s.GetEpoch(),
		since(s.GetTimeMs(), s.GetStartedOn()), pagesAt(s.GetWebUiUrl()))
	u := s.GetUse()
	fmt.Fprintf(&b, "%d of %d nodes active; memory %s of %s used, %s reserved; cores %d of %d used; containers: %d, %d reserved, %d asked for; applications: %d running, %d pending, %d completed, %d failed, %d killed\n",
		s.GetNodesByState().GetNumActiveNms(), len(s.GetNodes()), mebibytes(u.GetAllocated()), mebibytes(u.GetTotal()), mebibytes(u.GetReserved()),
		u.GetAllocated().GetVirtualCores(), u.GetTotal().GetVirtualCores(), u.GetContainersAllocated(), u.GetContainersReserved(), u.GetContainersPending(),
		u.GetAppsRunning(), u.GetAppsPending(), u.GetAppsCompleted(), u.GetAppsFailed(), u.GetAppsKilled())
	yarnNodes(&b, s)
	yarnQueues(&b, s)
	yarnApps(&b, s)
	yarnDemands(&b, s)
	yarnFailures(&b, s)
	return b.String()
}

// yarnNodes lists those first that are not well.
func yarnNodes(b *strings.Builder, s *yarn.ResourceManagerStateResponse) {
	list := slices.Clone(s.GetNodes())
	slices.SortStableFunc(list, func(a, b *yarn.NodeReport) int {
		well := func(n *yarn.NodeReport) int {
			if n.GetNodeState() == yarn.NodeState_NS_RUNNING {
				return 1
			}
			return 0
		}
		return cmp.Compare(well(a), well(b))
	})
	table(b, "NODE\tSTATE\tRACK\tCONTAINERS\tMEMORY\tCORES", len(list), mostWorkers, func(i int) string {
		n := list[i]
		return fmt.Sprintf("%s\t%s\t%s\t%d\t%s of %s\t%d of %d", nodeName(n.GetNodeId()), nodeState(n), n.GetRackName(), n.GetNumContainers(),
			mebibytes(n.GetUsed()), mebibytes(n.GetCapability()), n.GetUsed().GetVirtualCores(), n.GetCapability().GetVirtualCores())
	})
}

func yarnQueues(b *strings.Builder, s *yarn.ResourceManagerStateResponse) {
	var list []*yarn.QueueInfo
	var walk func(q *yarn.QueueInfo)
	walk = func(q *yarn.QueueInfo) {
		list = append(list, q)
		for _, child := range q.GetChildQueues() {
			walk(child)
		}
	}
	if s.GetRoot() != nil {
		walk(s.GetRoot())
	}
	table(b, "QUEUE\tPOLICY\tUSED\tFAIR SHARE\tMAXIMUM\tDEMAND\tRUN\tWAIT", len(list), mostQueues, func(i int) string {
		q := list[i]
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d", q.GetQueueName(), q.GetPolicy(), share(q.GetUsed()), share(q.GetFairShare()),
			share(q.GetMaximumShare()), share(q.GetDemand()), q.GetRunningApps(), q.GetWaitingApps())
	})
}

func yarnApps(b *strings.Builder, s *yarn.ResourceManagerStateResponse) {
	list := slices.DeleteFunc(slices.Clone(s.GetApps()), func(a *yarn.AppInfo) bool { return a.GetReport().GetFinishTime() != 0 })
	table(b, "APPLICATION\tNAME\tUSER\tQUEUE\tSTATE\tCONTAINERS\tUSED\tSUBMITTED", len(list), mostApps, func(i int) string {
		a := list[i].GetReport()
		u := a.GetAppResourceUsage()
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s", appName(a.GetApplicationId()), a.GetName(), a.GetUser(), a.GetQueue(),
			a.GetYarnApplicationState(), u.GetNumUsedContainers(), share(u.GetUsedResources()), since(s.GetTimeMs(), a.GetStartTime()))
	})
}

// yarnDemands are the waiting applications, each with the reasons.
func yarnDemands(b *strings.Builder, s *yarn.ResourceManagerStateResponse) {
	list := s.GetDemands()
	if len(list) == 0 {
		return
	}
	b.WriteString("\nWAITS\n")
	for _, d := range list[:min(len(list), mostDemands)] {
		fmt.Fprintf(b, "%s in %s, for %d containers, %s:\n", appName(d.GetApplicationId()), oneline.Text(d.GetQueue()), d.GetContainers(), share(d.GetPending()))
		for _, x := range d.GetReasons() {
			line := x.GetFilter() + ": " + x.GetReason()
			if x.GetHelp() != "" {
				line += "; would help: " + x.GetHelp()
			}
			fmt.Fprintf(b, "  %s\n", oneline.Text(line))
		}
	}
	more(b, max(len(list)-mostDemands, 0)+int(s.GetDemandsMore())) // and those that the ResourceManager left out of its answer
}

// failure is a line about a failure.
type failure struct {
	at   int64 // in ms
	text string
}

// yarnFailures are the last ones of containers, attempts, applications and nodes, the youngest first.
func yarnFailures(b *strings.Builder, s *yarn.ResourceManagerStateResponse) {
	var list []failure
	for _, f := range s.GetFailures() {
		list = append(list, failure{f.GetTimeMs(), fmt.Sprintf("container %s at %s: exit %d, %s", containerName(f.GetContainerId()), nodeName(f.GetNodeId()), f.GetExitStatus(), ends(f.GetDiagnostics()))})
	}
	for _, a := range s.GetApps() {
		r := a.GetReport()
		// An application whose program failed is FINISHED for YARN; its final status says FAILED.
		if r.GetYarnApplicationState() == yarn.YarnApplicationState_FAILED || r.GetFinishTime() != 0 && r.GetFinalApplicationStatus() == yarn.FinalApplicationStatus_APP_FAILED {
			list = append(list, failure{r.GetFinishTime(), fmt.Sprintf("application %s: FAILED, %s", appName(r.GetApplicationId()), ends(r.GetDiagnostics()))})
		}
		for _, at := range a.GetAttempts() {
			if at.GetState() == "FAILED" {
				list = append(list, failure{at.GetFinishTime(), fmt.Sprintf("attempt %d of %s: exit %d, %s", at.GetId().GetAttemptId(), appName(r.GetApplicationId()), at.GetExitStatus(), ends(at.GetDiagnostics()))})
			}
		}
	}
	for _, n := range s.GetNodes() {
		if n.GetNodeState() == yarn.NodeState_NS_UNHEALTHY || n.GetNodeState() == yarn.NodeState_NS_LOST {
			list = append(list, failure{cmp.Or(n.GetStateTime(), n.GetLastHealthReportTime()), fmt.Sprintf("node %s: %s, %s", nodeName(n.GetNodeId()), nodeState(n), cmp.Or(n.GetStateReason(), n.GetHealthReport(), "it gave no reason"))})
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b failure) int { return cmp.Compare(b.at, a.at) })
	b.WriteString("\nFAILED\n")
	for _, f := range list[:min(len(list), mostFailures)] {
		fmt.Fprintf(b, "%s: %s\n", since(s.GetTimeMs(), f.at), oneline.Text(strings.Join(strings.Fields(f.text), " ")))
	}
	more(b, len(list)-mostFailures)
}

// ends are the first line of a text and the last one, where the reason is: diagnostics have kilobytes of output between them.
func ends(diagnostics string) string {
	const seeAlso = "For more detailed output, check the application tracking page" // no reason follows it
	text, _, _ := strings.Cut(diagnostics, seeAlso)
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) < 4 {
		return text
	}
	return lines[0] + " ... " + lines[len(lines)-1]
}

func mebibytes(r *yarn.Resource) string { return size(int(r.GetMemory())) }

// share is an amount; "none" stands for a bound that is not set.
func share(r *yarn.Resource) string {
	const noLimit = 1<<31 - 1 // cores that are more are cut
	if r.GetVirtualCores() == noLimit {
		return "none"
	}
	return fmt.Sprintf("%s, %d cores", mebibytes(r), r.GetVirtualCores())
}

func nodeState(n *yarn.NodeReport) string {
	return strings.TrimPrefix(n.GetNodeState().String(), "NS_")
}

func nodeName(m *yarn.NodeId) string {
	if m == nil {
		return "a node that is gone"
	}
	return net.JoinHostPort(m.GetHost(), strconv.Itoa(int(m.GetPort())))
}

func appName(m *yarn.ApplicationId) string {
	return ids.Application{Timestamp: m.GetClusterTimestamp(), ID: m.GetId()}.String()
}

func containerName(m *yarn.ContainerId) string {
	id, err := ids.ContainerFrom(m)
	if err != nil {
		return "without an id"
	}
	return id.String()
}
