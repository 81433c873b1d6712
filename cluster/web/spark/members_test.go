package spark

import (
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/web/webtest"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// The pages of all daemons have one table of members: who is there, who is suspected and by whom, who is gone and how.
func TestThePagesShowTheMembers(t *testing.T) {
	webtest.UTC(t)
	at := time.Date(2026, 11, 30, 19, 2, 11, 0, time.UTC)
	member := func(name, role string, port int) gossip.Info {
		return gossip.Info{Name: name, Gossip: rpcenv.Address{Host: "h", Port: 7946}, Meta: gossip.Meta{
			Role: role, RPC: rpcenv.Address{Host: "h", Port: port}, UI: "http://h:8080", ID: "id-" + name, PID: 12, Load: "1/2 cores", Since: at.Unix(),
		}}
	}
	m := member("m", "master", 7077)
	m.Leads = true
	site := webtest.Site(t, &books{master: &deploy.MasterStateResponse{}})
	site.Members = func() []gossip.Standing {
		return []gossip.Standing{
			{Info: m},
			{Info: member("w", "worker", 1), State: gossip.Suspect, At: at, By: []string{"m"}},
			{Info: member("v", "worker", 2), State: gossip.Left, At: at},
		}
	}
	_, page := webtest.Get(t, MasterPages(site), "/")
	webtest.Wants(t, page, "Members of the cluster, by gossip (3)",
		`<tr><td>master (leads)</td><td>id-m</td><td><a href="http://h:8080">h:7077</a></td> <td>h:7946</td><td>12</td><td>2026/11/30 19:02:11</td><td>1/2 cores</td><td>alive</td></tr>`,
		`<tr><td>worker</td><td>id-w</td><td>h:1</td>`, `<td class="bad">suspect since 2026-11-30 19:02:11, by master h:7077</td>`,
		`<td>left at 2026-11-30 19:02:11</td>`,
	)
	site.Members = func() []gossip.Standing {
		const bad = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`
		m.Role, m.ID, m.Load, m.UI = bad, bad, bad, "javascript:alert(1)"
		return []gossip.Standing{{Info: m, State: gossip.Failed, By: []string{bad}}, {Info: m}}
	}
	_, page = webtest.Get(t, MasterPages(site), "/")
	harmless(t, "the table of members", page)
}
