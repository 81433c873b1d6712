package recovery

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
)

// Memory is a [records.Store] for simulations and tests: it outlives its Master's Env as a disk does. The zero value is usable.
type Memory struct {
	mu      sync.Mutex
	records map[string][]byte
}

// Load reads all records.
func (m *Memory) Load(*rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, value := range maps.All(m.records) {
		kept = append(kept, records.Change{Key: key, Value: slices.Clone(value)})
	}
	slices.SortFunc(kept, func(a, b records.Change) int { return cmp.Compare(a.Key, b.Key) })
	return kept, nil, nil
}

// Write makes changes durable.
func (m *Memory) Write(_ *rpcenv.Blocking, changes []records.Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range changes {
		if c.Value == nil {
			delete(m.records, c.Key)
			continue
		}
		if m.records == nil {
			m.records = map[string][]byte{}
		}
		m.records[c.Key] = slices.Clone(c.Value)
	}
	return nil
}
