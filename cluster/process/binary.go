package process

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// CheckBinary finds out whether the file at path is a Go program that this process may read and this machine can
// execute. The error says what is wrong and what to do.
func CheckBinary(path string) error {
	if _, err := program(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("program %s: %w", path, explain(err))
	}
	defer f.Close()
	info, err := buildinfo.Read(f)
	if err != nil {
		return fmt.Errorf("program %s: it is no Go program (%w): build it with: go build -o FILE .", path, err)
	}
	if err := checkTarget(info, runtime.GOOS, runtime.GOARCH); err != nil {
		return fmt.Errorf("program %s: %w", path, err)
	}
	return nil
}

// checkTarget compares what a program was built for with what it is to run on.
func checkTarget(info *debug.BuildInfo, goos, goarch string) error {
	// Without this check the end would be "exec format error", on each Worker, for each executor.
	var forOS, forArch string
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			forOS = s.Value
		case "GOARCH":
			forArch = s.Value
		}
	}
	build := fmt.Sprintf("build it with GOOS=%s GOARCH=%s", goos, goarch)
	switch {
	case forOS == "" || forArch == "":
		return errors.New("it does not say what it was built for: " + build)
	case forOS != goos || forArch != goarch:
		return fmt.Errorf("built for %s/%s: %s", forOS, forArch, build)
	}
	return nil
}
