package flows

import (
	"context"
	"time"

	"github.com/coherer/coherer/bench/flows/hollow"
	"github.com/coherer/coherer/bench/flows/watched"
	"github.com/coherer/coherer/messages/deploy"
)

func serveHeartbeats(r *role) error { return serveMaster(r, watched.Heartbeat, true) }

func runHeartbeats(ctx context.Context, d *drive) error {
	var hands []hand
	// No Worker is acknowledged before the trial, which begins when hands are there.
	hands, err := d.hire(ctx, func(i int, w *hollow.Worker) {
		w.Acknowledged = func() { d.did(i, hands[i].began) }
	})
	if err != nil {
		return err
	}
	d.begin = func(i int, at time.Duration) {
		h := &hands[i]
		h.began = at
		if err := h.env.Send(d.master(), &deploy.Heartbeat{WorkerId: h.id, Worker: h.ref.Proto()}); err != nil {
			d.end(err)
		}
	}
	return d.trialOf(ctx, len(hands))
}
