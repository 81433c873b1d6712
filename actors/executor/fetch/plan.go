//coherer:pure

package fetch

import "github.com/coherer/coherer/rpcenv"

// request is for blocks of one block manager.
type request struct {
	at       rpcenv.Address
	executor string
	blocks   []int // of the fetch, ascending
	size     int64
	// from is how many bytes lie in remote blocks before its first one.
	from int64
}

// most is how many blocks a request has at most: its message is bounded (package bulk), and so is the work that a retry repeats.
const most = 16 << 10

// plan groups remote blocks into requests, in the order of their first blocks. A request takes blocks of one block manager until it has
// a fifth of the bytes that may be in flight, as Spark's targetRemoteRequestSize: so five of them fill that. It takes none that lies
// further behind its first one than those bytes: what comes early has to wait in memory for all between.
func plan(blocks []Block, remote func(Block) bool, l Limits) []*request {
	type place struct {
		at       rpcenv.Address
		executor string
	}
	var all []*request
	open := map[place]*request{}
	target := max(l.InFlight/5, 1)
	passed := int64(0)
	for i, block := range blocks {
		if !remote(block) {
			continue
		}
		p := place{block.addr(), block.At.GetExecutorId()}
		r := open[p]
		if r == nil || r.size >= target || len(r.blocks) >= min(l.Blocks, most) || passed+block.Size-r.from > l.InFlight {
			r = &request{at: p.at, executor: p.executor, from: passed}
			open[p] = r
			all = append(all, r)
		}
		r.blocks = append(r.blocks, i)
		r.size += block.Size
		passed += block.Size
	}
	return all
}

// addr is where the block is served.
func (b Block) addr() rpcenv.Address {
	return rpcenv.Address{Host: b.At.GetHost(), Port: int(b.At.GetPort())}
}

// window says which requests may go out. Bytes are in flight until the reader has done with them, requests and blocks of an address until
// they have come.
type window struct {
	Limits
	waiting  []*request
	bytes    int64
	requests int
	blocks   map[rpcenv.Address]int
}

func newWindow(l Limits, requests []*request) window {
	return window{Limits: l, waiting: requests, blocks: map[rpcenv.Address]int{}}
}

// next takes the requests that go out now. The reader waits for the block wanted, or will; -1: for none.
func (w *window) next(wanted int) (out []*request) {
	kept := w.waiting[:0]
	full := false
	for _, r := range w.waiting {
		// Without this exception the reader could wait for ever: what is in flight may all lie behind the block that it wants.
		needed := r.blocks[0] == wanted
		full = full || w.requests >= w.Requests || w.bytes > 0 && w.bytes+r.size > w.InFlight && !needed
		// An address that has its share holds up no other one, as Spark's deferred requests.
		if n := w.blocks[r.at]; full || n > 0 && n+len(r.blocks) > w.Blocks {
			kept = append(kept, r)
			continue
		}
		w.bytes += r.size
		w.requests++
		w.blocks[r.at] += len(r.blocks)
		out = append(out, r)
	}
	w.waiting = kept
	return out
}

// came counts a block that has come, or will not.
func (w *window) came(at rpcenv.Address) {
	w.blocks[at]--
}

// ended counts a request that has ended.
func (w *window) ended() { w.requests-- }

// read counts a block that the reader has done with.
func (w *window) read(size int64) { w.bytes -= size }
