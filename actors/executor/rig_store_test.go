package executor_test

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// store has blocks in memory: an executor's own, and those of others by their port.
type store struct {
	own    map[string][]byte
	others map[int]map[string][]byte
	full   bool

	// before comes ahead of each fetch of others' blocks, which fails with its error; nil: there is nothing to do.
	before  func(b *rpcenv.Blocking, from rpcenv.Address, ids []string) error
	aborted int // map outputs that were given up
	cached  func(id string) ([]byte, bool)
}

func (s *store) MapOutput(shuffle int32, task int64, reducers int) (executor.MapOutput, error) {
	blocks := make(rdd.Blocks, reducers)
	return &output{MapOutput: blocks.Output(), store: s, blocks: blocks, id: fmt.Sprintf("shuffle_%d_%d_", shuffle, task)}, nil
}

// output is a map output that is written.
type output struct {
	rdd.MapOutput
	store  *store
	blocks rdd.Blocks
	id     string
}

func (o *output) Commit() ([]int64, error) {
	var ids []string
	var sizes []int64
	for i, b := range o.blocks {
		ids, sizes = append(ids, fmt.Sprint(o.id, i)), append(sizes, int64(len(b)))
	}
	return sizes, o.store.Put(ids, o.blocks)
}

func (o *output) Abort() error {
	o.store.aborted++
	return nil
}

func (*store) Create() (rdd.SpillFile, error) { return nil, errors.New("there are no temporary files") }

func (s *store) Put(ids []string, data [][]byte) error {
	if s.full {
		return errors.New("no space left on device")
	}
	for i, id := range ids {
		if len(data[i]) > 0 {
			s.own[id] = data[i]
		}
	}
	return nil
}

func (s *store) Get(id string) ([]byte, error) {
	if data, ok := s.own[id]; ok {
		return data, nil
	}
	return nil, errors.New("no block " + id)
}

func (s *store) Remove(id string) error {
	delete(s.own, id)
	return nil
}

func (s *store) Serve(lookup func(string) ([]byte, bool)) { s.cached = lookup }

func (*store) Address() rpcenv.Address { return rpcenv.Address{Host: "10.0.0.2", Port: 1} }

func (s *store) Fetch(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, []byte) error) error {
	if s.before != nil {
		if err := s.before(b, from, ids); err != nil {
			return err
		}
	}
	for i, id := range ids {
		data, ok := s.others[from.Port][id]
		if !ok {
			return errors.New("connection refused")
		}
		if err := each(i, data); err != nil {
			return err
		}
	}
	return nil
}
