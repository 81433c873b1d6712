package app

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv/rpctest/smalldisk"
)

var longLines = rdd.Define("app test: long lines", func(n int) rdd.Dataset[string] {
	return rdd.Map(rdd.Range(0, int64(n), 2), func(int64) string { return strings.Repeat("x", 1000) })
})

// A disk that is full fails the job with the file that did not fit, and is as empty afterwards as it was before.
func TestAFullDiskFailsASave(t *testing.T) {
	dir := smalldisk.Dir(t, "size=256k")
	r := rdd.Local(Files{})
	out := filepath.Join(dir, "out")
	err := rdd.SaveAsTextFile(t.Context(), r, longLines.With(1000), out)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), filepath.Join(out, "_temporary")) {
		t.Error(err)
	}
	if names, err := (Files{}).ReadDir(dir); err != nil || len(names) > 0 {
		t.Error(names, err)
	}
	if err := rdd.SaveAsTextFile(t.Context(), r, longLines.With(100), out); err != nil {
		t.Error(err)
	}
	if err := rdd.SaveAsTextFile(t.Context(), r, longLines.With(100), out); !errors.Is(err, rdd.ErrOutputExists) {
		t.Error(err)
	}
}
