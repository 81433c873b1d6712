package local

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Damage flips a byte of the block with an id, such as shuffle_0_1_0 or rdd_3_0, on the disk of each executor that has it. It fails when
// none has, and in a World whose executors are processes: these have files.
func Damage(w World, id string) error {
	t := w.blocks()
	if t == nil {
		return errors.New("executors have the files of the operating system in this world")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found := false
	for _, s := range t.stores {
		if data := s.data[id]; len(data) > 0 {
			damaged := slices.Clone(data) // readers may have the old bytes
			damaged[len(damaged)/2] ^= 1
			s.data[id], found = damaged, true
		}
	}
	if !found {
		return fmt.Errorf("no executor has a block %s on its disk, of %q", id, t.ids())
	}
	return nil
}

// ids are those of all blocks. The lock is held.
func (t *blockTable) ids() []string {
	all := map[string]bool{}
	for _, s := range t.stores {
		for id := range s.data {
			all[id] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
