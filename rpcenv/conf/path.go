package conf

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

const ofThisMachine = "of this machine, plain or as in file:/path"

// A path is a file or directory of this machine. Its value is the plain path; of a file: URI it is the URI's path.
var (
	Paths = Form[string]{"path", "a path " + ofThisMachine, "/tmp/coherer", parsePath, Texts.Text}
	// AbsolutePaths are for other processes, whose current directory is another.
	AbsolutePaths = narrow(Paths, ", absolute", Paths.Example, func(path string) string {
		if !filepath.IsAbs(path) {
			return "it depends on the current directory"
		}
		return ""
	})
	PathLists = Form[[]string]{"paths", "paths " + ofThisMachine + ", separated by commas", "/disk1,/disk2", parsePaths, Lists.Text}
)

// ParsePath reads a path of this machine as settings have it, plain or a file: URI, and returns the plain path.
func ParsePath(s string) (string, error) {
	path, err := parsePath(trim(s))
	if err != nil {
		err = fmt.Errorf("%q: %w: want %s", s, err, Paths.Want)
	}
	return path, err
}

// ParsePaths is ParsePath of a list separated by commas, without empty parts.
func ParsePaths(s string) ([]string, error) {
	list, err := parsePaths(s)
	if err != nil {
		err = fmt.Errorf("%q: %w: want %s", s, err, PathLists.Want)
	}
	return list, err
}

func parsePaths(s string) ([]string, error) {
	list := splitList(s)
	for i, part := range list {
		path, err := parsePath(part)
		if err != nil {
			return nil, err
		}
		list[i] = path
	}
	return list, nil
}

// parsePath takes what begins like a URI for one, as Hadoop's Path does; ./a:b is the file a:b.
func parsePath(s string) (string, error) {
	scheme, rest, has := strings.Cut(s, ":")
	if !has || strings.Contains(scheme, "/") {
		return s, nil
	}
	if !strings.EqualFold(scheme, "file") {
		return "", fmt.Errorf("there is no support for the scheme %s", scheme)
	}
	if local, ok := strings.CutPrefix(rest, "//"); ok {
		rest = strings.TrimPrefix(local, "localhost")
	}
	if !strings.HasPrefix(rest, "/") {
		return "", errors.New("a URI of a file of this machine has no host and begins with file:/")
	}
	return url.PathUnescape(rest)
}
