package app

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"
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

// Format writes one entry as a line. The endpoint stands where Spark has its logger's name.
func (logLines) Format(e *logrus.Entry) ([]byte, error) {
	var b bytes.Buffer
	level := strings.ToUpper(e.Level.String())
	if e.Level == logrus.WarnLevel {
		level = "WARN"
	}
	fmt.Fprintf(&b, "%s %s ", e.Time.Format("06/01/02 15:04:05"), level)
	if endpoint, ok := e.Data["endpoint"]; ok {
		fmt.Fprintf(&b, "%s: ", endpoint)
	}
	b.WriteString(e.Message)
	for _, key := range slices.Sorted(maps.Keys(e.Data)) {
		if key != "endpoint" {
			fmt.Fprintf(&b, " %s=%v", key, e.Data[key])
		}
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
