package app

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv/oneline"
)

// NewLog writes to stderr in the form of Spark's default log: 26/11/28 02:00:00 INFO Master: text, then the fields.
func NewLog(level logrus.Level) *logrus.Entry {
	l := logrus.New()
	l.SetOutput(os.Stderr)
	l.SetLevel(level)
	l.SetFormatter(logLines{})
	return logrus.NewEntry(l)
}

type logLines struct{}

// stack is the field that has lines of its own, below the entry's.
const stack = "stack"

// Format writes one entry as a line, whatever its message and fields hold, and below it the stack, if it has one, indented:
// a line that begins in the first column is an entry. The endpoint stands where Spark has its logger's name.
func (logLines) Format(e *logrus.Entry) ([]byte, error) {
	var b bytes.Buffer
	level := strings.ToUpper(e.Level.String())
	if e.Level == logrus.WarnLevel {
		level = "WARN"
	}
	fmt.Fprintf(&b, "%s %s ", e.Time.Format("06/01/02 15:04:05"), level)
	if endpoint, ok := e.Data["endpoint"]; ok {
		oneline.Fprintf(&b, "%s: ", endpoint)
	}
	b.WriteString(oneline.Text(e.Message))
	for _, key := range slices.Sorted(maps.Keys(e.Data)) {
		if key != "endpoint" && key != stack {
			oneline.Fprintf(&b, " %s=%s", key, fmt.Sprint(e.Data[key]))
		}
	}
	b.WriteByte('\n')
	if text, ok := e.Data[stack]; ok {
		for line := range strings.Lines(oneline.Lines(fmt.Sprint(text))) {
			fmt.Fprintf(&b, "    %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return b.Bytes(), nil
}
