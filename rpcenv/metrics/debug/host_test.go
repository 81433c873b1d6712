package debug_test

import (
	"net/http"
	"os"
	"testing"
)

// TestAForeignHostIsRefused: a page of an attacker's name that points at this machine reads neither counters nor profiles.
func TestAForeignHostIsRefused(t *testing.T) {
	server := serve(t, &source{})
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for host, want := range map[string]int{"": 200, "localhost:1": 200, own: 200, "10.0.0.1": 200, "evil.example": 403, "localhost.evil.example:9077": 403} {
		for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/symbol"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+server.Addr()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			res, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("Host %q, %s: %d, want %d", host, path, res.StatusCode, want)
			}
		}
	}
}
