package conf

import (
	"errors"
	"strings"
)

// The project's own settings.
var (
	GossipPort = entry("coherer.gossip.port", ports, "0",
		"The port of this daemon's gossip.")
	GossipLabel = entry("coherer.gossip.label", filled(texts), "coherer",
		"The cluster's name in gossip, at most 255 bytes: members of clusters with different names do not hear each other.")
	GossipKeyFile = optional("coherer.gossip.keyFile", filled(texts),
		"The file of the keys that encrypt gossip, one a line in base64, the first for sending; read again every 5 s.")
	TraceEnabled = entry("coherer.trace.enabled", bools, "true",
		"Whether messages are recorded.")
	TraceDir = optional("coherer.trace.dir", filled(texts),
		"The directory that the trace is written to.")
	TraceName = optional("coherer.trace.name", filled(texts),
		"The name of this peer in traces, such as Worker1.")
	TraceBodyLimit = entry("coherer.trace.bodyLimit", between(sizes(byteUnit), 0, 1<<20), "1k",
		"How many bytes of a message's body are recorded.")
	AppBinary = optional("coherer.app.binary", sha256Digest,
		"The SHA-256 of the application's binary, in hexadecimal; set by the driver.")
	MasterMaxDriverShare = entry("coherer.master.maxDriverShare", between(floats, 0, 1), "1",
		"Which part of the cores and of the memory drivers in cluster mode may have together, so that executors get some too; 1 is all.")
	DebugAddr = optional("coherer.debug.addr", filled(texts),
		"Where this process serves /metrics and /debug/pprof over HTTP, HOST:PORT; port 0 is any free one.")
	RunDir = optional("coherer.run.dir", filled(texts),
		"The directory of the run that this process belongs to.")
)

// sha256Digest is 64 hexadecimal digits in lower case.
var sha256Digest = form[string]{
	name: "sha256", want: "64 hexadecimal digits in lower case", example: strings.Repeat("0123456789abcdef", 4),
	parse: func(s string) (string, error) {
		if len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
			return "", errors.New("not a SHA-256")
		}
		return s, nil
	},
	text: texts.text,
}
