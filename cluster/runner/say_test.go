package runner

import (
	"os"
	"path/filepath"
	"testing"
)

func TestProgressStaysInItsLine(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	(&run{cfg: Config{Stderr: out}}).say("building %s", "C:\\temp\nnew")
	if got, err := os.ReadFile(out.Name()); err != nil || string(got) != `  building C:\temp\nnew`+"\n" {
		t.Errorf("%q %v", got, err)
	}
}
