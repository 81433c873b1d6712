package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/shufflefile"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

// near reads map outputs of other executors of this host from their files, as long as these are there: also those of an executor that has
// been killed. It asks each block manager once where they are, also one that refuses to say. It mirrors Spark's HostLocalDirManager.
type near struct {
	transfer    Transfer
	application string
	most        int // block managers that are remembered

	mu   sync.Mutex
	dirs map[neighbour][]string
	used []neighbour // the last used one last
}

// neighbour is a block manager of this host.
type neighbour struct {
	executor string
	at       rpcenv.Address
}

// openNear is what [executor.IO] has as Near: nil when the settings want no such reads.
func openNear(c *conf.Conf, t Transfer, application string) func(*rpcenv.Blocking, *storagepb.BlockManagerId, string) (rdd.File, error) {
	if !executor.ReadHostLocalDisk.Get(c) {
		return nil
	}
	n := &near{transfer: t, application: application, most: executor.LocalDiskCacheSize.Get(c), dirs: map[neighbour][]string{}}
	return n.open
}

// open opens a block of a map output. Its error is that of the asking, os.ErrNotExist, or shufflefile.ErrDamaged.
func (n *near) open(b *rpcenv.Blocking, at *storagepb.BlockManagerId, id string) (rdd.File, error) {
	shuffle, task, reduce, ok := executor.ParseShuffleBlock(id)
	if !ok {
		return nil, fmt.Errorf("%q is no block of a map output", id)
	}
	dirs, err := n.dirsOf(b, neighbour{at.GetExecutorId(), rpcenv.Address{Host: at.GetHost(), Port: int(at.GetPort())}})
	if err != nil {
		return nil, err
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("block %s: %w: the directories of executor %s", id, bulk.ErrNotServed, at.GetExecutorId())
	}
	span, err := shufflefile.Block(dirs, shufflefile.Output{Shuffle: shuffle, Task: task}, reduce)
	if err != nil {
		return nil, err
	}
	return openSection(span.Path, span.Offset, span.Size)
}

// dirsOf are a neighbour's directories.
func (n *near) dirsOf(b *rpcenv.Blocking, of neighbour) ([]string, error) {
	n.mu.Lock()
	dirs := n.dirs[of]
	if dirs != nil {
		n.touch(of)
	}
	n.mu.Unlock()
	if dirs != nil {
		return dirs, nil
	}
	// Without the lock: other tasks read meanwhile. Two that ask at once get the same answer.
	all, err := n.transfer.client.LocalDirs(b.Context(), of.at, n.application, []string{of.executor})
	refused := errors.Is(err, bulk.ErrNotServed)
	if err != nil && !refused {
		return nil, err
	}
	if refused {
		all = map[string][]string{of.executor: {}} // it would refuse each time
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dirs[of] = all[of.executor]
	n.touch(of)
	if len(n.used) > n.most {
		delete(n.dirs, n.used[0])
		n.used = n.used[1:]
	}
	return all[of.executor], nil
}

// touch makes a neighbour the last used one. The lock is held.
func (n *near) touch(of neighbour) {
	n.used = append(slices.DeleteFunc(n.used, func(x neighbour) bool { return x == of }), of)
}

// ownedBy says whose blocks they are. Until then the server tells nobody its directories.
func (b *blocks) ownedBy(application, executor string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.application, b.executor = application, executor
}

// LocalDirs implements [bulk.Directories]: an executor knows its own.
func (b *blocks) LocalDirs(application string, executors []string) (map[string][]string, error) {
	b.mu.Lock()
	mine := b.executor != "" && application == b.application && slices.Equal(executors, []string{b.executor})
	b.mu.Unlock()
	if !mine {
		return nil, fmt.Errorf("executors %q of application %s: this block manager knows the directories of its own executor only", executors, application)
	}
	dirs := make([]string, len(b.dirs))
	for i, dir := range b.dirs {
		var err error
		if dirs[i], err = filepath.Abs(dir); err != nil { // others have another working directory
			return nil, err
		}
	}
	return map[string][]string{executors[0]: dirs}, nil
}
