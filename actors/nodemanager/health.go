package nodemanager

import (
	"strings"
	"time"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// health is whether this node can run containers, by its disks and by its health script. It mirrors NodeHealthCheckerService.
type health struct {
	disks, script report
	at            time.Time
}

// report is the result of one of the two checks.
type report struct {
	healthy bool
	text    string
}

func healthy(at time.Time) health {
	return health{report{healthy: true}, report{healthy: true}, at}
}

// status is the health as a heartbeat reports it.
func (h *health) status() *yarn.NodeHealthStatus {
	var texts []string
	for _, r := range []report{h.script, h.disks} {
		if r.text != "" {
			texts = append(texts, r.text)
		}
	}
	return &yarn.NodeHealthStatus{
		IsNodeHealthy: h.disks.healthy && h.script.healthy, HealthReport: strings.Join(texts, ";"), LastHealthReportTime: h.at.UnixMilli(),
	}
}

// checkDisks looks at the node's directories.
func (n *ContainerManager) checkDisks(c *rpcenv.Context) {
	look := n.cfg.Machine
	rpcenv.Run(c, "health", func(b *rpcenv.Blocking) (report, error) {
		text, ok := look.Disks(b)
		return report{ok, text}, nil
	}, func(r report, err error) { n.checked(c, &n.node.disks, r, err) })
}

// runHealthScript runs the configured script.
func (n *ContainerManager) runHealthScript(c *rpcenv.Context) {
	look, path, limit := n.cfg.Machine, NodeManagerHealthScript.Get(c.Conf()), nodeManagerHealthScriptTimeout.Get(c.Conf())
	rpcenv.Run(c, "script", func(b *rpcenv.Blocking) (report, error) {
		text, ok := look.Script(b, path, limit)
		return report{ok, text}, nil
	}, func(r report, err error) { n.checked(c, &n.node.script, r, err) })
}

// checked notes the result of a check. A check that could not be made changes nothing.
func (n *ContainerManager) checked(c *rpcenv.Context, of *report, r report, err error) {
	if err != nil {
		c.Log().WithError(err).Error("The health of this node cannot be seen")
		return
	}
	if r != *of {
		c.Log().Warnf("Node health: healthy=%t %s", r.healthy, r.text)
	}
	*of, n.node.at = r, c.Now()
}
