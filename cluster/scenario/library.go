package scenario

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

//go:embed library/*.txt
var library embed.FS

// Library are the names of the scripts that come with the program: the public ids of the faults that they are about.
func Library() []string {
	files, err := fs.Glob(library, "library/*.txt")
	if err != nil {
		panic(err) // the pattern is good
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".txt"))
	}
	slices.Sort(names)
	return names
}

// Open is a script of the library.
func Open(name string) (*Script, error) {
	text, err := library.ReadFile("library/" + name + ".txt")
	if err != nil {
		return nil, syntax.Unknown("scenario", name, Library())
	}
	return Parse(name, string(text))
}
