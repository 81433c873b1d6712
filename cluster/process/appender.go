package process

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// appender copies what a process writes to a pipe into files that roll over. It always reads on: what cannot be written,
// because the disk is full, is counted and dropped, so that the process neither waits nor fails. It mirrors
// org.apache.spark.util.logging.FileAppender.
type appender struct {
	pipe    *os.File // the end to read from
	to      *roller
	dropped func(n int64, err error)
	done    sync.WaitGroup
}

// appenderGrace is how long the rest of the output may take to be read after a process's end; children of it that left its group
// may hold the pipe for ever.
const appenderGrace = time.Second

// appendTo makes an appender and gives the end of its pipe that the process writes to, which is the caller's to close.
func appendTo(o Output, now func() time.Time) (*appender, *os.File, error) {
	to, err := openRoller(o.Path, *o.Rolling, now)
	if err != nil {
		return nil, nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("pipe for the output: %w", explain(err)), to.Close())
	}
	a := &appender{pipe: read, to: to, dropped: o.Rolling.Dropped}
	if a.dropped == nil {
		a.dropped = func(int64, error) {}
	}
	a.done.Go(a.run)
	return a, write, nil
}

func (a *appender) run() {
	buffer := make([]byte, 8<<10)
	var lost int64
	var why error
	for {
		// What was read counts also beside an error: the last bytes may come with it.
		n, err := a.pipe.Read(buffer)
		if written, failed := a.write(buffer[:n]); failed != nil {
			if lost == 0 {
				a.dropped(0, failed)
			}
			lost, why = lost+int64(n-written), failed
		}
		if err != nil {
			break
		}
	}
	if lost > 0 {
		a.dropped(lost, why)
	}
}

func (a *appender) write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return a.to.Write(p)
}

// finish waits for the rest of the output after the process's end, and closes pipe and file.
func (a *appender) finish() {
	_ = a.pipe.SetReadDeadline(time.Now().Add(appenderGrace)) // pipes have deadlines, so this cannot fail
	a.abandon()
}

// abandon is finish when nobody has the pipe's other end.
func (a *appender) abandon() {
	a.done.Wait()
	a.pipe.Close()
	if err := a.to.Close(); err != nil {
		a.dropped(0, err)
	}
}
