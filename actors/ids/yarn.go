//coherer:pure

package ids

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Application is YARN's ApplicationId: the start of the ResourceManager in milliseconds since 1970, and a number from 1.
// Its text is application_1767225600000_0001.
type Application struct {
	Timestamp int64
	ID        int32
}

// Attempt is YARN's ApplicationAttemptId: the attempts of an application count from 1. Its text is
// appattempt_1767225600000_0001_000001.
type Attempt struct {
	App     Application
	Attempt int32
}

// Container is YARN's ContainerId. Containers of an attempt count from 1 on, anew after each restart of the
// ResourceManager, whose number is the Epoch. Its text is container_1767225600000_0001_01_000001, or
// container_e03_1767225600000_0001_01_000001 with an epoch above 0.
type Container struct {
	Attempt Attempt
	Epoch   int32
	Seq     int64
}

// sequenceBits are the low bits of a container's number, those of Seq; the epoch lies above.
const sequenceBits = 40

// maxSequence bounds Container.Seq.
const maxSequence = int64(1)<<sequenceBits - 1

// MaxEpoch bounds Container.Epoch, so that epoch and sequence are one positive int64.
const MaxEpoch = int32(1)<<(63-sequenceBits) - 1

// Number is the int64 by which Hadoop's messages carry a container's sequence and epoch.
func (c Container) Number() int64 { return int64(c.Epoch)<<sequenceBits | c.Seq }

// containerOf is the inverse of Number. A negative number is an error.
func containerOf(a Attempt, number int64) (Container, error) {
	if number < 0 {
		return Container{}, fmt.Errorf("the container number %d is negative", number)
	}
	return Container{Attempt: a, Epoch: int32(number >> sequenceBits), Seq: number & maxSequence}, nil
}

func (a Application) String() string { return fmt.Sprintf("application_%d_%04d", a.Timestamp, a.ID) }

func (a Attempt) String() string {
	return fmt.Sprintf("appattempt_%d_%04d_%06d", a.App.Timestamp, a.App.ID, a.Attempt)
}

func (c Container) String() string {
	var epoch string
	if c.Epoch > 0 {
		epoch = fmt.Sprintf("e%02d_", c.Epoch)
	}
	return fmt.Sprintf("container_%s%d_%04d_%02d_%06d", epoch, c.Attempt.App.Timestamp, c.Attempt.App.ID, c.Attempt.Attempt, c.Seq)
}

// ParseApplication is the inverse of Application.String. Every other spelling of an id is an error, so that an id has one
// name as a map's key, a directory and a path.
func ParseApplication(text string) (Application, error) {
	n, ok := numbers(text, "application_", 2)
	if !ok {
		return Application{}, malformed("application", text, Application{1767225600000, 1})
	}
	id := Application{n[0], int32(n[1])}
	if id.String() != text { // leading zeros, or a number that the int32 has cut
		return Application{}, malformed("application", text, Application{1767225600000, 1})
	}
	return id, nil
}

// ParseAttempt is the inverse of Attempt.String, and as strict as ParseApplication.
func ParseAttempt(text string) (Attempt, error) {
	n, ok := numbers(text, "appattempt_", 3)
	if !ok {
		return Attempt{}, malformed("attempt", text, Attempt{Application{1767225600000, 1}, 1})
	}
	id := Attempt{Application{n[0], int32(n[1])}, int32(n[2])}
	if id.String() != text {
		return Attempt{}, malformed("attempt", text, Attempt{Application{1767225600000, 1}, 1})
	}
	return id, nil
}

// ParseContainer is the inverse of Container.String, and as strict as ParseApplication.
func ParseContainer(text string) (Container, error) {
	example := Container{Attempt: Attempt{Application{1767225600000, 1}, 1}, Seq: 1}
	rest, epoch := text, int64(0)
	if after, has := strings.CutPrefix(text, "container_e"); has {
		first, tail, _ := strings.Cut(after, "_")
		e, ok := decimal(first)
		if !ok || e > int64(MaxEpoch) {
			return Container{}, malformed("container", text, example)
		}
		rest, epoch = "container_"+tail, e
	}
	n, ok := numbers(rest, "container_", 4)
	if !ok || n[3] > maxSequence {
		return Container{}, malformed("container", text, example)
	}
	id := Container{Attempt{Application{n[0], int32(n[1])}, int32(n[2])}, int32(epoch), n[3]}
	if id.String() != text { // also an epoch that is 0, or not of two digits at least
		return Container{}, malformed("container", text, example)
	}
	return id, nil
}

// CompareContainers orders by application, attempt, epoch and sequence.
func CompareContainers(a, b Container) int {
	if c := CompareAttempts(a.Attempt, b.Attempt); c != 0 {
		return c
	}
	return cmp.Compare(a.Number(), b.Number())
}

// CompareAttempts orders by application and attempt.
func CompareAttempts(a, b Attempt) int {
	if c := CompareApplications(a.App, b.App); c != 0 {
		return c
	}
	return cmp.Compare(a.Attempt, b.Attempt)
}

// CompareApplications orders by timestamp and number.
func CompareApplications(a, b Application) int {
	if c := cmp.Compare(a.Timestamp, b.Timestamp); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// numbers are the want decimals of prefix followed by a_b_c; an int32 too wide is cut here and found when it is printed.
func numbers(text, prefix string, want int) ([]int64, bool) {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || len(text) > Max {
		return nil, false
	}
	parts := strings.Split(rest, "_")
	if len(parts) != want {
		return nil, false
	}
	out := make([]int64, want)
	for i, p := range parts {
		if out[i], ok = decimal(p); !ok {
			return nil, false
		}
	}
	return out, true
}

func decimal(s string) (int64, bool) {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func malformed(what, text string, example fmt.Stringer) error {
	return fmt.Errorf("%.*q is no %s id: want one like %s", Max, text, what, example)
}
