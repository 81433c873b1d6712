package driver

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// fetchResult fetches what an attempt brought from the executor that keeps it, spark.resultGetter.threads of them at once. It
// mirrors org.apache.spark.scheduler.TaskResultGetter.
func (s *Scheduler) fetchResult(c *rpcenv.Context, e *executor, m *app.StatusUpdate) {
	id, transfer := m.GetTaskId(), s.cfg.Transfer
	lane := fmt.Sprintf("task-result-getter-%d", id%int64(resultGetterThreads.Get(c.Conf())))
	rpcenv.Run(c, lane, func(b *rpcenv.Blocking) (*app.TaskResult, error) {
		return fetchedResult(b, transfer, id, m.GetResult())
	},
		func(r *app.TaskResult, err error) {
			if err != nil {
				c.Log().Warnf("The result of TID %d, %d bytes, is lost: %v", id, m.GetResult().GetSize(), err)
				r = nil
			}
			s.apply(c, s.tasks.Fetched(id, r, c.Now()))
			s.removeResult(c, e, m)
		})
}

// fetchedResult is a result with its records.
func fetchedResult(b *rpcenv.Blocking, t storage.Transfer, id int64, r *app.TaskResult) (*app.TaskResult, error) {
	at := r.GetBlockManager()
	switch {
	case at == nil:
		return nil, errors.New("its executor has not kept it")
	case t == nil:
		return nil, errors.New("this driver fetches no blocks: set driver.Config.Transfer")
	}
	full := proto.CloneOf(r)
	from := rpcenv.Address{Host: at.GetHost(), Port: int(at.GetPort())}
	err := t.Fetch(b, from, []string{storage.TaskResultID(id)}, func(_ int, data []byte) error {
		full.Records = data
		return nil
	})
	if err == nil && int64(len(full.Records)) != r.GetSize() {
		err = fmt.Errorf("%s gave %d bytes", from, len(full.Records))
	}
	return full, err
}

// removeResult lets an executor forget a result that it keeps. An executor that is gone has forgotten it.
func (s *Scheduler) removeResult(c *rpcenv.Context, e *executor, m *app.StatusUpdate) {
	if m.GetResult().GetBlockManager() != nil && s.executors.byID[e.id] == e {
		c.Send(e.ref, &storagepb.RemoveBlock{BlockId: storage.TaskResultID(m.GetTaskId())})
	}
}
