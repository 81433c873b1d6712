package app

import (
	"io"
	"os"
)

// section is a part of a file of blocks ([rdd.File]).
type section struct {
	*io.SectionReader
	file *os.File
}

// openSection opens a part of a file, which has to have all of it.
func openSection(path string, offset, size int64) (*section, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &section{io.NewSectionReader(f, offset, size), f}, nil
}

func (s *section) Close() error { return s.file.Close() }
