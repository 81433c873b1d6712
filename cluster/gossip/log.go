package gossip

import (
	"bytes"
	"log"

	"github.com/sirupsen/logrus"
)

// newLogger makes memberlist's lines logrus entries at debug: its warnings are about peers that fail, and events report those.
func newLogger(entry *logrus.Entry) *log.Logger {
	return log.New(lineWriter{entry}, "", 0)
}

// lineWriter gets one line a call, as "[WARN] memberlist: text".
type lineWriter struct{ entry *logrus.Entry }

func (w lineWriter) Write(line []byte) (int, error) {
	if w.entry.Logger.IsLevelEnabled(logrus.DebugLevel) {
		severity, text := splitLine(line)
		w.entry.WithField("severity", severity).Debug(text)
	}
	return len(line), nil
}

// splitLine takes memberlist's severity off a line; it is empty for a line without one.
func splitLine(line []byte) (severity, text string) {
	line = bytes.TrimSpace(line)
	if rest, ok := bytes.CutPrefix(line, []byte("[")); ok {
		if level, text, ok := bytes.Cut(rest, []byte("]")); ok {
			severity, line = string(level), bytes.TrimSpace(text)
		}
	}
	return severity, string(bytes.TrimPrefix(line, []byte("memberlist: ")))
}
