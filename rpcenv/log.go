package rpcenv

import (
	"io"

	"github.com/sirupsen/logrus"
)

// NoLog is a log that drops everything, for an Env that is to say nothing.
func NoLog() *logrus.Entry {
	l := logrus.New()
	l.SetOutput(io.Discard)
	l.SetLevel(logrus.PanicLevel)
	return logrus.NewEntry(l)
}

// defaultLog is the log of an Env without Config.Log: warnings and errors go to stderr, by a logger of its own, so that a
// handler that fails is seen.
func defaultLog(env string) *logrus.Entry {
	l := logrus.New() // it writes to stderr
	l.SetLevel(logrus.WarnLevel)
	return l.WithField("env", env)
}
