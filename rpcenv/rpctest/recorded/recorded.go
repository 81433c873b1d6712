// Package recorded reads recordings of what Spark and Hadoop did, for tests that play them.
package recorded

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Folder is the folder of recordings that COHERER_GOLDEN_DIR names, else own.
func Folder(own string) string { return cmp.Or(os.Getenv("COHERER_GOLDEN_DIR"), own) }

// Each decodes the JSON files of a folder whose names match pattern, as filepath.Match has it, and calls do with each, in the order of
// their names; name is without .json. The test fails when there is none, or one cannot be read.
func Each[F any](tb testing.TB, folder, pattern string, do func(name string, f F)) {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	switch {
	case err != nil:
		tb.Fatalf("%s: %v", pattern, err)
	case len(files) == 0:
		tb.Fatalf("no recordings %s in %s", pattern, folder)
	}
	for _, file := range files { // Glob sorts them
		content, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var f F
		if err := json.Unmarshal(content, &f); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		do(strings.TrimSuffix(filepath.Base(file), ".json"), f)
	}
}
