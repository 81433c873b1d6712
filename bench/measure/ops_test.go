package measure

import (
	"testing"
	"time"
)

func operations(inFlight int) Spec {
	return Spec{Contender: "x", Case: EndpointSpawn, Pairs: 1, InFlight: inFlight, Duration: time.Millisecond, Record: RecordOff}
}

// As many operations are under way as may be, the last of a batch is alone, and each has its time.
func TestOperationsKeepTheirWindow(t *testing.T) {
	s := operations(3)
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	o, err := NewOps(&s)
	if err != nil {
		t.Fatal(err)
	}
	var open []time.Duration
	var numbers []uint64
	for over := false; !over; {
		for n, at, ok := o.Next(); ok; n, at, ok = o.Next() {
			open, numbers = append(open, at), append(numbers, n)
		}
		if len(open) == 0 || len(open) > 3 {
			t.Fatalf("%d operations are under way, want 1 to 3", len(open))
		}
		if o.lastSent && len(open) > 1 {
			t.Fatalf("%d operations are under way beside the last", len(open)-1)
		}
		if over, err = o.Done(open[0]); err != nil {
			t.Fatal(err)
		}
		open = open[1:]
	}
	sent, err := o.group.sent()
	if err != nil {
		t.Fatal(err)
	}
	if sent.Messages == 0 || sent.Latency.Count() != sent.Messages || sent.Elapsed < time.Millisecond {
		t.Errorf("%d operations, %d times, in %s", sent.Messages, sent.Latency.Count(), sent.Elapsed)
	}
	if last := numbers[len(numbers)-1]; last != sent.Messages-1 {
		t.Errorf("the last of %d operations has the number %d", sent.Messages, last)
	}
}

func TestAnOperationThatWasNotBegunIsAFault(t *testing.T) {
	s := operations(1)
	o, err := NewOps(&s)
	if err != nil {
		t.Fatal(err)
	}
	_, at, _ := o.Next()
	if _, err := o.Done(at); err != nil {
		t.Fatal(err)
	}
	if over, err := o.Done(at); err == nil && !over {
		t.Error("it is done twice, and no fault")
	}
}
