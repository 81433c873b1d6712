//coherer:pure

package submit

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// Kind is what sort of application a primary resource is.
type Kind int

// The kinds. All but Program are Spark's.
const (
	// Program is a Go program: a built-in one, an executable file or a folder with package main.
	Program Kind = iota
	// Jar is a file that ends in .jar.
	Jar
	// Python is a file that ends in .py.
	Python
	// R is a file that ends in .R or .r.
	R
	// Shell is one of Spark's shells.
	Shell
	// Internal is a class of Spark's own, which needs no file.
	Internal
)

// String is a word for the kind.
func (k Kind) String() string {
	return [...]string{"program", "jar", "python", "R", "shell", "internal"}[k]
}

// The resources that are no files.
const (
	pysparkShell = "pyspark-shell"
	sparkRShell  = "sparkr-shell"
	sparkShell   = "spark-shell"
	noResource   = "spark-internal"
)

// KindOf is the kind of a primary resource. It mirrors SparkSubmit.isPython, isR, isShell and isInternal. Spark takes all the
// rest for jars; here only a name that ends in .jar is one.
func KindOf(resource string) Kind {
	switch {
	case resource == sparkShell || resource == pysparkShell || resource == sparkRShell:
		return Shell
	case resource == noResource:
		return Internal
	case strings.HasSuffix(resource, ".py"):
		return Python
	case strings.HasSuffix(resource, ".R") || strings.HasSuffix(resource, ".r"):
		return R
	case strings.HasSuffix(resource, ".jar"):
		return Jar
	}
	return Program
}

// resolveURI is p when it is a URI with a scheme, else the file URI of p, relative to folder dir. A # begins a fragment, the
// name that the file gets. It mirrors Utils.resolveURI, but follows no symbolic links.
func resolveURI(dir, p string) string {
	if u, err := url.Parse(p); err == nil && u.Scheme != "" {
		return p
	}
	file, fragment, has := strings.Cut(p, "#")
	if !path.IsAbs(file) {
		file = path.Join(dir, file)
	}
	uri := "file:" + (&url.URL{Path: path.Clean(file)}).EscapedPath()
	if has {
		uri += "#" + fragment
	}
	return uri
}

// resolveURIs resolves each of a list separated by commas.
func resolveURIs(dir, list string) string {
	var out []string
	for p := range strings.SplitSeq(list, ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, resolveURI(dir, p))
		}
	}
	return strings.Join(out, ",")
}

// mergeLists joins lists separated by commas and drops empty ones.
func mergeLists(lists ...string) string {
	var out []string
	for _, list := range lists {
		if strings.Trim(list, ", ") != "" {
			out = append(out, list)
		}
	}
	return strings.Join(out, ",")
}

// remote reports whether a URI is not on this machine, so that client mode fetches it first.
func remote(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && u.Scheme != "" && u.Scheme != "file" && u.Scheme != "local"
}

// FilePath is the path of a local resource, file:/..., local:/... or a plain path; false for another.
func FilePath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme == "":
		return uri, err == nil
	case u.Scheme == "file" || u.Scheme == "local":
		return u.Path, true
	}
	return "", false
}

// formatPythonPaths makes plain paths of local URIs. It mirrors PythonRunner.formatPaths.
func formatPythonPaths(list string) (string, error) {
	var out []string
	for p := range strings.SplitSeq(list, ",") {
		if p == "" {
			continue
		}
		plain, local := FilePath(p)
		if !local {
			return "", fmt.Errorf("Launching Python applications through spark-submit is currently only supported for local files: %s", p)
		}
		out = append(out, plain)
	}
	return strings.Join(out, ","), nil
}
