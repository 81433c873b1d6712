package top

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/metrics/reader"
)

// patience is how long a process may take to answer: longer than it waits for its own clients.
const patience = 4 * time.Second

// patienceKey stands where a failure of such an ask names the setting of its time-out: no setting changes this one.
const patienceKey = "the patience of coherer top"

// mostProcesses is how many processes are asked at most.
const mostProcesses = 1000

// Sample is the counters of all processes at one time.
type Sample struct {
	Processes []metrics.Snapshot // in the order of their names
	// Silent are processes that are known and did not answer. An executor is there once for each process that asked it.
	Silent []Silent
}

// Silent is a process that did not answer.
type Silent struct {
	Name    string
	Address rpcenv.Address
	Err     error
}

// Take asks the processes at roots, and all that they lead to. When no root answers it returns the error of the first.
func Take(ctx context.Context, env *rpcenv.Env, roots []rpcenv.Address) (Sample, error) {
	var s Sample
	seen := map[rpcenv.Address]bool{}
	known := map[process]bool{}
	var next []Silent // those to ask
	add := func(name string, a rpcenv.Address) {
		if !seen[a] && len(seen) < mostProcesses {
			seen[a] = true
			next = append(next, Silent{Name: name, Address: a})
		}
	}
	for _, a := range roots {
		add("", a)
	}
	// Wave by wave: the peers of those that answered are the next to ask. seen keeps cycles from being walked twice.
	for len(next) > 0 {
		asked := next
		next = nil
		for i, answer := range askAll(ctx, env, asked) {
			if asked[i].Err != nil {
				s.Silent = append(s.Silent, asked[i])
				continue
			}
			for _, m := range append([]*tracepb.MetricsRead{answer}, answer.GetClients()...) {
				snap := reader.Decode(m)
				p := processOf(&snap)
				if known[p] { // an executor is a client of its driver and of its Worker
					continue
				}
				known[p] = true
				s.Processes = append(s.Processes, snap)
				s.Silent = append(s.Silent, silentClients(&snap, m.GetSilentClients())...)
				for _, peer := range snap.Peers {
					if a, err := rpcenv.ParseAddress(peer.Address); err == nil && peer.Listens && peer.Connected {
						add(peer.Name, a)
					}
				}
			}
		}
		if len(s.Processes) == 0 { // only in the first wave
			return s, fmt.Errorf("no process answers at %s: %w", s.Silent[0].Address, s.Silent[0].Err)
		}
	}
	slices.SortFunc(s.Processes, func(a, b metrics.Snapshot) int {
		return cmp.Or(cmp.Compare(a.Env, b.Env), cmp.Compare(a.Incarnation, b.Incarnation))
	})
	slices.SortFunc(s.Silent, func(a, b Silent) int { return cmp.Compare(a.Address.String(), b.Address.String()) })
	return s, nil
}

// silentClients are the Envs in client mode that did not answer the process that asked them.
func silentClients(asker *metrics.Snapshot, addresses []string) []Silent {
	var silent []Silent
	for _, text := range addresses {
		a, err := rpcenv.ParseAddress(text)
		if err != nil {
			continue
		}
		s := Silent{Address: a, Err: fmt.Errorf("%s asked it, and waited for %v", asker.Env, reader.Patience)}
		for _, peer := range asker.Peers {
			if peer.Address == text {
				s.Name = peer.Name
			}
		}
		silent = append(silent, s)
	}
	return silent
}

// askAll asks side by side. The error of one that does not answer is put into its entry.
func askAll(ctx context.Context, env *rpcenv.Env, all []Silent) []*tracepb.MetricsRead {
	answers := make([]*tracepb.MetricsRead, len(all))
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			b := env.Blocking(ctx)
			defer b.Close()
			answers[i], all[i].Err = rpcenv.AskWait(b, env.Ref(all[i].Address, reader.Name),
				&tracepb.ReadMetrics{Times: true, Clients: true}, rpcenv.Timeout(patienceKey, patience))
		})
	}
	wg.Wait()
	return answers
}

// process tells processes apart: two executors of two applications have one name.
type process struct {
	env         string
	incarnation uint64
}

func processOf(s *metrics.Snapshot) process { return process{s.Env, s.Incarnation} }
