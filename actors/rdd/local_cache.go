package rdd

import (
	"context"
	"slices"
	"sync"
)

// localCache is what a Local runner keeps of persisted Datasets, for all its jobs.
type localCache struct {
	mu   sync.Mutex
	kept map[keptKey]map[int]Kept // by partition
}

type keptKey struct{ key, version string }

func newLocalCache() *localCache { return &localCache{kept: map[keptKey]map[int]Kept{}} }

// of is the cache as the tasks of one job see it. persisted are the nodes of its lineage.
func (x *localCache) of(persisted []Persisted) *jobCache {
	c := &jobCache{all: x, nodes: map[int]Persisted{}}
	for _, p := range persisted {
		c.nodes[p.Node] = p
	}
	return c
}

// Unpersist implements Unpersister.
func (x *localCache) Unpersist(_ context.Context, keys []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for k := range x.kept {
		if slices.Contains(keys, k.key) {
			delete(x.kept, k)
		}
	}
	return nil
}

// jobCache is a BlockCache.
type jobCache struct {
	all   *localCache
	nodes map[int]Persisted
}

func (c *jobCache) whole(node int) bool {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	p := c.nodes[node]
	return p.Partitions > 0 && len(c.all.kept[keptKey{p.Key, p.Version}]) == p.Partitions
}

func (c *jobCache) Get(node, partition int) (kept Kept, ok bool, err error) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	p := c.nodes[node]
	kept, ok = c.all.kept[keptKey{p.Key, p.Version}][partition]
	return kept, ok, nil
}

func (c *jobCache) Put(node, partition int) PartitionWriter {
	p, ok := c.nodes[node]
	if !ok {
		return nil
	}
	return &localWriter{all: c.all, key: keptKey{p.Key, p.Version}, partition: partition}
}

type localWriter struct {
	all       *localCache
	key       keptKey
	partition int
	pieces    [][]byte
}

func (w *localWriter) Write(piece []byte) bool {
	w.pieces = append(w.pieces, piece)
	return true
}

func (w *localWriter) Grow(int64) bool { return true }

func (w *localWriter) Commit() error { return w.enter(Kept{Pieces: w.pieces}) }

func (w *localWriter) CommitRecords(records any, _ func() [][]byte) error {
	return w.enter(Kept{Records: records})
}

func (w *localWriter) enter(k Kept) error {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	if w.all.kept[w.key] == nil {
		w.all.kept[w.key] = map[int]Kept{}
	}
	w.all.kept[w.key][w.partition] = k
	return nil
}

func (w *localWriter) Abort() {}
