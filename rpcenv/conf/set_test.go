package conf

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTwiceIsAFault(t *testing.T) {
	one, other := NewSet(), NewSet()
	Declare(one, "spark.worker.timeout", Ints, "1", "A.")
	Declare(one, "spark.task.cpus", Ints, "1", "B.")
	Declare(other, "spark.worker.timeout", Ints, "1", "C.")
	if faults := Union(one, other).Faults(); len(faults) != 1 || faults[0].Error() != "spark.worker.timeout is declared twice" {
		t.Errorf("faults: %v", faults)
	}
}

func TestAMistakeInADeclarationIsAFault(t *testing.T) {
	own := NewSet()
	Declare(own, "spark.a", AtLeast(Ints, 3), "2", "A.")
	Declare(own, "spark.b", AtLeast(Ints, 3), "3", "B.")
	Declare(own, "spark.c", Durations(time.Second), "1q", "C.")
	want := `default of spark.a = "2": too small: want a whole number of at least 3, for example 2
default of spark.c = "1q": unknown unit "q": want a time, a whole number with us, ms, s, m, h or d (without: s), for example 1q`
	if got := errors.Join(own.Faults()...); got == nil || got.Error() != want {
		t.Errorf("%v", got)
	}
}

// What a program declares beside the settings of others is checked, described and offered as theirs are.
func TestAProgramAddsItsOwnSettings(t *testing.T) {
	others, own := NewSet(), NewSet()
	Declare(others, "spark.task.cpus", Ints, "1", "The cores of one task.")
	limit := Declare(own, "spark.myapp.limit", AtLeast(Ints, 1), "10", "How many there may be.")
	Declare(own, "myapp.step", Ints, "1", "A number whose key is not of Spark's form.")
	prefix := own.Family("spark.myapp.color.")
	if _, err := New(map[string]string{"spark.myapp.limit": "0"}, others, own); err == nil {
		t.Error("0 is taken")
	}
	pairs := map[string]string{"spark.myapp.limit": "7", "spark.task.cpu": "2", "myapp.stp": "2", prefix + "red": "1", prefix: "1"}
	c, err := New(pairs, others, own)
	if err != nil {
		t.Fatal(err)
	}
	if got := limit.Get(c); got != 7 {
		t.Errorf("the limit is %d", got)
	}
	want := []string{
		"Ignoring non-Spark config property: myapp.stp: did you mean myapp.step?", "unknown setting spark.myapp.color.",
		"unknown setting spark.task.cpu: did you mean spark.task.cpus?",
	}
	if got := c.Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if all := Union(others, own).Entries(); len(all) != 3 || all[1].Key != "spark.myapp.limit" {
		t.Errorf("%+v", all)
	}
}

func TestAValueThatNoSetHasCheckedIsReadAllTheSame(t *testing.T) {
	own := NewSet()
	limit := Declare(own, "spark.myapp.limit", Ints, "10", "How many there may be.")
	poll := Declare(own, "yarn.poll", Ints, "10", "How often.")
	c, err := New(map[string]string{"spark.myapp.limit": "7", "yarn.poll": "1", "spark.hadoop.yarn.poll": "2"})
	if err != nil || limit.Get(c) != 7 || poll.Get(c) != 2 {
		t.Errorf("%d, %d, %v", limit.Get(c), poll.Get(c), err)
	}
	bad, err := New(map[string]string{"spark.hadoop.yarn.poll": "often"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		want := "conf: give New the Set of yarn.poll: spark.hadoop.yarn.poll = \"often\": "
		if got, _ := recover().(string); !strings.HasPrefix(got, want) {
			t.Errorf("%q", got)
		}
	}()
	poll.Get(bad)
}

func TestAConfIsCheckedByAFurtherSet(t *testing.T) {
	own, others := NewSet(), NewSet()
	Declare(own, "spark.own", Ints, "1", "A number.")
	Declare(others, "spark.other", Ints, "1", "A number.")
	c, err := New(map[string]string{"spark.own": "2", "spark.other": "many", "java.home": "/"}, own)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Knowing(own); got != c || err != nil {
		t.Errorf("%p, %v; want %p", got, err, c)
	}
	var bad *ValueError
	if _, err := c.Knowing(others); !errors.As(err, &bad) || bad.Key != "spark.other" {
		t.Errorf("%v", err)
	}
	c, _ = c.With(map[string]string{"spark.other": "3"})
	if c, err = c.Knowing(others); err != nil {
		t.Fatal(err)
	}
	if got := c.Warnings(); !slices.Equal(got, []string{"Ignoring non-Spark config property: java.home"}) {
		t.Errorf("%q", got)
	}
	if c, err = (*Conf)(nil).Knowing(others); c != nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
}
