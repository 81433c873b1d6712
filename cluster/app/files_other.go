//go:build !linux

package app

import "io/fs"

// changeOf is empty where the system's own time of a change is not known.
func changeOf(fs.FileInfo) string { return "" }
