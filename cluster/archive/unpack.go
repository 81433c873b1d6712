package archive

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// unpacking unpacks one archive into a directory, which no entry can leave.
type unpacking struct {
	ctx     context.Context
	dir     string
	mode    os.FileMode // of files
	bytes   int64       // how many may still come
	entries int         // how many may still come
	written int64
	root    *os.Root
}

// Known reports whether an archive of that name can be unpacked.
func Known(name string) bool { return formOf(name) != nil }

// Limits bound what an archive may hold.
type Limits struct {
	// Mode of its files.
	Mode os.FileMode
	// Bytes of all files, as they come, and Entries of any kind.
	Bytes   int64
	Entries int
}

// Unpack unpacks a file into dir, which it makes, as an archive of a name: .zip, .jar, .tar.gz, .tgz or .tar. It returns how many bytes
// there are. No entry leaves dir, nor does a link.
func Unpack(ctx context.Context, packed, name, dir string, most Limits) (int64, error) {
	form := formOf(name)
	if form == nil {
		return 0, fmt.Errorf("%s is no archive: want .zip, .jar, .tar.gz, .tgz or .tar", name)
	}
	u := unpacking{ctx: ctx, dir: dir, mode: most.Mode, bytes: most.Bytes, entries: most.Entries}
	err := u.run(packed, form)
	return u.written, err
}

// formOf is how an archive of that name is unpacked; nil: of no known form.
func formOf(name string) func(*unpacking, *os.File) error {
	name = strings.ToLower(name)
	switch {
	case strings.HasSuffix(name, ".zip"), strings.HasSuffix(name, ".jar"):
		return (*unpacking).unzip
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return (*unpacking).untgz
	case strings.HasSuffix(name, ".tar"):
		return func(u *unpacking, f *os.File) error { return u.untar(f) }
	}
	return nil
}

// run unpacks a file.
func (u *unpacking) run(packed string, form func(*unpacking, *os.File) error) error {
	if err := os.Mkdir(u.dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(u.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	u.root = root
	f, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer f.Close()
	return form(u, f)
}

func (u *unpacking) unzip(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return err
	}
	for _, e := range z.File {
		if err := u.unzipOne(e); err != nil {
			return fmt.Errorf("%.200q: %w", e.Name, err)
		}
	}
	return nil
}

func (u *unpacking) unzipOne(e *zip.File) error {
	name, err := u.enter(e.Name)
	if err != nil {
		return err
	}
	mode := e.Mode()
	if mode.IsDir() {
		return u.parents(name + "/x") // the parents of something in it: the directory itself, too
	}
	r, err := e.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	switch {
	case mode.IsRegular():
		return u.file(name, r)
	case mode&fs.ModeSymlink != 0:
		target, err := io.ReadAll(io.LimitReader(r, 4096)) // longer paths do not exist
		if err != nil {
			return err
		}
		return u.symlink(name, string(target))
	}
	return fmt.Errorf("it is neither a file nor a directory nor a link")
}

func (u *unpacking) untgz(f *os.File) error {
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	return errors.Join(u.untar(z), z.Close())
}

func (u *unpacking) untar(r io.Reader) error {
	t := tar.NewReader(r)
	for {
		e, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := u.untarOne(t, e); err != nil {
			return fmt.Errorf("%.200q: %w", e.Name, err)
		}
	}
}

func (u *unpacking) untarOne(t *tar.Reader, e *tar.Header) error {
	if e.Typeflag == tar.TypeXGlobalHeader { // a comment of git archive, say: no entry
		return nil
	}
	name, err := u.enter(e.Name)
	if err != nil {
		return err
	}
	switch e.Typeflag {
	case tar.TypeDir:
		return u.parents(name + "/x")
	case tar.TypeReg:
		return u.file(name, t)
	case tar.TypeSymlink:
		return u.symlink(name, e.Linkname)
	case tar.TypeLink:
		target, err := u.local(e.Linkname)
		if err != nil {
			return err
		}
		if err := u.parents(name); err != nil {
			return err
		}
		return u.root.Link(target, name)
	}
	return errors.New("it is neither a file nor a directory nor a link")
}

// enter counts an entry, and makes a path of its name.
func (u *unpacking) enter(name string) (string, error) {
	if err := u.ctx.Err(); err != nil {
		return "", err
	}
	if u.entries--; u.entries < 0 {
		return "", errors.New("the archive has more entries than are allowed")
	}
	return u.local(name)
}

// local is a path below the directory.
func (u *unpacking) local(name string) (string, error) {
	clean := path.Clean(strings.TrimSuffix(name, "/"))
	if strings.ContainsAny(name, "\\\x00") || !filepath.IsLocal(clean) {
		return "", errors.New("it leads out of the archive's directory")
	}
	return clean, nil
}

// parents makes the directories above name. None of them may be a link: what lies behind one is elsewhere than it seems.
func (u *unpacking) parents(name string) error {
	dir := path.Dir(name)
	if dir == "." {
		return nil
	}
	for at := dir; at != "."; at = path.Dir(at) {
		if info, err := u.root.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return errors.New("it lies behind a link")
		}
	}
	return u.root.MkdirAll(dir, 0o755)
}

// file writes one file, within what is left.
func (u *unpacking) file(name string, r io.Reader) error {
	if err := u.parents(name); err != nil {
		return err
	}
	// O_EXCL follows no link: an entry must not write through a link that an earlier entry made.
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	// The sizes in the archive are claims: the bytes are counted as they come.
	n, err := io.Copy(f, io.LimitReader(Stopping(u.ctx, r), u.bytes+1))
	u.bytes -= n
	u.written += n
	if err := errors.Join(err, f.Chmod(u.mode), f.Close()); err != nil {
		return err
	}
	if u.bytes < 0 {
		return errors.New("the archive has more bytes than are allowed")
	}
	return nil
}

// symlink makes a link to something in the directory.
func (u *unpacking) symlink(name, target string) error {
	if path.IsAbs(target) {
		return errors.New("its link leads out of the archive's directory")
	}
	if _, err := u.local(path.Join(path.Dir(name), target)); err != nil {
		return errors.New("its link leads out of the archive's directory")
	}
	if err := u.parents(name); err != nil {
		return err
	}
	return u.root.Symlink(target, name)
}

// Stopping is r, whose reads fail when ctx has ended.
func Stopping(ctx context.Context, r io.Reader) io.Reader { return stopping{ctx, r} }

type stopping struct {
	ctx context.Context
	io.Reader
}

func (s stopping) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}
