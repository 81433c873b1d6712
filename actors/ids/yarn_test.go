package ids

import (
	"math"
	"testing"
)

func TestTextsOfYARN(t *testing.T) {
	app := Application{1767225600000, 7}
	for id, want := range map[interface{ String() string }]string{
		app:                              "application_1767225600000_0007",
		Application{1, 12345}:            "application_1_12345",
		Attempt{app, 2}:                  "appattempt_1767225600000_0007_000002",
		Container{Attempt{app, 2}, 0, 3}: "container_1767225600000_0007_02_000003",
		Container{Attempt{app, 2}, 1, 3}: "container_e01_1767225600000_0007_02_000003",
		Container{Attempt{app, 123}, 100, 1234567}: "container_e100_1767225600000_0007_123_1234567",
	} {
		if got := id.String(); got != want || !Plain(got) {
			t.Errorf("%#v is %q, want %q", id, got, want)
		}
		checkRoundTrip(t, want)
	}
}

func checkRoundTrip(t *testing.T, text string) {
	t.Helper()
	var got string
	if a, err := ParseApplication(text); err == nil {
		got = a.String()
	} else if a, err := ParseAttempt(text); err == nil {
		got = a.String()
	} else if c, err := ParseContainer(text); err == nil {
		got = c.String()
	} else {
		t.Errorf("%q: %v", text, err)
	}
	if got != text {
		t.Errorf("%q became %q", text, got)
	}
}

func TestAnIdHasOneTextOnly(t *testing.T) {
	for _, text := range []string{
		"", "application", "application_", "application_1", "application_1_1", "application_1_00001", "application_1_0001_",
		"application_-1_0001", "application_+1_0001", "application_1_4294967297", "application_9223372036854775808_0001",
		"application_01_0001", "application_1_../..", "appattempt_1_0001_1", "appattempt_1_0001", "container_1_0001_01",
		"container_1_0001_1_000001", "container_e00_1_0001_01_000001", "container_e1_1_0001_01_000001", "container_e_1_0001_01_000001",
		"container_e8388608_1_0001_01_000001", "container_1_0001_01_1099511627776", "container_1_0001_01_000001/x", "application_1_0001\n",
	} {
		if a, err := ParseApplication(text); err == nil {
			t.Errorf("application %q: %v", text, a)
		}
		if a, err := ParseAttempt(text); err == nil {
			t.Errorf("attempt %q: %v", text, a)
		}
		if c, err := ParseContainer(text); err == nil {
			t.Errorf("container %q: %v", text, c)
		}
	}
}

func TestNumberOfAContainer(t *testing.T) {
	for _, c := range []Container{{Seq: 1}, {Epoch: 1, Seq: 1}, {Epoch: MaxEpoch, Seq: maxSequence}} {
		if got, err := containerOf(Attempt{}, c.Number()); err != nil || got != c {
			t.Errorf("%v became %v, %v", c, got, err)
		}
	}
	if n := (Container{Epoch: 1, Seq: 1}).Number(); n != 1<<40+1 {
		t.Errorf("epoch 1, container 1 is %d", n)
	}
	if n := (Container{Epoch: MaxEpoch, Seq: maxSequence}).Number(); n != math.MaxInt64 {
		t.Errorf("the largest is %d", n)
	}
	if _, err := containerOf(Attempt{}, -1); err == nil {
		t.Error("a negative number is a container")
	}
}

func FuzzParseContainer(f *testing.F) {
	for _, s := range []string{"container_e01_1_0001_01_000001", "container_1_0001_01_000001", "container_e", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if c, err := ParseContainer(s); err == nil && (c.String() != s || !Plain(s)) {
			t.Errorf("%q became %v", s, c)
		}
	})
}
