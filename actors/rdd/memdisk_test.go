package rdd

import (
	"io"
	"path"
	"testing"

	"pgregory.net/rapid"
)

// A MemDisk behaves as the operating system does, operation by operation; cluster/app has the same test for Files.
func TestAMemDiskIsAFileSystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &MemDisk{}
		model := map[string]string{} // path to contents; a folder has "/"
		isDir := func(p string) bool { return p == "." || model[p] == "/" }
		paths := []string{"a", "b", "a/x", "b/x", "a/x/y"}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			p, q := rapid.SampledFrom(paths).Draw(t, "path"), rapid.SampledFrom(paths).Draw(t, "other")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				err := m.Mkdir(p)
				if _, there := model[p]; (err == nil) != (!there && isDir(path.Dir(p))) {
					t.Fatalf("mkdir %s: %v, with %v", p, err, model)
				}
				if err == nil {
					model[p] = "/"
				}
			case 1:
				f, err := m.Create(p)
				if _, there := model[p]; (err == nil) != (!there && isDir(path.Dir(p))) {
					t.Fatalf("create %s: %v, with %v", p, err, model)
				}
				if err == nil {
					if _, err := io.WriteString(f, p); err != nil {
						t.Fatal(err)
					}
					model[p] = p
				}
			case 2:
				if err := m.RemoveAll(p); err != nil {
					t.Fatal(err)
				}
				for k := range model {
					if inside(k, p) {
						delete(model, k)
					}
				}
			case 3:
				err := m.Rename(p, q)
				from, there := model[p]
				to, replaces := model[q]
				may := there && isDir(path.Dir(q)) && (!replaces || from != "/" && to != "/") && (from != "/" || !inside(q, p))
				if (err == nil) != may {
					t.Fatalf("rename %s to %s: %v, with %v", p, q, err, model)
				}
				if err == nil && p != q {
					delete(model, q)
					for k, v := range model {
						if inside(k, p) {
							delete(model, k)
							model[q+k[len(p):]] = v
						}
					}
				}
			}
			for _, k := range paths {
				want, there := model[k]
				f, err := m.Open(k)
				if (err == nil) != (there && want != "/") {
					t.Fatalf("open %s: %v, with %v", k, err, model)
				}
				if err == nil && f.Size() != int64(len(want)) {
					t.Fatalf("%s has %d bytes, with %v", k, f.Size(), model)
				}
			}
		}
	})
}
