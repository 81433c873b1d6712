package fair

import (
	"fmt"
	"slices"
	"strconv"
)

// state is a dump of everything.
func (q *sequence) state() *goldenState {
	s := goldenState{Cluster: golden(q.Cluster()), Queues: map[string]map[string]any{}, Apps: map[string]map[string]any{}, Nodes: map[string]map[string]any{}}
	for _, x := range q.Queues() {
		s.Queues[x.Name] = map[string]any{
			"leaf": x.Leaf, "policy": x.Policy, "usage": golden(x.Usage), "demand": golden(x.Demand), "fairShare": golden(x.FairShare),
			"steadyFairShare": golden(x.SteadyFairShare), "minShare": golden(x.MinShare), "maxShare": golden(x.MaxShare), "weight": x.Weight,
			"runnableApps": x.Running, "nonRunnableApps": x.Waiting, "amUsage": golden(x.AMUsage),
		}
	}
	for _, a := range q.Apps() {
		s.Apps[strconv.Itoa(int(a.ID.App.ID))] = map[string]any{
			"queue": a.Queue, "runnable": a.Runnable, "amRunning": a.AMRunning, "usage": golden(a.Usage), "demand": golden(a.Demand),
			"fairShare": golden(a.FairShare), "reserved": golden(a.Reserved), "weight": a.Weight,
			"fairShareStarvation": golden(a.FairStarving), "minShareStarvation": golden(a.MinStarving),
		}
	}
	for _, n := range q.Nodes() {
		m := map[string]any{"free": golden(n.Free), "containers": n.Containers}
		if n.Reserved != nil {
			c := n.Reserved
			m["reserved"] = goldenContainer{idOf(c.ID), n.Host, c.Resource.Memory, c.Resource.VCores, c.Key.Priority}
		}
		s.Nodes[n.Host] = m
	}
	return &s
}

// compareStates looks at the fields that are wanted.
func compareStates(got, want goldenState) (differences []string) {
	if got.Cluster != want.Cluster {
		differences = append(differences, fmt.Sprintf("cluster %v, want %v", got.Cluster, want.Cluster))
	}
	for _, part := range []struct {
		name      string
		got, want map[string]map[string]any
	}{{"queue", got.Queues, want.Queues}, {"app", got.Apps, want.Apps}, {"node", got.Nodes, want.Nodes}} {
		for name, w := range part.want {
			g, ok := part.got[name]
			if !ok {
				differences = append(differences, part.name+" "+name+" is missing")
				continue
			}
			for field, value := range w {
				if a, b := text(g[field]), text(value); a != b && !(g[field] == nil && value == nil) {
					differences = append(differences, fmt.Sprintf("%s %s: %s is %s, want %s", part.name, name, field, a, b))
				}
			}
		}
		for name := range part.got {
			if _, ok := part.want[name]; !ok {
				differences = append(differences, part.name+" "+name+" should not be there")
			}
		}
	}
	slices.Sort(differences)
	return differences
}
