// Package program identifies programs: two files are the same program if they have the same digest. By it a Worker knows
// whether it runs the application's own binary already, or has to fetch it.
package program

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"
)

// Digest is the SHA-256 of a file in hexadecimal digits.
func Digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// image is a program's file.
type image struct{ digest, path string }

var self = sync.OnceValues(func() (image, error) {
	path, err := os.Executable()
	if err != nil {
		return image{}, fmt.Errorf("find the program of this process: %w", err)
	}
	digest, err := Digest(path)
	return image{digest, path}, err
})

// Self is the [Digest] of the program that this process runs, and its path. The file is read once per process.
func Self() (digest, path string, err error) {
	p, err := self()
	return p.digest, p.path, err
}
