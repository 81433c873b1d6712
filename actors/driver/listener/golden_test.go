package listener_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/coherer/coherer/actors/driver/listener"
)

// Each line that Spark 4.1.4 wrote is the same when it was read and written again, byte by byte.
func TestLinesOfSparkAreWrittenAgain(t *testing.T) {
	files, err := filepath.Glob("testdata/spark-4.1.4/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	}
	kinds := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			e, err := listener.Decode(line)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			kinds[e.Kind()] = true
			again, err := listener.Encode(e)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			if !bytes.Equal(line, again) {
				at := 0
				for at < min(len(line), len(again)) && line[at] == again[at] {
					at++
				}
				t.Errorf("%s:%d %s: from byte %d on\n  have %.120s\n  want %.120s", file, i+1, e.Kind(), at, again[at:], line[at:])
			}
		}
	}
	if len(kinds) < 25 {
		t.Errorf("only %d kinds occur: %v", len(kinds), kinds)
	}
}
