package driver_test

import (
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
)

// countedFS counts the files that were opened.
type countedFS struct {
	rdd.FS
	opened int
}

func (f *countedFS) Open(path string) (rdd.File, error) {
	f.opened++
	return f.FS.Open(path)
}

var lines = rdd.Define("lines", func(path string) rdd.Dataset[rdd.Pair[string, int64]] {
	ones := rdd.Map(rdd.TextFile(path, 2), func(l string) rdd.Pair[string, int64] { return rdd.PairOf(l, int64(1)) })
	return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2)
})

func TestFilesAreSplitOnceBeforeTheJobStarts(t *testing.T) {
	fs := &countedFS{FS: rdd.MemFS{"text": []byte("a\nb\nc\n")}}
	r := newRig(t, 1, nil, fs)
	j := run(r, lines.With("text"))
	e := r.launched("0", 1)
	for first := true; !j.done; first = false {
		m := e.Next().(*app.LaunchTask).GetData()
		if first && len(m.GetSplit()) == 0 {
			t.Errorf("the first task has no split: %v", m)
		}
		if fs.opened != 1 {
			t.Fatalf("%s: the file was opened %d times", m.GetName(), fs.opened)
		}
		u, err := endOf(m, "")
		if err != nil {
			t.Fatal(err)
		}
		e.Send(r.at(driver.Name), u)
		r.Settle()
	}
	j.counts()
}
