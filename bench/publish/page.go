package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// page is RESULTS.md: prose, and tables between markers.
type page string

// begins is the marker before a table; a line <!-- end NAME --> is behind it.
var begins = regexp.MustCompile(`(?m)^<!-- table (\S+) -->$`)

func readPage(path string) (page, error) {
	text, err := os.ReadFile(path)
	return page(text), err
}

// names are the names of the tables, in their order.
func (p page) names() (names []string) {
	for _, m := range begins.FindAllStringSubmatch(string(p), -1) {
		names = append(names, m[1])
	}
	return names
}

// bounds are where the section of a table begins and ends.
func (p page) bounds(name string) (from, to int, err error) {
	first, last := fmt.Sprintf("\n<!-- table %s -->\n", name), fmt.Sprintf("\n<!-- end %s -->\n", name)
	if n, m := strings.Count(string(p), first), strings.Count(string(p), last); n != 1 || m != 1 {
		return 0, 0, fmt.Errorf("the page has %d beginnings and %d ends of table %s: it wants one line %s and one %s", n, m, name,
			strings.TrimSpace(first), strings.TrimSpace(last))
	}
	from = strings.Index(string(p), first) + len(first)
	if to = strings.Index(string(p), last) + 1; to < from {
		return 0, 0, fmt.Errorf("the end of table %s stands before its beginning", name)
	}
	return from, to, nil
}

// section is what stands between the markers of a table.
func (p page) section(name string) (string, error) {
	from, to, err := p.bounds(name)
	if err != nil {
		return "", err
	}
	return string(p)[from:to], nil
}

// insert replaces a section of the page at path. Nobody sees half a page: the new one is renamed to it.
func insert(path, name string, in io.Reader) error {
	p, err := readPage(path)
	if err != nil {
		return err
	}
	from, to, err := p.bounds(name)
	if err != nil {
		return err
	}
	section, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	text := strings.Trim(string(section), "\n")
	if text == "" {
		return fmt.Errorf("table %s is empty: the old one stays", name)
	}
	next := path + ".new"
	if err := os.WriteFile(next, []byte(string(p)[:from]+"\n"+text+"\n\n"+string(p)[to:]), 0o644); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return os.Rename(next, path)
}
