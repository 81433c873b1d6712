package main

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
)

// maxManifest is how much of a jar's manifest is read, in bytes.
const maxManifest = 1 << 20

// jarMainClass is the Main-Class of a jar's manifest, empty when it has none.
func jarMainClass(path string) (string, error) {
	jar, err := zip.OpenReader(path)
	if err != nil {
		return "", err
	}
	defer jar.Close()
	manifest, err := jar.Open("META-INF/MANIFEST.MF")
	if err != nil {
		return "", err
	}
	defer manifest.Close()
	text, err := io.ReadAll(io.LimitReader(manifest, maxManifest))
	if err != nil {
		return "", fmt.Errorf("%s: manifest: %w", path, err)
	}
	// A line that begins with a blank goes on with the one before.
	whole := strings.NewReplacer("\r\n ", "", "\n ", "", "\r\n", "\n", "\r", "\n").Replace(string(text))
	for line := range strings.Lines(whole) {
		if class, ok := strings.CutPrefix(line, "Main-Class:"); ok {
			return strings.TrimSpace(class), nil
		}
		if strings.TrimSpace(line) == "" {
			break // the sections behind the first are about single files
		}
	}
	return "", nil
}
