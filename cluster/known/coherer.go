package known

import (
	"github.com/coherer/coherer/rpcenv/conf"
)

// The project's own settings.
var (
	GossipPort = conf.Declare(Settings, "coherer.gossip.port", conf.Ports, "0",
		"The port of this daemon's gossip, or one of the next if that is taken; 0 is any free one. Unless it is set, a Master has 7946.")
	GossipLabel = conf.Declare(Settings, "coherer.gossip.label", conf.Filled(conf.Texts), "coherer",
		"The cluster's name in gossip, at most 255 bytes: members of clusters with different names do not hear each other.")
	GossipKeyFile = conf.Optional(Settings, "coherer.gossip.keyFile", conf.Filled(conf.Paths),
		"The file of the keys that encrypt gossip, one a line in base64, the first for sending; read again every 5 s.")
	RaftPeers = conf.Optional(Settings, "coherer.deploy.raft.peers", conf.Filled(conf.Texts),
		"All Masters of recovery mode RAFT, HOST:PORT,HOST:PORT,HOST:PORT, the same for each of them.")
	RaftExpect = conf.Optional(Settings, "coherer.deploy.raft.expect", conf.AtLeast(conf.Ints, 1),
		"How many Masters of recovery mode RAFT form a group as members of one gossip, instead of a list of them: 1, 3, 5 or 7.")
	RESTTokenFile = conf.Optional(Settings, "coherer.rest.tokenFile", conf.Filled(conf.Paths),
		"The file with the token that the REST server's clients have to bring.")
)
