package raftlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// ErrInUse is the error of a file that another process has.
var ErrInUse = errors.New("raftlog: the file is in use")

// lockPatience is how long Open waits for a process that is about to end.
const lockPatience = time.Second

// File is a log in a file.
type File struct {
	path string
	db   *bbolt.DB
}

var _ election.Log = (*File)(nil)

// Path is the file of a Master in a directory: several Masters may share one.
func Path(dir string, self rpcenv.Address) string {
	return filepath.Join(dir, "election-"+strings.NewReplacer(":", "_", "/", "_", "\\", "_").Replace(self.String())+".db")
}

// Open opens a log, or makes an empty one. Its errors are ErrInUse, [election.ErrLogDamaged] and those of files.
func Open(path string) (f *File, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, unusable(err)
	}
	var file *os.File
	defer func() {
		if f == nil && file != nil {
			_ = file.Close() // after a panic it is open, and locked
		}
	}()
	// bbolt maps the file into memory. A file that is shorter than its header says makes a read a SIGBUS, which would end the
	// process; as a panic it becomes an error.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(path, &err)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: lockPatience, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w: %s: another Master of this address runs, or has not ended yet", ErrInUse, path)
	case errors.As(err, new(*fs.PathError)):
		return nil, unusable(err)
	case errors.As(err, new(syscall.Errno)):
		return nil, unusable(&fs.PathError{Op: "open", Path: path, Err: err})
	case errors.Is(err, bolterrors.ErrInvalid):
		return nil, damaged(path, "it is no log of a Master")
	case err != nil: // bbolt read a page that makes no sense
		return nil, damaged(path, err)
	}
	return &File{path: path, db: db}, nil
}

// unusable adds to err, which names a file that cannot be opened, what to do about it.
func unusable(err error) error {
	advice := "name another directory by spark.deploy.recoveryDirectory"
	if errors.Is(err, fs.ErrPermission) {
		advice = "let the Master's user read and write it, or " + advice
	}
	return fmt.Errorf("the log of this Master: %w: %s", err, advice)
}

// damaged is the error of a damaged file, with what to do.
func damaged(path string, why any) error {
	return fmt.Errorf("%w: %s: %v: remove it, then this Master gets the log of the others", election.ErrLogDamaged, path, why)
}

// recovered makes an error of a panic: bbolt trusts what it reads, and goes astray in a page that it did not write. A file that
// is shorter than its header says is a panic too. The runtime's words for it help nobody, so they are left out.
func recovered(path string, err *error) {
	const why = "a page of it is wrong: the file was cut, or something else wrote into it"
	switch v := recover().(type) {
	case nil:
	case runtime.Error:
		*err = damaged(path, why)
	default:
		*err = damaged(path, fmt.Sprintf("%s (%v)", why, v))
	}
}

// Name is the path of the file.
func (f *File) Name() string { return f.path }

// Close gives the file back.
func (f *File) Close() error { return f.db.Close() }

// The buckets, and the keys of the state.
var (
	stateBucket   = []byte("state")
	entriesBucket = []byte("entries")
	identityKey   = []byte("identity")
	voteKey       = []byte("vote")
	snapshotKey   = []byte("snapshot")
	extentKey     = []byte("extent")
)

// Load reads everything. Each record has a checksum, and the extent names the first and the last entry: a damaged page of bbolt's
// can make records vanish as if they had never been.
func (f *File) Load(*rpcenv.Blocking) (s election.Saved, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(f.path, &err)
	err = f.db.View(func(tx *bbolt.Tx) error {
		var extent []byte
		if b := tx.Bucket(stateBucket); b != nil {
			extent = b.Get(extentKey)
			s.Identity, s.Vote, s.Snapshot = &deploy.LogIdentity{}, &deploy.LogVote{}, &deploy.LogSnapshot{}
			for key, into := range map[string]proto.Message{
				string(identityKey): s.Identity, string(voteKey): s.Vote, string(snapshotKey): s.Snapshot,
			} {
				value := b.Get([]byte(key))
				switch {
				case value != nil:
					if err := decode([]byte(key), value, into); err != nil {
						return damaged(f.path, err)
					}
				case key == string(snapshotKey): // a young log has none
					s.Snapshot = nil
				default: // the first Save writes both; without its vote a Master could vote twice in a term
					return damaged(f.path, "it has no "+key)
				}
			}
		}
		b := tx.Bucket(entriesBucket)
		// A damaged page can hide both buckets. The number of the transaction stands in the header, which has a checksum: it
		// says whether anything was written.
		if b == nil && extent == nil && tx.ID() <= newest {
			return nil
		}
		if b == nil || !bytes.Equal(extent, extentOf(b)) {
			return damaged(f.path, "the entries are not those that were written last")
		}
		return b.ForEach(func(key, value []byte) error {
			e := &deploy.LogEntry{}
			err := decode(key, value, e)
			// The checksum covers the key too. These two find entries that are whole and in the wrong place.
			if err == nil && (len(key) != 8 || binary.BigEndian.Uint64(key) != e.GetIndex()) {
				err = fmt.Errorf("entry %d is kept as %x", e.GetIndex(), key)
			}
			if n := len(s.Entries); err == nil && n > 0 && s.Entries[n-1].GetIndex()+1 != e.GetIndex() {
				err = fmt.Errorf("entry %d follows %d", e.GetIndex(), s.Entries[n-1].GetIndex())
			}
			if err != nil {
				return damaged(f.path, err)
			}
			s.Entries = append(s.Entries, e)
			return nil
		})
	})
	return s, err
}

// Peers are the Masters of the group that the log belongs to; none: it is new.
func (f *File) Peers() ([]rpcenv.Address, error) {
	s, err := f.Load(nil)
	if err != nil || len(s.Identity.GetPeers()) == 0 {
		return nil, err
	}
	peers, err := rpcenv.ParseAddresses(strings.Join(s.Identity.GetPeers(), ","))
	if err != nil {
		return nil, damaged(f.path, err)
	}
	return peers, nil
}

// newest is the newest transaction of a file into which nothing was written: the one that makes it.
const newest = 1

// extentOf is the first and the last key of the entries, which have no gaps, with their checksum.
func extentOf(entries *bbolt.Bucket) []byte {
	first, _ := entries.Cursor().First()
	last, _ := entries.Cursor().Last()
	return binary.BigEndian.AppendUint32(slices.Concat(first, last), checksum(first, last))
}

// Save makes a batch durable in one transaction. It can meet a damaged page that Load had no need to read.
func (f *File) Save(_ *rpcenv.Blocking, batch election.Batch) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(f.path, &err)
	err = f.db.Update(func(tx *bbolt.Tx) error {
		state, err := tx.CreateBucketIfNotExists(stateBucket)
		if err != nil {
			return err
		}
		if batch.Identity != nil {
			err = errors.Join(err, put(state, identityKey, batch.Identity))
		}
		if batch.Vote != nil {
			err = errors.Join(err, put(state, voteKey, batch.Vote))
		}
		if batch.Snapshot != nil {
			err = errors.Join(err, put(state, snapshotKey, batch.Snapshot))
		}
		if err != nil {
			return err
		}
		entries, err := tx.CreateBucketIfNotExists(entriesBucket)
		if err == nil {
			err = saveEntries(entries, batch)
		}
		if err != nil {
			return err
		}
		// In the same transaction as the entries, so that it never names others than there are.
		return state.Put(extentKey, extentOf(entries))
	})
	var at *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at) && (!errors.As(at.Err, new(syscall.Errno)) || errors.Is(at.Err, syscall.EFBIG)):
		return damaged(f.path, at.Err) // a damaged page sent bbolt to an offset that no file has
	case errors.As(err, &at):
		return err // it names the file
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

func saveEntries(b *bbolt.Bucket, batch election.Batch) (err error) {
	b.FillPercent = 0.9 // entries come in order
	switch {
	case batch.Whole:
		err = remove(b, nil, func(uint64) bool { return true })
	case batch.Snapshot != nil:
		last := batch.Snapshot.GetIndex()
		err = remove(b, nil, func(index uint64) bool { return index <= last })
	}
	if err != nil || len(batch.Entries) == 0 {
		return err
	}
	// What is kept from the first new entry on comes from an earlier leader; a shorter batch must not leave its tail behind.
	if err := remove(b, key(batch.Entries[0].GetIndex()), func(uint64) bool { return true }); err != nil {
		return err
	}
	for _, e := range batch.Entries {
		if err := put(b, key(e.GetIndex()), e); err != nil {
			return err
		}
	}
	return nil
}

// remove removes entries from a key on, until what says no.
func remove(b *bbolt.Bucket, from []byte, what func(index uint64) bool) error {
	var keys [][]byte // collected first: a cursor skips entries when one is removed under it
	c := b.Cursor()
	k, _ := c.First()
	if from != nil {
		k, _ = c.Seek(from)
	}
	for ; len(k) == 8 && what(binary.BigEndian.Uint64(k)); k, _ = c.Next() {
		keys = append(keys, append([]byte(nil), k...))
	}
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

func key(index uint64) []byte { return binary.BigEndian.AppendUint64(nil, index) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// put writes a record behind the checksum of its key and itself.
func put(b *bbolt.Bucket, key []byte, m proto.Message) error {
	value, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(make([]byte, 4), m)
	if err != nil {
		return err
	}
	binary.BigEndian.PutUint32(value, checksum(key, value[4:]))
	return b.Put(key, value)
}

func decode(key, value []byte, m proto.Message) error {
	if len(value) < 4 || binary.BigEndian.Uint32(value) != checksum(key, value[4:]) {
		return fmt.Errorf("the checksum of %q is wrong", key)
	}
	return proto.Unmarshal(value[4:], m)
}

func checksum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}
