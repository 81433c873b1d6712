package app

import (
	"fmt"
	"io/fs"
	"syscall"
)

// changeOf is which file it is, and when the system changed its content or its description last: no program can set that.
func changeOf(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" %d %d.%09d", s.Ino, s.Ctim.Sec, s.Ctim.Nsec)
}
