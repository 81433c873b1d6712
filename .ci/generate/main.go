// Command generate writes messages/ from proto/ without protoc: it compiles the proto files with protocompile and hands
// the request to the pinned protoc-gen-go and to the tree's protoc-gen-coherer, so that every machine writes the same
// bytes. Run it in .ci:
//
//	go run ./generate
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

func main() {
	root := flag.String("root", "..", "folder of the main module")
	flag.Parse()
	if err := run(context.Background(), *root); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes all generated files below root and removes those that nothing makes any more.
func run(ctx context.Context, root string) error {
	module, err := modulePath(ctx, root)
	if err != nil {
		return err
	}
	sources, err := protoFiles(root)
	if err != nil {
		return err
	}
	request, err := compile(ctx, root, sources)
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
		if err := p.run(ctx, bin, request, made); err != nil {
			return fmt.Errorf("%s: %w", path.Base(p.pkg), err)
		}
	}
	return write(root, made)
}

// protoFiles are the files below root/proto, as imports name them.
func protoFiles(root string) ([]string, error) {
	var out []string
	err := fs.WalkDir(os.DirFS(root), "proto", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".proto" {
			out = append(out, name)
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("no .proto file in %s", filepath.Join(root, "proto"))
	}
	return out, err
}

// write brings root/messages to the state of made: name → content. Files that are right already keep their times.
func write(root string, made map[string]string) error {
	for _, pattern := range []string{"*.pb.go", "*_coherer.go"} {
		old, err := filepath.Glob(filepath.Join(root, "messages", "*", pattern))
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
