package trace

import "testing"

func TestRole(t *testing.T) {
	for peer, want := range map[string]string{
		"Worker12": "Worker", "Exec2.0": "Exec", "Driver2": "Driver", "Worker1#2": "Worker", "Master": "Master", "127.0.0.1:80": "127.0.0.1:",
		"7": "7", "": "",
	} {
		if got := Role(peer); got != want {
			t.Errorf("Role(%q) = %q, want %q", peer, got, want)
		}
	}
}
