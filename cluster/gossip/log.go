package gossip

import (
	"bytes"
	"log"
	"strings"

	"github.com/sirupsen/logrus"
)

// newLogger makes memberlist's lines logrus entries at debug: its warnings are about peers that fail, and events report those. A nil entry
// drops them. suspect is called with the name of each member that memberlist's probe got no answer from, which memberlist reports by a line
// alone; no lock is held then. count is called with the text of every line, under whatever lock memberlist holds.
func newLogger(entry *logrus.Entry, suspect, count func(string)) *log.Logger {
	return log.New(lineWriter{entry, suspect, count}, "", 0)
}

// lineWriter gets one line a call, as "[WARN] memberlist: text".
type lineWriter struct {
	entry          *logrus.Entry
	suspect, count func(string)
}

func (w lineWriter) Write(line []byte) (int, error) {
	severity, text := splitLine(line)
	if severity == "INFO" {
		if name, ok := suspected(text); ok {
			w.suspect(name)
		}
	}
	w.count(text)
	if w.entry != nil && w.entry.Logger.IsLevelEnabled(logrus.DebugLevel) {
		w.entry.WithField("severity", severity).Debug(text)
	}
	return len(line), nil
}

// suspected is the member that a line of memberlist is about, if the line says that a probe of it failed.
func suspected(text string) (name string, ok bool) {
	name, begins := strings.CutPrefix(text, "Suspect ")
	name, ends := strings.CutSuffix(name, " has failed, no acks received")
	return name, begins && ends
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
