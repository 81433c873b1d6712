// Package parent lets a process notice that the one that started it is gone, also by kill -9. The parent holds the end for
// writing of a pipe and never writes; the child inherits the other end, whose number a variable of its environment says.
// Package cluster/process is the parents' side.
package parent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// FDVar is the environment variable that has, for a child, the number of the descriptor whose end of file means that
// its parent is gone.
const FDVar = "COHERER_PARENT_FD"

// Watch calls onGone once, on a goroutine of its own, when the process that started this one is gone; onGone
// usually exits. A process that no Starter of package cluster/process started has no such parent, and Watch does
// nothing. After stop returned onGone is not called any more, unless its call began before. From here on other programs
// that this process runs do not inherit the descriptor.
//
// An error says that the variable COHERER_PARENT_FD does not name a pipe to read from.
func Watch(onGone func()) (stop func(), err error) {
	fd, ok, err := FD()
	if !ok {
		return func() {}, err
	}
	unix.CloseOnExec(fd)
	// Only then does Close end a Read under way.
	if err := unix.SetNonblock(fd, true); err != nil {
		return func() {}, fmt.Errorf("%s=%d: %w", FDVar, fd, err)
	}
	rope := os.NewFile(uintptr(fd), "parent")
	done := make(chan struct{})
	go func() {
		// The parent writes nothing; should it ever, that means nothing.
		_, err := io.Copy(io.Discard, rope)
		close(done) // before onGone, which may call stop
		if err == nil {
			onGone() // an error means that stop closed the descriptor
		}
	}()
	return func() {
		rope.Close()
		<-done
	}, nil
}

// FD is the descriptor that the environment names; not ok when it names none.
func FD() (fd int, ok bool, err error) {
	text, ok := os.LookupEnv(FDVar)
	if !ok {
		return 0, false, nil
	}
	fd, err = strconv.Atoi(text)
	if err != nil || fd <= 2 {
		return 0, false, fmt.Errorf("%s=%q: want the number of a descriptor above 2: unset it", FDVar, text)
	}
	if err := CheckFD(fd, false); err != nil {
		return 0, false, fmt.Errorf("%s=%d: %w: unset it", FDVar, fd, err)
	}
	return fd, true, nil
}

// CheckFD finds out whether fd is open for writing, or is a pipe to read from.
func CheckFD(fd int, write bool) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return fmt.Errorf("it is not an open descriptor: %w", err)
	}
	if write {
		if flags&unix.O_ACCMODE == unix.O_RDONLY {
			return errors.New("it is not open for writing")
		}
		return nil
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFIFO || flags&unix.O_ACCMODE == unix.O_WRONLY {
		return errors.New("it is not a pipe to read from")
	}
	return nil
}
