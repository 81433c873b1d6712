package spark

import (
	"embed"
	"fmt"
	"html/template"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/messages/deploy"
)

//go:embed pages
var files embed.FS

var pages = web.Templates(files, template.FuncMap{"having": having, "each": perEach, "arg": argument, "dict": dict})

// javaDate is a time as java.util.Date writes it, which Spark's /json gives.
func javaDate(ms int64) string { return time.UnixMilli(ms).Format("Mon Jan 02 15:04:05 MST 2006") }

// having is resources with their addresses, as in "gpu: [0, 1]".
func having(all []*deploy.ResourceInformation) string {
	var out []string
	for _, r := range all {
		out = append(out, fmt.Sprintf("%s: [%s]", r.GetName(), strings.Join(r.GetAddresses(), ", ")))
	}
	return strings.Join(out, ", ")
}

// perEach are demands of resources, as in "2 gpu".
func perEach(all []*deploy.ResourceRequirement) string {
	var out []string
	for _, r := range all {
		out = append(out, fmt.Sprintf("%d %s", r.GetAmount(), r.GetName()))
	}
	return strings.Join(out, ", ")
}

// argument is the n-th argument of a command; "" when there are fewer. The third of a driver's is its main class.
func argument(c *deploy.Command, n int) string {
	if n >= len(c.GetArguments()) {
		return ""
	}
	return c.GetArguments()[n]
}

// dict is the data of a template within another: names and values in turn.
func dict(pairs ...any) map[string]any {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return out
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func sparkURL(host string, port int32) string {
	return "spark://" + net.JoinHostPort(host, strconv.Itoa(int(port)))
}
