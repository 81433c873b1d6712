//go:build !linux

package record

import "os"

// direct does nothing on this system, whose writes go through the page cache: see direct_linux.go.
type direct struct{}

func (*direct) init(*os.File) {}

func (*direct) begin(*os.File, []byte) bool { return false }

func (*direct) end(*os.File) {}

func (*direct) fail(*os.File) {}
