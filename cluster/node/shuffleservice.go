package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/cluster/shufflefile"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

// shuffleOutputs serves the map outputs of executors of this machine, of all applications, at one port. They lie below the daemon's own
// directories. It mirrors org.apache.spark.network.shuffle.ExternalShuffleBlockResolver.
type shuffleOutputs struct {
	roots  []string // absolute
	addr   rpcenv.Address
	server io.Closer

	mu sync.Mutex
	// dirs has the directories of registered executors, each executor's in its own order.
	dirs map[shuffleservice.Executor][]string
}

var (
	_ shuffleservice.Outputs = (*shuffleOutputs)(nil)
	_ bulk.OwnedSource       = (*shuffleOutputs)(nil)
)

// serveShuffle serves map outputs at the daemon's host and spark.shuffle.service.port. Like Spark it tries no other port.
func (o *Options) serveShuffle(roots []string) (*shuffleOutputs, error) {
	s := &shuffleOutputs{dirs: map[shuffleservice.Executor][]string{}}
	for _, root := range roots {
		root, err := filepath.Abs(root)
		if err != nil {
			return nil, err
		}
		s.roots = append(s.roots, root)
	}
	var err error
	at := rpcenv.Address{Host: o.Listen.Host, Port: shuffleservice.ShuffleServicePort.Get(o.Conf)}
	s.addr, s.server, err = bulk.Serve(at, s, bulk.Options{IdleTimeout: rpcenv.NetworkTimeout.Get(o.Conf)})
	if err != nil {
		return nil, fmt.Errorf("shuffle service: %w", rpcenv.ListenAdvice(err, "--host", shuffleservice.ShuffleServicePort.Key()))
	}
	rpcenv.Door{Name: "the port of the shuffle service", At: s.addr.String(), Lets: "read what applications' tasks have computed", Close: byHost}.Warn(o.Log)
	return s, nil
}

// Close ends the server, and removes what registered executors have left: nobody serves it any more. A nil one serves nothing.
func (s *shuffleOutputs) Close() error {
	if s == nil {
		return nil
	}
	err := s.server.Close()
	for _, dirs := range s.dirs {
		err = errors.Join(err, s.Remove(nil, dirs))
	}
	return err
}

// Address implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Address() rpcenv.Address { return s.addr }

// Add implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Add(x shuffleservice.Executor, dirs []string) error {
	for _, dir := range dirs {
		if !slices.ContainsFunc(s.roots, func(root string) bool { return below(root, dir) }) {
			return fmt.Errorf("local directory %s of executor %s of %s is not below %s", dir, x.ID, x.App, strings.Join(s.roots, ", "))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirs[x] = slices.Clone(dirs)
	return nil
}

// below reports whether a directory lies in another one, and is not that one.
func below(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// Forget implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Forget(x shuffleservice.Executor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.dirs, x)
}

// Clean implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Clean(_ *rpcenv.Blocking, x shuffleservice.Executor) error {
	s.mu.Lock()
	dirs := s.dirs[x]
	s.mu.Unlock()
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && !isMapOutput(e.Name()) {
				err = os.Remove(path)
			}
			if errors.Is(err, fs.ErrNotExist) { // the executor removed it at its end
				return nil
			}
			return err
		}))
	}
	return errors.Join(errs...)
}

// isMapOutput reports whether a file is one of the two of a map output.
func isMapOutput(name string) bool {
	end := filepath.Ext(name)
	return strings.HasPrefix(name, "shuffle_") && (end == ".data" || end == ".index")
}

// Remove implements [shuffleservice.Outputs].
func (*shuffleOutputs) Remove(_ *rpcenv.Blocking, dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, os.RemoveAll(dir))
	}
	return errors.Join(errs...)
}

// OpenBlocks is for requests that name no application: they find nothing.
func (s *shuffleOutputs) OpenBlocks(ids []string) ([]bulk.Chunk, error) {
	return s.OpenBlocksOf(bulk.Owner{}, ids)
}

// OpenBlocksOf is called by the server.
func (s *shuffleOutputs) OpenBlocksOf(of bulk.Owner, ids []string) ([]bulk.Chunk, error) {
	owners, err := s.owners(of)
	if err != nil {
		return nil, err
	}
	chunks := make([]bulk.Chunk, len(ids))
	for i, id := range ids {
		if chunks[i], err = find(owners, id); err != nil {
			return nil, err
		}
	}
	return chunks, nil
}

// owners are the directories of the executors that a request means.
func (s *shuffleOutputs) owners(of bulk.Owner) ([][]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out [][]string
	for x, dirs := range s.dirs {
		if x.App == of.App && (x.ID == of.Executor || of.Executor == "") {
			out = append(out, dirs)
		}
	}
	if len(out) == 0 {
		return nil, shuffleservice.NotRegistered(shuffleservice.Executor{App: of.App, ID: of.Executor})
	}
	return out, nil
}

// find is a block of one of several executors. No two executors of an application write a map output of one name: it has the task's id.
func find(owners [][]string, id string) (bulk.Chunk, error) {
	shuffle, task, reduce, ok := executor.ParseShuffleBlock(id)
	if !ok {
		return bulk.Chunk{}, fmt.Errorf("%q is no shuffle block", id)
	}
	for _, dirs := range owners {
		at, err := shufflefile.Block(dirs, shufflefile.Output{Shuffle: shuffle, Task: task}, reduce)
		if err == nil {
			return bulk.FileChunk(at.Path, at.Offset, at.Size), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return bulk.Chunk{}, err
		}
	}
	return bulk.Chunk{}, fmt.Errorf("no block %s here", id)
}
