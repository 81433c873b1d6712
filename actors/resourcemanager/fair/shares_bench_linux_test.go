package fair

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// BenchmarkShares recomputes the fair and the steady shares of all queues: of 1,000 below root, or of 10 with 99 each, with
// weights, and minimums and maximums of some.
func BenchmarkShares(b *testing.B) {
	for _, policy := range []string{"fair", "drf"} {
		for _, parents := range []int{0, 10} {
			b.Run(fmt.Sprintf("policy=%s/queues=1000/parents=%d", policy, parents), func(b *testing.B) {
				var file strings.Builder
				fmt.Fprintf(&file, "<defaultQueueSchedulingPolicy>%s</defaultQueueSchedulingPolicy>", policy)
				children := 1000
				if parents > 0 {
					children = 99
				}
				for p := range max(parents, 1) {
					if parents > 0 {
						fmt.Fprintf(&file, "<queue name=\"p%d\">", p)
					}
					for q := range children {
						fmt.Fprintf(&file, "<queue name=\"q%d\"><weight>%d</weight>", q, 1+q%7)
						if q%3 == 0 {
							fmt.Fprintf(&file, "<minResources>%d mb, %d vcores</minResources>", 64*q, q%4)
						}
						if q%5 == 0 {
							fmt.Fprintf(&file, "<maxResources>%d mb, %d vcores</maxResources>", 65536+64*q, 64+q)
						}
						file.WriteString("</queue>")
					}
					if parents > 0 {
						file.WriteString("</queue>")
					}
				}
				a, err := parseAllocations([]byte("<allocations>"+file.String()+"</allocations>"), options)
				if err != nil {
					b.Fatal(err)
				}
				tree := map[string][]*schedulable{}
				policies := map[string]schedulingPolicy{}
				all := map[string]*schedulable{}
				var names []string // of parents
				for _, q := range a.Queues() {
					s := &schedulable{Name: q.Name, Weight: q.Weight, MinShare: q.MinShare(Resource{}), MaxShare: q.MaxShare(Resource{})}
					all[q.Name] = s
					tree[parentName(q.Name)] = append(tree[parentName(q.Name)], s)
					policies[q.Name] = policyOf(q.Policy, Faults{})
					if q.Parent {
						names = append(names, q.Name)
					}
				}
				root, cluster := all[Root], Resource{1000 * 131072, 1000 * 128}
				root.FairShare, root.SteadyFairShare = cluster, cluster
				b.ReportAllocs()
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				used := threadTime(b)
				for b.Loop() {
					for _, name := range names {
						policies[name].ComputeShares(tree[name], all[name].FairShare)
						policies[name].ComputeSteadyShares(tree[name], all[name].SteadyFairShare)
					}
				}
				b.ReportMetric(float64(threadTime(b)-used)/float64(b.N), "cpu-ns/op")
				var sum int64
				for _, name := range names {
					for _, s := range tree[name] {
						if len(tree[s.Name]) == 0 {
							sum += s.FairShare.Memory
						}
					}
				}
				if sum < cluster.Memory || sum > cluster.Memory+int64(len(all))*2 {
					b.Fatalf("the shares of %v sum to %d", cluster, sum)
				}
			})
		}
	}
}

// BenchmarkAllocations reads a file of 1,000 queues.
func BenchmarkAllocations(b *testing.B) {
	var file strings.Builder
	file.WriteString("<allocations>")
	for q := range 1000 {
		fmt.Fprintf(&file, "<queue name=\"q%d\"><weight>2.5</weight><minResources>1024 mb, 1 vcores</minResources><maxResources>50%% memory, 50%% cpu</maxResources>"+
			"<aclSubmitApps>a,b c</aclSubmitApps><schedulingPolicy>fair</schedulingPolicy></queue>\n", q)
	}
	file.WriteString("</allocations>")
	data := []byte(file.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := threadTime(b)
	for b.Loop() {
		if a, err := parseAllocations(data, options); err != nil || len(a.Queues()) != 1001 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(threadTime(b)-used)/float64(b.N), "cpu-ns/op")
}
