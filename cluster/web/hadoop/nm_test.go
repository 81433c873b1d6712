package hadoop

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/web/webtest"
	"github.com/coherer/coherer/messages/yarn"
)

func nodeManager(t *testing.T, logDirs ...string) http.Handler {
	return NodeManagerPages(webtest.Site(t, &books{nm: &yarn.NodeManagerStateResponse{
		NodeId: &yarn.NodeId{Host: "n1", Port: 45454}, ResourceManager: "rm:8032", Rack: "/default-rack", Total: size(8192, 8), Used: size(1024, 1), Healthy: true,
		Applications: []*yarn.NodeApplication{{Id: yarnApp(2), User: "bob", State: "RUNNING"}},
		Containers: []*yarn.NodeContainer{
			{Id: yarnContainer(2, 1), User: "bob", State: "RUNNING", Resource: size(1024, 1), ExitStatus: -1000},
			{Id: yarnContainer(2, 2), User: "bob", State: "DONE", Resource: size(1024, 1), ExitStatus: 3, Diagnostics: "it <failed>"},
		},
	}}), logDirs)
}

func TestTheNodeManagersPage(t *testing.T) {
	code, page := webtest.Get(t, nodeManager(t, t.TempDir()), "/")
	if code != http.StatusOK {
		t.Fatal(code, page)
	}
	webtest.Wants(t, page, "<title>NodeManager at n1:45454</title>", "(not registered)", "1024.0 MiB, 1 cores of 8.0 GiB, 8 cores used",
		`<a href="/node/containerlogs/container_1795855723000_0002_01_000001/bob">`, "<td>3</td><td>it &lt;failed&gt;</td>", "application_1795855723000_0002")
}

func TestTheLogsOfAContainer(t *testing.T) {
	empty, logs := t.TempDir(), t.TempDir()
	const container = "container_1795855723000_0002_01_000001"
	dir := filepath.Join(logs, "application_1795855723000_0002", container)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stdout": "0123456789", "stderr": "<script>"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(logs, "secret")
	if err := os.WriteFile(secret, []byte("hush"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	h := nodeManager(t, empty, logs)
	base := "/node/containerlogs/" + container + "/bob"
	code, page := webtest.Get(t, h, base)
	if code != http.StatusOK || strings.Contains(page, ">link<") {
		t.Error(code, page)
	}
	webtest.Wants(t, page, `<a href="`+base+`/stderr">stderr</a> 8 bytes`, `<a href="`+base+`/stdout">stdout</a> 10 bytes`)
	_, page = webtest.Get(t, h, base+"/stderr")
	webtest.Wants(t, page, "&lt;script&gt;", `<a href="/">the NodeManager</a>`)
	_, page = webtest.Get(t, h, base+"/stdout?offset=4&byteLength=3")
	webtest.Wants(t, page, "<pre>456</pre>", "Showing 3 Bytes: 4 - 7 of 10", `href="?byteLength=3&amp;offset=1">older`, `href="?byteLength=3&amp;offset=7">newer`)
	if code, text := webtest.Get(t, h, "/ws/v1/node/containerlogs/"+container+"/stdout?byteLength=2"); code != http.StatusOK || text != "89" {
		t.Error(code, text)
	}
	for _, path := range []string{
		base + "/link", base + "/..%2f..%2fsecret", base + "/%2e%2e", base + "/nothing", base + "/stdout?offset=x",
		"/node/containerlogs/..%2f..%2fsecret/bob", "/node/containerlogs/container_1795855723000_0002_01_000009/bob", "/node/containerlogs/x/bob/secret",
		"/ws/v1/node/containerlogs/" + container + "/link", "/ws/v1/node/containerlogs/..%2f/secret",
	} {
		if code, text := webtest.Get(t, h, path); code == http.StatusOK || strings.Contains(text, "hush") {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}
