package status

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// patience is how long a Master may take to answer.
const patience = 3 * time.Second

// patienceKey stands where a failure of such an ask names the setting of its time-out: no setting changes this one.
const patienceKey = "the patience of coherer status"

// Master is one Master of the cluster.
type Master struct {
	Address rpcenv.Address
	// State is its answer; nil: it did not answer, and Err says why.
	State *deploy.MasterStateResponse
	Err   error
}

// ErrResourceManager is the error of an address that is said to be a Master's and is a ResourceManager's.
var ErrResourceManager = errors.New("it is a ResourceManager")

// Take asks all Masters side by side. It is an error, which names each, when none answers.
func Take(ctx context.Context, env *rpcenv.Env, masters []rpcenv.Address) ([]Master, error) {
	all := make([]Master, len(masters))
	var wg sync.WaitGroup
	for i, a := range masters {
		wg.Go(func() {
			b := env.Blocking(ctx)
			defer b.Close()
			all[i].Address = a
			all[i].State, all[i].Err = rpcenv.AskWait(b, env.Ref(a, master.Name), &deploy.RequestMasterState{}, rpcenv.Timeout(patienceKey, patience))
			// A process answers, and has no endpoint Master: users name a ResourceManager by mistake.
			if errors.Is(all[i].Err, rpcenv.ErrRefusedNotFound) && isResourceManager(b, a) {
				all[i].Err = fmt.Errorf("%w: name it %s", ErrResourceManager, a.YARNURL())
			}
		})
	}
	wg.Wait()
	var silent []string
	for _, m := range all {
		if m.Err == nil {
			return all, nil
		}
		silent = append(silent, fmt.Sprintf("%s: %v", m.Address.SparkURL(), m.Err))
	}
	return all, fmt.Errorf("no Master answers: %s", strings.Join(silent, "; "))
}

// isResourceManager reports whether a ResourceManager listens at a.
func isResourceManager(b *rpcenv.Blocking, a rpcenv.Address) bool {
	found, err := rpcenv.AskWait(b, rpcenv.Ref{Address: a, Name: rpcenv.VerifierName},
		&rpc.CheckExistence{Name: ids.ClientRMService}, rpcenv.Timeout(patienceKey, patience))
	return err == nil && found.GetValue()
}

// Leader is the Master that leads; of several that think so the one with the highest term. nil: none does.
func Leader(all []Master) *deploy.MasterStateResponse {
	var leader *deploy.MasterStateResponse
	for _, m := range all {
		// A Master that was cut off may not know that it was deposed, so the term decides.
		leads := m.State != nil && m.State.GetStatus() != master.RecoveryStandby.String()
		if leads && (leader == nil || m.State.GetMasterTerm() > leader.GetMasterTerm()) {
			leader = m.State
		}
	}
	return leader
}
