package archive

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func FuzzUnpack(f *testing.F) {
	f.Add("a.zip", []byte("PK\x05\x06"))
	f.Add("a.tar", make([]byte, 1024))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		if !Known(name) {
			return
		}
		dir := t.TempDir()
		packed := filepath.Join(dir, "packed")
		if err := os.WriteFile(packed, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = Unpack(context.Background(), packed, name, filepath.Join(dir, "in"), Limits{0o500, 1 << 20, 100}) // any error will do
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 {
			t.Errorf("%v %v", entries, err)
		}
	})
}
