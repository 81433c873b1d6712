package main

import (
	"context"
	"fmt"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/pluginpb"
)

// compile makes the request that protoc would make for sources, which are relative to the first of roots; it looks for imports in
// all of them. It keeps comments, and leaves out the compiler's version, since no protoc runs: protoc-gen-go then writes
// "(unknown)", the same everywhere.
func compile(ctx context.Context, roots, sources []string) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: roots}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, sources...)
	if err != nil {
		return nil, fmt.Errorf("compile proto files: %w", err)
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: sources}
	seen := map[string]bool{}
	for _, f := range files {
		appendFile(request, f, seen)
	}
	return roundTrip(request)
}

// appendFile adds f behind the files that it imports, each once: the order that plugins rely on.
func appendFile(request *pluginpb.CodeGeneratorRequest, f protoreflect.FileDescriptor, seen map[string]bool) {
	if seen[f.Path()] {
		return
	}
	seen[f.Path()] = true
	imports := f.Imports()
	for i := range imports.Len() {
		appendFile(request, imports.Get(i).FileDescriptor, seen)
	}
	request.ProtoFile = append(request.ProtoFile, protoutil.ProtoFromFileDescriptor(f))
}

// roundTrip turns options, which the compiler leaves as dynamic messages, into plain bytes in a fixed order.
func roundTrip(request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorRequest, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	out := &pluginpb.CodeGeneratorRequest{}
	if err := proto.Unmarshal(b, out); err != nil {
		return nil, fmt.Errorf("decode the request: %w", err)
	}
	return out, nil
}
