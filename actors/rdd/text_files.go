package rdd

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Lister is an FS with folders.
type Lister interface {
	FS
	// ReadDir is the names in a folder, sorted. It fails for what is no folder.
	ReadDir(path string) ([]string, error)
}

// textFile is a file that a TextFile reads.
type textFile struct {
	path string
	size int64
}

// filesOf are the files that a path means, in order of their names: a file, those of a folder, or those that match a pattern. version is
// another text whenever the contents have changed. It mirrors FileInputFormat.listStatus.
func filesOf(in FS, where string) (files []textFile, version string, err error) {
	at := where
	// At the driver, once: executors have working directories of their own.
	if r, ok := in.(Resolver); ok {
		if at, err = r.Resolve(where); err != nil {
			return nil, "", err
		}
	}
	paths := []string{at}
	if l, ok := in.(Lister); ok {
		if paths, err = matching(l, at); err != nil {
			return nil, "", err
		}
		var all []string
		for _, p := range paths {
			inside := within(l, p)
			for _, name := range inside {
				if _, err := l.ReadDir(name); err == nil {
					return nil, "", fmt.Errorf("%w: %s is a folder in a folder, and TextFile reads the files of one: read %s/* for those of both",
						ErrBadJob, name, strings.TrimSuffix(p, "/"))
				}
			}
			all = append(all, inside...)
		}
		paths = all
	}
	for _, p := range paths {
		if err := readable(p); err != nil {
			return nil, "", err
		}
		f, err := in.Open(p)
		if err != nil {
			return nil, "", err
		}
		files = append(files, textFile{p, f.Size()})
		version += fmt.Sprintf("%q %d ", p, f.Size())
		if v, ok := f.(Versioned); ok {
			version += v.Version() + " "
		}
		if err := f.Close(); err != nil {
			return nil, "", err
		}
	}
	return files, version, nil
}

// hiddenFile reports names that neither a folder nor a pattern stands for: those of notes about files (FileInputFormat.hiddenFileFilter).
func hiddenFile(name string) bool {
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
}

// within are the files of a folder. A file is itself.
func within(l Lister, p string) []string {
	names, err := l.ReadDir(p)
	if err != nil {
		return []string{p} // no folder: Open says what is wrong, if anything is
	}
	var out []string
	for _, name := range names {
		if !hiddenFile(name) {
			out = append(out, path.Join(p, name))
		}
	}
	return out
}

// matching are the paths that match a pattern, in order; a path without one of * ? [ is itself. A path that exists as it is written is no
// pattern.
func matching(l Lister, pattern string) ([]string, error) {
	if !strings.ContainsAny(pattern, "*?[") {
		return []string{pattern}, nil
	}
	if f, err := l.Open(pattern); err == nil {
		return []string{pattern}, f.Close()
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%w: %q: %w", ErrBadJob, pattern, err)
	}
	found := []string{"."}
	if path.IsAbs(pattern) {
		found = []string{"/"}
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(path.Clean(pattern), "/"), "/") {
		var next []string
		for _, above := range found {
			if !strings.ContainsAny(part, "*?[") {
				next = append(next, path.Join(above, part))
				continue
			}
			names, err := l.ReadDir(above)
			if err != nil {
				continue // no folder: nothing in it matches
			}
			for _, name := range names {
				if ok, _ := path.Match(part, name); ok && !hiddenFile(name) {
					next = append(next, path.Join(above, name))
				}
			}
		}
		found = next
	}
	// A name behind a pattern need not be in each folder.
	found = slices.DeleteFunc(found, func(p string) bool { return !exists(l, p) })
	if len(found) == 0 {
		return nil, &fs.PathError{Op: "open", Path: pattern, Err: fmt.Errorf("the pattern matches 0 files: %w", fs.ErrNotExist)}
	}
	return found, nil
}

func exists(l Lister, p string) bool {
	if _, err := l.ReadDir(p); err == nil {
		return true
	}
	f, err := l.Open(p)
	return err == nil && f.Close() == nil
}

// splitsOf cuts files into splits, each file by itself. All but the last of a file are as long as the share that each of minPartitions splits
// has of all files, and at most maxSplit; the last one may be a tenth longer. An empty file has none, and a compressed one is
// one split. It mirrors FileInputFormat.getSplits, so that there are as many as in Spark, with the same lines.
func splitsOf(files []textFile, minPartitions int) (splits [][]byte) {
	total := int64(0)
	for _, f := range files {
		total += f.size
	}
	length := max(1, min(total/int64(max(1, minPartitions)), maxSplit))
	for _, f := range files {
		for start, end := int64(0), int64(0); end < f.size; start = end {
			end = f.size
			if rest := f.size - start; !isCompressed(f.path) && rest > length && rest-length > length/10 {
				end = start + length
			}
			splits = append(splits, textSplit{f.path, start, end, f.size}.encode())
		}
	}
	return splits
}
