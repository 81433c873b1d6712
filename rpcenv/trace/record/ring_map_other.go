//go:build !unix

package record

import "os"

// mapped is plain memory: on this system the ring does not outlive its process.
func mapped(_ *os.File, size int) (mem []byte, shared bool, err error) {
	return make([]byte, size), false, nil
}

func unmap([]byte) {}
