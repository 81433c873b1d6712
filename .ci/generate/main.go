// Command generate writes the Go files of proto files without protoc: it compiles them with protocompile and hands the
// request to the pinned protoc-gen-go and to protoc-gen-coherer, so that every machine writes the same bytes. For the tree's
// own, in proto/ and examples/, run it in .ci:
//
//	go run ./generate
//
// For those of another module, in its folder greeting, with both plugins ready in a folder:
//
//	go run ./generate -root MODULE -import COHERER -plugins $(go env GOPATH)/bin greeting
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// own are the folders of the tree that have proto files.
var own = []string{"proto", "examples"}

func main() {
	root := flag.String("root", "..", "folder of the main module")
	imports := flag.String("import", "", "another folder with imported proto files")
	plugins := flag.String("plugins", "", "folder with protoc-gen-go and protoc-gen-coherer; empty: they are built")
	flag.Parse()
	if err := run(context.Background(), *root, *imports, *plugins, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes the Go files of the proto files in folders of root. Without folders it takes those of this tree, and removes generated
// files that no proto file makes any more.
func run(ctx context.Context, root, imports, ready string, folders []string) error {
	module, err := modulePath(ctx, root)
	if err != nil {
		return err
	}
	in := folders
	if len(in) == 0 {
		in = own
	}
	sources, err := protoFiles(root, in)
	if err != nil {
		return err
	}
	roots := []string{root}
	if imports != "" {
		roots = append(roots, imports)
	}
	request, err := compile(ctx, roots, sources)
	if err != nil {
		return err
	}
	request.Parameter = new("module=" + module)

	bin, err := os.MkdirTemp("", "coherer-generate-")
	if err != nil {
		return fmt.Errorf("folder for the plugins: %w", err)
	}
	defer os.RemoveAll(bin)
	made := map[string]string{}
	for _, p := range []plugin{
		{folder: ".", pkg: "google.golang.org/protobuf/cmd/protoc-gen-go"},
		{folder: root, pkg: "./cmd/protoc-gen-coherer"},
	} {
		program := filepath.Join(ready, path.Base(p.pkg))
		if ready == "" {
			if program, err = p.build(ctx, bin); err != nil {
				return err
			}
		}
		if err := runPlugin(ctx, program, request, made); err != nil {
			return fmt.Errorf("%s: %w", path.Base(p.pkg), err)
		}
	}
	// In our own tree only: the files of another module are not ours to remove. After both plugins, which may fail.
	if len(folders) == 0 {
		if err := removeStale(root, made); err != nil {
			return err
		}
	}
	return write(root, made)
}

// protoFiles are the files below folders of root, as imports name them.
func protoFiles(root string, folders []string) ([]string, error) {
	var out []string
	for _, folder := range folders {
		before := len(out)
		err := fs.WalkDir(os.DirFS(root), path.Clean(folder), func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && path.Ext(name) == ".proto" {
				out = append(out, name)
			}
			return err
		})
		if err == nil && len(out) == before {
			err = fmt.Errorf("no .proto file in %s", filepath.Join(root, folder))
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// removeStale removes those of the tree's generated files that are not in made.
func removeStale(root string, made map[string]string) error {
	for _, pattern := range []string{"messages/*/*.pb.go", "messages/*/*_coherer.go", "examples/*/*/*.pb.go", "examples/*/*/*_coherer.go"} {
		old, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		for _, name := range old {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			if _, ok := made[filepath.ToSlash(rel)]; ok {
				continue
			}
			if err := os.Remove(name); err != nil {
				return err
			}
			fmt.Println("removed", rel)
		}
	}
	return nil
}

// write writes made, name → content, below root. It leaves files with the right content alone, so that their times stay.
func write(root string, made map[string]string) error {
	names := make([]string, 0, len(made))
	for name := range made {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		file := filepath.Join(root, filepath.FromSlash(name))
		if old, err := os.ReadFile(file); err == nil && string(old) == made[name] {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(made[name]), 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	return nil
}
