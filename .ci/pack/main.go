// Command pack writes the main module, and the nested ones that users install, as they are at HEAD into a folder that serves
// as a module proxy, so that installing from outside the tree can be tried before anything is published. It prints each
// module and its version, the main one first:
//
//	go run ./pack -out /tmp/proxy
//	GOPROXY=file:///tmp/proxy,$(go env GOPROXY) GONOSUMDB=MODULE go install MODULE/cmd/coherer@VERSION
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	root := flag.String("root", "..", "folder of the main module")
	out := flag.String("out", "", "folder to write the proxy's files to")
	flag.Parse()
	for _, dir := range []string{"", "cmd/endpointrule"} {
		m, err := pack(*root, dir, *out)
		if err != nil {
			fmt.Fprintln(os.Stderr, "pack:", err)
			os.Exit(1)
		}
		fmt.Println(m.Path, m.Version)
	}
}

// pack writes NAME/@v/list and NAME/@v/VERSION.{info,mod,zip} below out for the module in folder dir at HEAD.
func pack(root, dir, out string) (m module.Version, err error) {
	if out == "" {
		return m, errors.New("name the folder to write to with -out")
	}
	mod, err := git(root, "show", "HEAD:"+path.Join(dir, "go.mod"))
	if err != nil {
		return m, err
	}
	commit, err := git(root, "log", "-1", "--format=%H %cI")
	if err != nil {
		return m, err
	}
	hash, date, _ := strings.Cut(strings.TrimSpace(commit), " ")
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return m, fmt.Errorf("date of HEAD: %w", err)
	}
	// No pseudo-version: the go command leaves these out of a proxy's list and then asks the next proxy for the latest.
	m = module.Version{
		Path:    modfile.ModulePath([]byte(mod)),
		Version: "v0.0.0-ci." + at.UTC().Format("20060102150405") + ".g" + hash[:12],
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return m, err
	}
	base := filepath.Join(out, filepath.FromSlash(escaped), "@v", m.Version)
	if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
		return m, err
	}
	info, err := json.Marshal(map[string]any{"Version": m.Version, "Time": at.UTC()})
	if err != nil {
		return m, err
	}
	return m, errors.Join(
		os.WriteFile(filepath.Join(filepath.Dir(base), "list"), []byte(m.Version+"\n"), 0o644),
		os.WriteFile(base+".info", info, 0o644),
		os.WriteFile(base+".mod", []byte(mod), 0o644),
		writeZip(base+".zip", m, root, dir, hash),
	)
}

func writeZip(name string, m module.Version, root, dir, commit string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := zip.CreateFromVCS(f, m, root, commit, dir); err != nil {
		return fmt.Errorf("pack %s: %w", m, err)
	}
	return nil
}

// git is what a git command says about the repository in root.
func git(root string, args ...string) (string, error) {
	command := exec.Command("git", append([]string{"-C", root}, args...)...)
	out, err := command.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, failed.Stderr)
	}
	return string(out), err
}
