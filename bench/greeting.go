package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// The receiving sides of remote cases may be at another machine, where [Serve] waits for them. Each has a connection of its own.
// Its first line, a greeting, says which program to start; the answer to it is a line as well; then the connection is the stdin
// and stdout of that program. When the program has ended, a last line says how. A greeting without a contender only asks for the welcome.

// greeting is the first line of a connection.
type greeting struct {
	Bench      string `json:"bench"` // Format
	Contender  string `json:"contender,omitempty"`
	GOMAXPROCS int    `json:"gomaxprocs"`
}

// welcome is the answer to a greeting.
type welcome struct {
	Environment Environment     `json:"environment,omitzero"`
	Contenders  []measure.Named `json:"contenders,omitempty"`
	// Error is why nothing was started; the connection ends.
	Error string `json:"error,omitempty"`
}

// farewell is the line after those of the program.
type farewell struct {
	Ended *ending `json:"ended,omitempty"`
}

const (
	// greetingTime is how long either side waits for the other's first line.
	greetingTime = 10 * time.Second
	// maxGreeting bounds these lines.
	maxGreeting = 64 << 10
)

// errLong is a line beyond its bound.
var errLong = errors.New("the line is too long")

// readLine reads a line of JSON of at most most bytes into v, within greetingTime.
func readLine(conn net.Conn, in *bufio.Reader, most int, v any) error {
	if err := conn.SetReadDeadline(time.Now().Add(greetingTime)); err != nil {
		return err
	}
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > most {
			return errLong
		}
		line = append(line, part...)
		switch {
		case err == nil:
			if err := json.Unmarshal(line, v); err != nil {
				return fmt.Errorf("%.80q: %w", line, err)
			}
			return conn.SetReadDeadline(time.Time{})
		case errors.Is(err, io.EOF) && len(line) > 0:
			return io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

func writeLine(conn io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = conn.Write(append(line, '\n'))
	return err
}
