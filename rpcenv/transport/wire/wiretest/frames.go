package wiretest

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Hex is the bytes that these texts of hexadecimal digits say.
func Hex(parts ...string) []byte {
	b, err := hex.DecodeString(strings.Join(parts, ""))
	if err != nil {
		panic(err)
	}
	return b
}

// Frames are the recorded frames in a folder of testdata, by name.
func Frames(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.hex"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden frames: %v", err)
	}
	out := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".hex")] = Hex(strings.Fields(string(text))...)
	}
	return out
}

// Says is the text of an error; empty for nil.
func Says(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
