package shuffleservice

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/storage"
)

// Bounds of what a peer may make the service remember.
const (
	maxExecutors = 10_000 // of an application
	maxDirs      = 100    // of an executor
)

// book is the applications that the daemon named, and their executors with their directories.
type book struct {
	apps map[string]map[string][]string
}

func newBook() book { return book{apps: map[string]map[string][]string{}} }

// start enters an application, without executors.
func (b *book) start(app string) {
	if b.apps[app] == nil {
		b.apps[app] = map[string][]string{}
	}
}

// check says what is wrong with a registration.
func (b *book) check(m *storage.RegisterShuffleExecutor) error {
	app, executor := m.GetAppId(), m.GetExecId()
	if err := ids.Check("executor", executor); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	known, started := b.apps[app]
	if !started {
		return fmt.Errorf("%w %.*q: only executors that this daemon started may register", ErrUnknownApplication, ids.Max, app)
	}
	if _, again := known[executor]; !again && len(known) >= maxExecutors {
		return fmt.Errorf("%w: application %s has %d executors here already", ErrRefused, app, len(known))
	}
	dirs := m.GetExecutorInfo().GetLocalDirs()
	if len(dirs) == 0 || len(dirs) > maxDirs {
		return fmt.Errorf("%w: executor %s of %s names %d local directories: want 1 to %d", ErrRefused, executor, app, len(dirs), maxDirs)
	}
	for _, dir := range dirs {
		if !path.IsAbs(dir) || path.Clean(dir) != dir {
			return fmt.Errorf("%w: local directory %.*q of executor %s of %s: want an absolute path without detours", ErrRefused, ids.Max, dir, executor, app)
		}
	}
	return nil
}

// enter enters an executor of a known application.
func (b *book) enter(x Executor, dirs []string) { b.apps[x.App][x.ID] = dirs }

// knows reports whether an executor is registered.
func (b *book) knows(x Executor) bool {
	_, ok := b.apps[x.App][x.ID]
	return ok
}

// stop forgets an application, and returns its executors and all their directories, in order.
func (b *book) stop(app string) (gone []Executor, dirs []string) {
	for id := range b.apps[app] {
		gone = append(gone, Executor{app, id})
	}
	slices.SortFunc(gone, func(a, b Executor) int { return cmp.Compare(a.ID, b.ID) })
	for _, x := range gone {
		dirs = append(dirs, b.apps[app][x.ID]...)
	}
	delete(b.apps, app)
	return gone, dirs
}
