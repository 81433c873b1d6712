package shuffleservice

import "github.com/coherer/coherer/rpcenv"

// disk removes files, one removal after the other and in their order: two of the same directories would trip over each other. It is Spark's
// directoryCleaner, a thread.
type disk struct {
	queue []removal // the first one is under way
}

// removal is something that is removed.
type removal struct {
	body func(*rpcenv.Blocking) error
	what string // for the log: "Failed to ..."
	done func() // after it, also when it failed; nil: nobody waits
}

// do removes something when what was asked for before has been removed.
func (d *disk) do(c *rpcenv.Context, r removal) {
	if d.queue = append(d.queue, r); len(d.queue) == 1 {
		d.next(c)
	}
}

func (d *disk) next(c *rpcenv.Context) {
	r := d.queue[0]
	rpcenv.Run(c, "disk", func(b *rpcenv.Blocking) (struct{}, error) { return struct{}{}, r.body(b) }, func(_ struct{}, err error) {
		if err != nil {
			c.Log().WithError(err).Errorf("Failed to %s", r.what)
		}
		if r.done != nil {
			r.done()
		}
		if d.queue = d.queue[1:]; len(d.queue) > 0 {
			d.next(c)
		}
	})
}
