package conf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The project's own settings.
var (
	GossipPort = entry("coherer.gossip.port", ports, "0",
		"The port of this daemon's gossip; 0 is any free one. Unless it is set, a Master without --peers has 7946.")
	GossipLabel = entry("coherer.gossip.label", filled(texts), "coherer",
		"The cluster's name in gossip, at most 255 bytes: members of clusters with different names do not hear each other.")
	GossipKeyFile = optional("coherer.gossip.keyFile", filled(paths),
		"The file of the keys that encrypt gossip, one a line in base64, the first for sending; read again every 5 s.")
	RaftPeers = optional("coherer.deploy.raft.peers", filled(texts),
		"All Masters of recovery mode RAFT, HOST:PORT,HOST:PORT,HOST:PORT, the same for each of them.")
	TraceEnabled = entry("coherer.trace.enabled", bools, "true",
		"Whether messages are recorded.")
	TraceDir = optional("coherer.trace.dir", filled(paths),
		"The directory that the trace is written to; it is made when it is missing.")
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
	RESTTokenFile = optional("coherer.rest.tokenFile", filled(paths),
		"The file with the token that the REST server's clients have to bring.")
	DeployScheduler = entry("coherer.deploy.scheduler", enum("executors", "core-by-core"), "executors",
		"How the Master gives cores: by whole executors or, for study, core by core as Spark before 1.4 did.")
	Compat = entry("coherer.compat", faults, "fixed",
		"Which historic faults of Spark are there, for study: fixed for none, upstream for those that Spark 4 has, or their ids.")
)

// Faults are the ids that coherer.compat takes, those of Spark's issue tracker and of YARN's, YARN-FAIR for all that
// Hadoop's FairScheduler has, and MASTER-RECOVERY for what Spark's Master does after a recovery. What each does stands with the
// endpoint that has it.
var Faults = []string{
	"SPARK-2425", "SPARK-8881", "SPARK-9731", "SPARK-12864", "SPARK-13112", "SPARK-13519", "SPARK-13604", "SPARK-15725",
	"SPARK-16925", "SPARK-17667", "SPARK-20079", "SPARK-23191", "SPARK-27348", "SPARK-27510", "SPARK-34245", "YARN-1902", "YARN-FAIR",
	"MASTER-RECOVERY",
}

// upstreamFaults are those that Spark 4 and Hadoop 3.4 have.
var upstreamFaults = []string{"SPARK-15725", "SPARK-17667", "SPARK-27510", "YARN-1902", "YARN-FAIR", "MASTER-RECOVERY"}

// faults is a set of Faults in their order; fixed is the empty one.
var faults = form[[]string]{
	name: "faults", want: "fixed, upstream or ids separated by commas of " + strings.Join(Faults, ", "),
	parse: func(s string) ([]string, error) {
		switch strings.ToLower(s) {
		case "fixed":
			return nil, nil
		case "upstream":
			return upstreamFaults, nil
		}
		ids := splitList(strings.ToUpper(s))
		if len(ids) == 0 {
			return nil, errors.New("it names no fault")
		}
		for _, id := range ids {
			if !slices.Contains(Faults, id) {
				return nil, fmt.Errorf("no fault is called %s", id)
			}
		}
		return slices.DeleteFunc(slices.Clone(Faults), func(id string) bool { return !slices.Contains(ids, id) }), nil
	},
	text: func(ids []string) string {
		if len(ids) == 0 {
			return "fixed"
		}
		return strings.Join(ids, ",")
	},
}

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
