package fetch

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/rpcenv"
)

// attempt is a request on its way, with its retries.
type attempt struct {
	*fetch
	*request
	left    []int         // blocks that have not come
	damaged []int         // blocks that came damaged in this try
	first   map[int]error // by block: how it came damaged the first time
	retries int
}

// errOver ends a transfer whose blocks nobody wants any more.
var errOver = errors.New("nobody reads the blocks any more")

// run asks until all blocks have come, or cannot be had.
func (a *attempt) run(b *rpcenv.Blocking) {
	a.left, a.first = a.blocks, map[int]error{}
	for len(a.left) > 0 && !b.Done() && !a.isOver() {
		err := a.try(b)
		if err != nil && !a.goesOn(b, err) {
			return
		}
		if err == nil && len(a.left) > 0 {
			a.fail(errors.New("it did not come"))
			return
		}
		// Those that were damaged on their way, or lie there so.
		a.left = slices.Concat(a.damaged, a.left)
		slices.Sort(a.left)
		a.damaged = nil
	}
}

// try asks once for what is left.
func (a *attempt) try(b *rpcenv.Blocking) error {
	asked := a.left
	ids := make([]string, len(asked))
	for j, i := range asked {
		ids[j] = a.list[i].ID
	}
	next := 0
	one := func(c content, err error) error {
		i := asked[next]
		switch {
		case errors.Is(err, ErrDamaged) && a.first[i] == nil:
			logDamage(b, a.list[i], err)
			a.first[i] = err
			a.damaged = append(a.damaged, i)
		case errors.Is(err, ErrDamaged):
			a.put(a.request, i, content{}, &Error{a.list[i], diagnose(a.list[i], a.first[i], err)})
		case err != nil:
			return err
		default:
			a.put(a.request, i, c, nil)
		}
		next++
		if a.isOver() {
			return errOver
		}
		return nil
	}
	defer func() { a.left = asked[next:] }()
	if s, ok := a.Transfer.(storage.Streamer); ok && a.large() {
		return s.Stream(b, a.at, ids, func(j int, r io.Reader, size int64) error {
			return one(a.receive(asked[j], r, size))
		})
	}
	return a.Transfer.Fetch(b, a.at, ids, func(_ int, data []byte) error {
		return one(inMemory(data, a.Sum))
	})
}

// large reports whether a block that is left is too large for memory.
func (a *attempt) large() bool {
	return slices.ContainsFunc(a.left, func(i int) bool { return a.list[i].Size > a.ToMemory })
}

// receive takes a block as a stream.
func (a *attempt) receive(i int, r io.Reader, size int64) (content, error) {
	if size != a.list[i].Size { // not what its map task wrote; memory is not taken on the word of a peer
		return content{}, fmt.Errorf("%w: it has %d bytes, its map output %d", damage{size: size}, size, a.list[i].Size)
	}
	if size > a.ToMemory {
		return stored(r, size, a.Files, a.Sum)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return content{}, err
	}
	return inMemory(data, a.Sum)
}

// goesOn reports, after a pause, whether a failure is worth another try. If not, what is left has failed.
func (a *attempt) goesOn(b *rpcenv.Blocking, err error) bool {
	if !errors.Is(err, storage.ErrConnection) || b.Done() || a.isOver() {
		a.fail(err)
		return false
	}
	if a.Alive != nil {
		// An executor that the driver has lost does not come back, and its stage waits for this failure. Without an answer it is tried
		// again, as in Spark.
		if alive, unknown := a.Alive(b, a.executor); unknown == nil && !alive {
			a.fail(fmt.Errorf("%w: executor %s: %w", ErrExecutorDead, a.executor, err))
			return false
		}
	}
	if a.retries >= a.Retries {
		if a.Retries > 0 {
			err = fmt.Errorf("%w, after %d retries", err, a.retries)
		}
		a.fail(err)
		return false
	}
	a.retries++
	b.Env().Log().Infof("Retrying fetch (%d/%d) for %d outstanding blocks after %d ms: %v", a.retries, a.Retries, len(a.left)+len(a.damaged),
		a.RetryWait.Milliseconds(), err)
	if stopped := b.Sleep(a.RetryWait); stopped != nil {
		a.fail(stopped)
		return false
	}
	return true
}

// fail is the end of all blocks that have not come.
func (a *attempt) fail(err error) {
	for _, i := range slices.Concat(a.damaged, a.left) {
		a.put(a.request, i, content{}, &Error{a.list[i], err})
	}
}
