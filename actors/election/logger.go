package election

import (
	"fmt"

	"github.com/sirupsen/logrus"
)

// logger is raft's log: all of it at level debug but for what it warns of, and a panic is one.
type logger struct{ *logrus.Entry }

// Info is what raft does.
func (l logger) Info(v ...any) { l.Debug(v...) }

// Infof is what raft does.
func (l logger) Infof(format string, v ...any) { l.Debugf(format, v...) }

// Panicf ends what raft does: guard sees it.
func (l logger) Panicf(format string, v ...any) { panic(fmt.Sprintf(format, v...)) }

// Panic ends what raft does: guard sees it.
func (l logger) Panic(v ...any) { panic(fmt.Sprint(v...)) }
