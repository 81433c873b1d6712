package parent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// parentPipe makes this process believe that it has a parent, which holds the rope.
func parentPipe(t *testing.T) (held int, rope *os.File) {
	t.Helper()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	rope = os.NewFile(uintptr(fds[1]), "rope")
	t.Cleanup(func() { _ = rope.Close() })
	t.Setenv(FDVar, strconv.Itoa(fds[0]))
	return fds[0], rope
}

// The pipe alone, as on systems that do not signal the parent's death.
func TestTheEndOfTheParentIsSeenOnce(t *testing.T) {
	held, rope := parentPipe(t)
	gone := make(chan struct{}, 2)
	stop, err := Watch(func() { gone <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if flags, err := unix.FcntlInt(uintptr(held), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("other programs inherit the descriptor: %#x, %v", flags, err)
	}
	if _, err := rope.WriteString("means nothing"); err != nil {
		t.Fatal(err)
	}
	_ = rope.Close()
	<-gone
	stop()
	if len(gone) > 0 {
		t.Error("it was seen twice")
	}
}

func TestAWatchThatWasStoppedSeesNothing(t *testing.T) {
	_, rope := parentPipe(t)
	stop, err := Watch(func() { t.Error("the parent is not gone") })
	if err != nil {
		t.Fatal(err)
	}
	stop()
	stop()
	_ = rope.Close()
}

func TestAProcessWithoutAParentWatchesNothing(t *testing.T) {
	t.Setenv(FDVar, "")
	_ = os.Unsetenv(FDVar)
	if fd, ok, err := FD(); fd != 0 || ok || err != nil {
		t.Errorf("got %d, %v, %v", fd, ok, err)
	}
	stop, err := Watch(func() { t.Error("there is no parent") })
	if err != nil {
		t.Fatal(err)
	}
	stop()
}

func TestTheParentsDescriptorIsRead(t *testing.T) {
	held, _ := parentPipe(t)
	defer func() { _ = syscall.Close(held) }()
	if fd, ok, err := FD(); fd != held || !ok || err != nil {
		t.Errorf("got %d, %v, %v, want %d", fd, ok, err, held)
	}
}

func TestAParentsDescriptorThatIsNoneIsRefused(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	file := strconv.Itoa(int(f.Fd()))
	number := "want the number of a descriptor above 2: unset it"
	for value, why := range map[string]string{
		"": `="": ` + number, "x": `="x": ` + number, "-1": `="-1": ` + number, "0": `="0": ` + number, "2": `="2": ` + number,
		"99999999999999999999": `="99999999999999999999": ` + number,
		"999999":               "=999999: it is not an open descriptor: bad file descriptor: unset it",
		file:                   "=" + file + ": it is not a pipe to read from: unset it",
	} {
		t.Setenv(FDVar, value)
		if fd, ok, err := FD(); fd != 0 || ok || err == nil || err.Error() != FDVar+why {
			t.Errorf("%q: %d, %v, %v", value, fd, ok, err)
		}
		stop, err := Watch(func() { t.Error("there is no parent") })
		if err == nil || err.Error() != FDVar+why {
			t.Errorf("%q: watched, %v", value, err)
		}
		stop()
	}
}

func TestADescriptorIsForWritingOrAPipeToReadFrom(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(flag int) *os.File {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	input, output, both := open(os.O_RDONLY), open(os.O_WRONLY), open(os.O_RDWR)
	defer func() {
		for _, f := range []*os.File{r, w, input, output, both} {
			_ = f.Close()
		}
	}()
	for _, c := range []struct {
		name            string
		f               *os.File
		toRead, toWrite string
	}{
		{"a pipe's end to read", r, "", "it is not open for writing"},
		{"a pipe's end to write", w, "it is not a pipe to read from", ""},
		{"a file to read", input, "it is not a pipe to read from", "it is not open for writing"},
		{"a file to write", output, "it is not a pipe to read from", ""},
		{"a file for both", both, "it is not a pipe to read from", ""},
	} {
		fd := int(c.f.Fd())
		if got := saysOf(CheckFD(fd, false)); got != c.toRead {
			t.Errorf("%s, to read: %q, want %q", c.name, got, c.toRead)
		}
		if got := saysOf(CheckFD(fd, true)); got != c.toWrite {
			t.Errorf("%s, to write: %q, want %q", c.name, got, c.toWrite)
		}
	}
	for _, write := range []bool{false, true} {
		if err := CheckFD(999999, write); !errors.Is(err, syscall.EBADF) {
			t.Errorf("no descriptor: %v", err)
		}
	}
}

// textOf is the text of an error; empty for nil.
func saysOf(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprint(err)
}
