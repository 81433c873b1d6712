package hadoop

import (
	"embed"
	"fmt"
	"html/template"
	"net"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/messages/yarn"
)

//go:embed pages
var files embed.FS

var pages = web.Templates(files, template.FuncMap{"share": share, "mib64": web.Mebibytes})

// share is an amount of memory and cores.
func share(r *yarn.Resource) string {
	return fmt.Sprintf("%s, %d cores", web.Mebibytes(r.GetMemory()), r.GetVirtualCores())
}

func withScheme(url string) string {
	if strings.Contains(url, "://") {
		return url
	}
	return "http://" + url
}

func finalStatus(r *yarn.ApplicationReport) string {
	return strings.TrimPrefix(r.GetFinalApplicationStatus().String(), "APP_")
}

func nodeState(n *yarn.NodeReport) string {
	return strings.TrimPrefix(n.GetNodeState().String(), "NS_")
}

// queueOf is the queue of a name in a tree; nil: unknown.
func queueOf(q *yarn.QueueInfo, name string) *yarn.QueueInfo {
	if q.GetQueueName() == name {
		return q
	}
	for _, child := range q.GetChildQueues() {
		if found := queueOf(child, name); found != nil {
			return found
		}
	}
	return nil
}

func appID(m *yarn.ApplicationId) string {
	return ids.Application{Timestamp: m.GetClusterTimestamp(), ID: m.GetId()}.String()
}

func containerID(m *yarn.ContainerId) string {
	id, err := ids.ContainerFrom(m)
	if err != nil {
		return ""
	}
	return id.String()
}

func nodeID(m *yarn.NodeId) string {
	if m == nil {
		return ""
	}
	return net.JoinHostPort(m.GetHost(), strconv.Itoa(int(m.GetPort())))
}
