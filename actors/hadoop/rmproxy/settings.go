package rmproxy

import (
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that both sides of the ResourceManager's protocols read.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	YARNConnectMaxWait = conf.Declare(Settings, "yarn.resourcemanager.connect.max-wait.ms", conf.Durations(time.Millisecond), "900000",
		"How long nodes, application masters and clients try to reach the ResourceManager before they give up; negative for ever.")
	YARNConnectRetryInterval = conf.Declare(Settings, "yarn.resourcemanager.connect.retry-interval.ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "30000",
		"How long nodes and application masters wait before they try to reach the ResourceManager again.")
	AMExpiry = conf.Declare(Settings, "yarn.am.liveness-monitor.expiry-interval-ms", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "900000",
		"After how long an application master that says nothing is given up.")
	NMHeartbeatInterval = conf.Declare(Settings, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "1000",
		"How often nodes send heartbeats.")
	AMMaxAttempts = conf.Declare(Settings, "yarn.resourcemanager.am.max-attempts", conf.AtLeast(conf.Ints, 1), "2",
		"How many application masters an application may have, one after the other.")
	ResourceManagerAddress = conf.Optional(Settings, "yarn.resourcemanager.address", conf.Filled(conf.Texts),
		"Where clients reach the ResourceManager, HOST:PORT; it is where NodeManagers and application masters reach it too.")
	resourceManagerHostname = conf.Declare(Settings, "yarn.resourcemanager.hostname", conf.Filled(conf.Texts), "0.0.0.0",
		"The ResourceManager's machine, when its address is not set; 0.0.0.0 is this one.")
)

// ResourceManagerPort is where a ResourceManager listens when nothing else is said: for clients, NodeManagers and application
// masters alike, of which Hadoop gives 8031 and 8030 to the last two.
const ResourceManagerPort = 8032

// ResourceManagerAt is HOST:PORT of the ResourceManager: yarn.resourcemanager.address, else yarn.resourcemanager.hostname with
// Hadoop's port. Hadoop's any-address is this machine.
func ResourceManagerAt(c *conf.Conf) string {
	at, set := ResourceManagerAddress.Find(c)
	if !set {
		at = fmt.Sprintf("%s:%d", resourceManagerHostname.Get(c), ResourceManagerPort)
	}
	// To listen at any address is no address to dial.
	if rest, any := strings.CutPrefix(at, "0.0.0.0:"); any {
		return "127.0.0.1:" + rest
	}
	if !strings.Contains(at, ":") {
		return fmt.Sprintf("%s:%d", at, ResourceManagerPort)
	}
	return at
}
