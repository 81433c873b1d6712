package recovery

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/rpcenv"
)

// Memory is a [master.Store] for simulations and tests: it outlives its Master's Env, which must not be said of disks. The
// zero value is usable. A Write that the Env's crash interrupts makes nothing durable.
type Memory struct {
	mu      sync.Mutex
	records map[string][]byte
	latency time.Duration
	fail    error
	writes  int
}

// SetLatency says how long a Write takes.
func (m *Memory) SetLatency(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latency = d
}

// Fail lets Writes fail with err from now on; nil: they succeed again.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

// Writes is how many Writes succeeded.
func (m *Memory) Writes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writes
}

// Load reads all records.
func (m *Memory) Load(*rpcenv.Blocking) (records []master.Change, bad []error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, value := range maps.All(m.records) {
		records = append(records, master.Change{Key: key, Value: slices.Clone(value)})
	}
	slices.SortFunc(records, func(a, b master.Change) int { return cmp.Compare(a.Key, b.Key) })
	return records, nil, nil
}

// Write makes changes durable when its time is over.
func (m *Memory) Write(b *rpcenv.Blocking, changes []master.Change) error {
	m.mu.Lock()
	latency := m.latency
	m.mu.Unlock()
	if latency > 0 {
		if err := b.Sleep(latency); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return fmt.Errorf("the records of a simulated Master: %w", m.fail)
	}
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
	m.writes++
	return nil
}
