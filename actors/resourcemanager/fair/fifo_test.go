package fair

import (
	"testing"
)

// One queue, in the order of coming, as many as fit with one update of a node, near ones first.
func TestFIFO(t *testing.T) {
	f, err := NewFIFO(0, DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"h1", "h2"} {
		if err := f.AddNode(0, NodeSpec{host + ":1", host, "r" + host, Resource{4096, 1}}); err != nil {
			t.Fatal(err)
		}
	}
	for app := range int32(2) {
		id := attemptOf(app + 1)
		if queue, err := f.AddApp(0, id.App, Submission{User: "u", Queue: "root.anything"}); err != nil || queue != "default" {
			t.Fatalf("%q, %v", queue, err)
		}
		if runnable, err := f.AddAttempt(0, AttemptSpec{ID: id, Unmanaged: true}); err != nil || !runnable {
			t.Fatalf("%v, %v", runnable, err)
		}
	}
	one := Resource{1000, 1} // is made 1024
	asks := []Ask{
		{Key{2, 0}, Any, one, 1, true}, {Key{1, 0}, "h2", one, 1, true}, {Key{1, 0}, "rh2", one, 1, true}, {Key{1, 0}, Any, one, 3, true},
	}
	if _, err := f.Allocate(0, attemptOf(1), Demand{Asks: asks}); err != nil {
		t.Fatal(err)
	}
	g, err := f.Allocate(0, attemptOf(2), Demand{Asks: []Ask{{Key{1, 0}, Any, Resource{2048, 9}, 2, true}}})
	if err != nil || g.Headroom != (Resource{8192, 2}) {
		t.Fatalf("%+v, %v", g, err)
	}
	update := func(host string) []Event {
		events, err := f.NodeUpdate(0, host+":1", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	// Cores do not count; the rest of the node is too small for the second application.
	same(t, "h2", update("h2"), "allocated 1:1 h2:1", "allocated 1:2 h2:1", "allocated 1:3 h2:1", "allocated 1:4 h2:1")
	same(t, "h1", update("h1"), "allocated 2:1 h1:1", "allocated 2:2 h1:1")
	same(t, "h1 again", update("h1"))
	if q := f.Queues(); len(q) != 1 || q[0].Name != "default" || q[0].Usage.Memory != 8192 {
		t.Errorf("%+v", q)
	}
	if a, _ := f.App(attemptOf(1)); a.Queue != "default" || a.Containers != 4 || len(a.Pending) != 0 {
		t.Errorf("%+v", a)
	}
	same(t, "the end", f.RemoveApp(0, attemptOf(2).App), "gone 2:1 h1:1 -100 KILL", "gone 2:2 h1:1 -100 KILL")
}
