package rpcenv

import (
	"io"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sirupsen/logrus"
)

// discardLog is the log of an Env that was given none.
func discardLog() *logrus.Entry {
	l := logrus.New()
	l.SetOutput(io.Discard)
	l.SetLevel(logrus.PanicLevel)
	return logrus.NewEntry(l)
}

// discardLogger keeps protoactor from writing to stderr: what matters of it, our inboxes report themselves.
func discardLogger(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }
