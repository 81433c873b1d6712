package fetch

import (
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// fetch is one fetch that is under way.
type fetch struct {
	Source
	list   []Block
	remote []bool // by block: it comes over the network

	mu     sync.Mutex
	window window
	got    []slot // by block
	jobs   []*rpcenv.Job
	wake   func() // of the reader, while it waits
	over   bool   // nobody reads any more
}

// slot is what has come of a block.
type slot struct {
	content
	err  error
	done bool
}

// Blocks fetches blocks and gives them in their order, each good until the next one is asked for. An error is the last: an Error, or that
// of a reader whose task should end. Metrics are counted as blocks are given.
func Blocks(b *rpcenv.Blocking, s Source, blocks []Block, m *Metrics) iter.Seq2[io.Reader, error] {
	return func(yield func(io.Reader, error) bool) {
		f := &fetch{Source: s, list: blocks, remote: make([]bool, len(blocks)), got: make([]slot, len(blocks))}
		f.window = newWindow(s.Limits, plan(blocks, f.isRemote, s.Limits))
		for i, block := range blocks {
			f.remote[i] = f.isRemote(block)
		}
		defer f.end()
		for i := range blocks {
			// Also before a block of this executor: others come while it is read.
			f.issue(b, i)
			c, err := f.block(b, i, m)
			if err != nil {
				yield(nil, err)
				return
			}
			more := yield(c.reader(), nil)
			c.Close()
			if f.remote[i] {
				f.mu.Lock()
				f.window.read(f.list[i].Size)
				f.got[i] = slot{done: true}
				f.mu.Unlock()
			}
			if !more {
				return
			}
		}
	}
}

// isOwn reports whether this executor serves a block. One whose address is another is not its own, though its task may have written it: a
// shuffle service has it.
func (f *fetch) isOwn(block Block) bool {
	return block.At.GetExecutorId() == f.Self.GetExecutorId() && block.At.GetHost() == f.Self.GetHost() && block.At.GetPort() == f.Self.GetPort()
}

// isNear reports whether a block lies in a file of this host, which another executor wrote.
func (f *fetch) isNear(block Block) bool {
	return f.Near != nil && !f.isOwn(block) && block.At.GetHost() == f.Self.GetHost()
}

func (f *fetch) isRemote(block Block) bool { return !f.isOwn(block) && !f.isNear(block) }

// block is the next block of the reader.
func (f *fetch) block(b *rpcenv.Blocking, i int, m *Metrics) (content, error) {
	block := f.list[i]
	var c content
	var err error
	switch {
	case f.isOwn(block):
		if c, err = f.twice(b, block, func() (content, error) { return f.readOwn(block) }); err != nil {
			err = &Error{block, err}
		}
	case f.isNear(block):
		open := func() (rdd.File, error) { return f.Near(b, block.At, block.ID) }
		if c, err = f.twice(b, block, func() (content, error) { return f.readFile(block, open) }); err == nil {
			break
		}
		if b.Done() {
			return content{}, err
		}
		// Whatever the reason, such as another file system: its block manager has it too.
		f.remote[i] = true
		f.alone(i)
		f.issue(b, i)
		c, err = f.wait(b, i, m)
	default:
		c, err = f.wait(b, i, m)
	}
	switch {
	case err != nil:
		return c, err
	case !f.remote[i]:
		m.LocalBlocks++
		m.LocalBytes += c.full
	default:
		m.RemoteBlocks++
		m.RemoteBytes += c.full
		if c.file != nil {
			m.RemoteToDisk += c.full
		}
	}
	return c, nil
}

// twice reads a block of this host, and once more when it is damaged; the error of the second time says what is to blame.
func (f *fetch) twice(b *rpcenv.Blocking, block Block, read func() (content, error)) (content, error) {
	c, first := read()
	if !errors.Is(first, ErrDamaged) {
		return c, first
	}
	logDamage(b, block, first)
	c, err := read()
	if errors.Is(err, ErrDamaged) {
		err = diagnose(block, first, err)
	}
	return c, err
}

// readOwn reads a block of this executor.
func (f *fetch) readOwn(block Block) (c content, err error) {
	if block.Size > f.ToMemory && f.OpenOwn != nil {
		c, err = f.readFile(block, func() (rdd.File, error) { return f.OpenOwn(block.ID) })
	} else {
		var data []byte
		if data, err = f.Own(block.ID); err == nil {
			c, err = inMemory(data, f.Sum)
		}
	}
	return c, err
}

// readFile reads a block of a file of this host; a large one stays there.
func (f *fetch) readFile(block Block, open func() (rdd.File, error)) (content, error) {
	file, err := open()
	if err != nil {
		return content{}, err
	}
	if file.Size() != block.Size {
		// Another file than the one that its map task has reported.
		return content{}, errors.Join(damage{size: file.Size()}, file.Close())
	}
	if block.Size > f.ToMemory {
		return inFile(file, f.Sum)
	}
	data := make([]byte, block.Size)
	_, err = file.ReadAt(data, 0)
	if errors.Is(err, io.EOF) { // a ReaderAt may say so at its end
		err = nil
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return content{}, err
	}
	return inMemory(data, f.Sum)
}

// alone makes a request for one block that was not to come over the network.
func (f *fetch) alone(i int) {
	block := f.list[i]
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &request{at: block.addr(), executor: block.At.GetExecutorId(), blocks: []int{i}, size: block.Size}
	f.window.waiting = append([]*request{r}, f.window.waiting...)
}

// issue sends the requests that may go out. The reader wants a block, or will when it has read those before.
func (f *fetch) issue(b *rpcenv.Blocking, wanted int) {
	f.mu.Lock()
	out := f.window.next(wanted)
	f.mu.Unlock()
	for _, r := range out {
		// Without the lock, which the body takes.
		job := b.Env().Go("fetch", func(b *rpcenv.Blocking) error {
			(&attempt{fetch: f, request: r}).run(b)
			return nil
		})
		job.OnDone(func(err error) { f.ended(r, err) })
		f.mu.Lock()
		f.jobs = append(f.jobs, job)
		f.mu.Unlock()
	}
}

// wait waits for a block that a request brings.
func (f *fetch) wait(b *rpcenv.Blocking, i int, m *Metrics) (content, error) {
	began := b.Now()
	defer func() { m.Wait += b.Now().Sub(began) }()
	for {
		f.mu.Lock()
		s := f.got[i]
		f.mu.Unlock()
		if s.done {
			return s.content, s.err
		}
		err := b.Wait(func(wake func()) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.got[i].done { // it came before the wake was known
				wake()
				return
			}
			f.wake = wake
		})
		if err != nil {
			return content{}, err
		}
		f.issue(b, i) // a request that has ended makes room for another one
	}
}

// put is the end of a block: it has come, or cannot be had.
func (f *fetch) put(r *request, i int, c content, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.got[i].done || f.over {
		c.Close()
		return
	}
	f.got[i] = slot{content: c, err: err, done: true}
	f.window.came(r.at)
	f.wakeReader()
}

// ended is the end of a request, whose body may have panicked: then err is not nil.
func (f *fetch) ended(r *request, err error) {
	if err == nil {
		err = errors.New("it did not come")
	}
	for _, i := range r.blocks {
		f.put(r, i, content{}, &Error{f.list[i], err})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.window.ended()
	f.wakeReader()
}

// wakeReader wakes the reader, if it waits. The lock is held.
func (f *fetch) wakeReader() {
	if f.wake != nil {
		f.wake()
		f.wake = nil
	}
}

// isOver reports whether nobody reads any more.
func (f *fetch) isOver() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

// end gives up what is under way, and what has come and was not read.
func (f *fetch) end() {
	f.mu.Lock()
	f.over = true
	jobs := f.jobs
	for _, s := range f.got {
		s.Close()
	}
	f.got = make([]slot, len(f.got))
	f.mu.Unlock()
	for _, job := range jobs {
		job.Stop()
	}
}
