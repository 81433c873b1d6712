package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// source is a file of a target, with its mutants.
type source struct {
	path    string // below the root
	file    string // absolute
	pkg     string
	text    []byte
	code    []byte // text with blanks in place of comments: a new comment gives a mutant no new name
	mutants []*mutant
}

// load parses the targets, with types, and finds the mutants of each file that is not generated.
func load(ctx context.Context, root string, targets []target) ([]*source, error) {
	var patterns []string
	for _, t := range targets {
		patterns = append(patterns, "./"+t.dir)
	}
	fset := token.NewFileSet()
	pkgs, err := packages.Load(&packages.Config{
		Context: ctx, Dir: root, Fset: fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	var sources []*source
	for _, p := range pkgs {
		// Without all types some mutants would be missing, silently.
		if len(p.Errors) > 0 {
			return nil, errors.Join(fmt.Errorf("%s does not compile", p.PkgPath), p.Errors[0])
		}
		for i, f := range p.Syntax {
			s, err := readSource(root, p.GoFiles[i], f, fset, p.TypesInfo)
			if err != nil {
				return nil, err
			}
			sources = append(sources, s)
		}
	}
	return sources, nil
}

func readSource(root, file string, f *ast.File, fset *token.FileSet, info *types.Info) (*source, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Rel(root, file)
	if err != nil {
		return nil, err
	}
	s := &source{path: filepath.ToSlash(path), file: file, pkg: f.Name.Name, text: text, code: withoutComments(text)}
	if ast.IsGenerated(f) {
		return s, nil
	}
	w := &walker{source: s, fset: fset, info: info}
	for _, decl := range f.Decls {
		w.decl(decl)
	}
	return s, nil
}

// withoutComments is a file with blanks in place of its comments, and all else where it was.
func withoutComments(text []byte) []byte {
	code := slices.Clone(text)
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, comment := s.Scan()
		switch tok {
		case token.EOF:
			return code
		case token.COMMENT:
			for i := range len(comment) {
				if at := file.Offset(pos) + i; code[at] != '\n' {
					code[at] = ' ' // a blank for each byte, so that offsets in code are those in text
				}
			}
		}
	}
}

// number gives the mutants of all sources their numbers, from 1, and a suffix to each that has the key of an earlier one.
func number(sources []*source) []*mutant {
	var all []*mutant
	for _, s := range sources {
		alike := map[string]int{}
		for _, m := range s.mutants {
			all = append(all, m)
			m.n = len(all)
			alike[m.key]++
			if k := alike[m.key]; k > 1 {
				m.key = fmt.Sprintf("%s (%d)", m.key, k)
			}
		}
	}
	return all
}
