package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// plugin is a program that turns a request into files: package pkg as seen from folder.
type plugin struct{ folder, pkg string }

// build builds the plugin into bin.
func (p plugin) build(ctx context.Context, bin string) (program string, err error) {
	program = filepath.Join(bin, path.Base(p.pkg))
	build := exec.CommandContext(ctx, "go", "build", "-o", program, p.pkg)
	build.Dir = p.folder
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", p.pkg, err, out)
	}
	return program, nil
}

// runPlugin gives a plugin the request and adds the files of its answer to made: name → content.
func runPlugin(ctx context.Context, program string, request *pluginpb.CodeGeneratorRequest, made map[string]string) error {
	in, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program)
	command.Stdin = bytes.NewReader(in)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &response); err != nil {
		return fmt.Errorf("its answer: %w", err)
	}
	if response.Error != nil {
		return errors.New(response.GetError())
	}
	for _, f := range response.File {
		if _, ok := made[f.GetName()]; ok {
			return fmt.Errorf("%s was written by another plugin already", f.GetName())
		}
		made[f.GetName()] = f.GetContent()
	}
	return nil
}

// modulePath is the name of the module in folder root.
func modulePath(ctx context.Context, root string) (string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-m")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m in %s: %w", root, err)
	}
	return strings.TrimSpace(string(out)), nil
}
