package container

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

func TestLogsAreThoseOfApplications(t *testing.T) {
	disks := newDisks(t, 2)
	l := NewLogs(disks)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range []string{app + "/" + id + "/stdout", "application_x/stdout", "mine/notes", "../application_1_0001/stdout"} {
		path := filepath.Join(disks.logs[1], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for p := path; p != disks.logs[1] && p != filepath.Dir(disks.logs[1]); p = filepath.Dir(p) {
			if err := os.Chtimes(p, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := l.List(nil)
	if err != nil || len(all) != 1 || all[0].App.String() != app || !all[0].Changed.Equal(at) {
		t.Fatalf("%v, %v", all, err)
	}
	if err := l.Remove(nil, all[0].App); err != nil {
		t.Error(err)
	}
	if err := l.Remove(nil, ids.Application{Timestamp: 1, ID: 7}); err != nil {
		t.Errorf("what is not there: %v", err)
	}
	left, err := os.ReadDir(disks.logs[1])
	if err != nil || len(left) != 2 || left[0].Name() != "application_x" || left[1].Name() != "mine" {
		t.Errorf("%v, %v", left, err)
	}
}
