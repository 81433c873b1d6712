package rdd

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"sync/atomic"
)

// Broadcast is a value that a program makes once, passes in the arguments of jobs, and that the functions of their operations read by
// Value. It does not travel within the tasks: an executor fetches it in pieces before the first task of a job that has it, and all its
// tasks share the copy. It must not be changed. It mirrors org.apache.spark.broadcast.Broadcast.
//
//	type Args struct{ Centres rdd.Broadcast[[]Point] }
//
//	shared, err := rdd.NewBroadcast(ctx, app, centres)
//	counts, err := rdd.Collect(ctx, app, Step.With(Args{shared}))
//	err = shared.Destroy(ctx)
//
// A Broadcast lives until Destroy or the end of the application. The zero Broadcast has no value.
type Broadcast[T any] struct{ of *broadcast[T] }

// BroadcastInfo is what an executor has to know of a Broadcast to fetch it.
type BroadcastInfo struct {
	// ID counts from 0 within the application.
	ID int64
	// Size is that of the encoded value, in bytes. Pieces is how many blocks it is cut into, at least 1.
	Size   int64
	Pieces int32
	// Compressed: the pieces are those of the compressed value.
	Compressed bool
	// Checksums of the pieces (Adler-32); none: they are not checked.
	Checksums []uint32
}

// Broadcaster is a Runner that has Broadcasts.
type Broadcaster interface {
	// Broadcast takes an encoded value over.
	Broadcast(ctx context.Context, encoded []byte) (BroadcastInfo, error)
	// Unbroadcast makes the executors give a value up. Where destroyed is not empty the program gives it up too, and destroyed says
	// where it did so: jobs that have the Broadcast fail with a *DestroyedError from then on.
	Unbroadcast(ctx context.Context, id int64, destroyed string) error
}

// DestroyedError says that a Broadcast was used after its Destroy, in Spark's words.
type DestroyedError struct {
	ID int64
	// Site is where Destroy was called.
	Site string
}

// Error has Spark's words (Broadcast.assertValid).
func (e *DestroyedError) Error() string {
	return fmt.Sprintf("Attempted to use Broadcast(%d) after it was destroyed (%s)", e.ID, e.Site)
}

// BroadcastVar is a Broadcast in the argument of a job, as a Runner sees it.
type BroadcastVar interface {
	Info() BroadcastInfo
	// Decode makes the value of its encoding. The error is ErrCorrupt.
	Decode(encoded []byte) (value any, err error)
	// Set gives the tasks of the lineage the value that Decode made, of this or of another BroadcastVar with the same ID; nil takes it
	// from them. The error says that the program uses one Broadcast with two types.
	Set(value any) error
}

// broadcast is what the copies of a Broadcast share.
type broadcast[T any] struct {
	info   BroadcastInfo
	runner Broadcaster // of the program that made it; nil in an argument
	value  atomic.Pointer[T]
	// destroyed is where; nil: it is not.
	destroyed atomic.Pointer[string]
}

// NewBroadcast makes a Broadcast of a value, which must not change from then on. The value is encoded as arguments are, by encoding/gob.
// It mirrors SparkContext.broadcast.
func NewBroadcast[T any](ctx context.Context, r Runner, value T) (Broadcast[T], error) {
	var none Broadcast[T]
	to, ok := r.(Broadcaster)
	if !ok {
		return none, fmt.Errorf("broadcast %T: %T has no broadcasts", value, r)
	}
	if err := checkArgument(reflect.TypeFor[T](), reflect.TypeFor[T]().String(), nil); err != nil {
		return none, fmt.Errorf("broadcast: %w", err)
	}
	var encoded bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(&value); err != nil {
		return none, fmt.Errorf("broadcast %T: %w", value, err)
	}
	info, err := to.Broadcast(ctx, encoded.Bytes())
	if err != nil {
		return none, fmt.Errorf("broadcast %T: %w", value, err)
	}
	b := &broadcast[T]{info: info, runner: to}
	b.value.Store(&value)
	return Broadcast[T]{b}, nil
}

// ID counts the Broadcasts of an application, from 0.
func (b Broadcast[T]) ID() int64 {
	if b.of == nil {
		return -1
	}
	return b.of.info.ID
}

// Value is the value: for the functions of a job's operations, and for the program that made the Broadcast. A use after Destroy panics with
// a *DestroyedError, as Spark throws. So does, with ErrBadJob, the use of a zero Broadcast and one in the function of the job itself, which
// runs before the value is there.
func (b Broadcast[T]) Value() T {
	if b.of == nil {
		panic(fmt.Errorf("%w: a zero Broadcast was used; make it by NewBroadcast", ErrBadJob))
	}
	if err := b.of.valid(); err != nil {
		panic(err)
	}
	v := b.of.value.Load()
	if v == nil {
		panic(fmt.Errorf("%w: %s is not read by a task: call Value in a function of an operation such as Map, not in the function of the job "+
			"itself, and have the Broadcast in an exported field of the job's argument", ErrBadJob, b))
	}
	return *v
}

// String is Spark's name of it.
func (b Broadcast[T]) String() string { return fmt.Sprintf("Broadcast(%d)", b.ID()) }

// Unpersist makes the executors give the value up. A task that reads it again fetches it again. It mirrors Broadcast.unpersist(true).
func (b Broadcast[T]) Unpersist(ctx context.Context) error {
	if err := b.owned("Unpersist"); err != nil {
		return err
	}
	return b.of.runner.Unbroadcast(ctx, b.of.info.ID, "")
}

// Destroy ends the Broadcast: the executors and the program give the value up, and whatever uses it fails with a *DestroyedError. It
// mirrors Broadcast.destroy(true).
func (b Broadcast[T]) Destroy(ctx context.Context) error {
	if err := b.owned("Destroy"); err != nil {
		return err
	}
	site := "Destroy"
	if _, file, line, ok := runtime.Caller(1); ok {
		site = fmt.Sprintf("Destroy at %s:%d", filepath.Base(file), line)
	}
	if !b.of.destroyed.CompareAndSwap(nil, &site) {
		return b.of.valid()
	}
	b.of.value.Store(nil)
	return b.of.runner.Unbroadcast(ctx, b.of.info.ID, site)
}

// owned says why the program cannot end a Broadcast.
func (b Broadcast[T]) owned(what string) error {
	switch {
	case b.of == nil:
		return fmt.Errorf("%w: %s of a zero Broadcast", ErrBadJob, what)
	case b.of.runner == nil:
		return fmt.Errorf("%w: %s of %s in a task: only the program that made it can end it", ErrBadJob, what, b)
	}
	return b.of.valid()
}

func (b *broadcast[T]) valid() error {
	if site := b.destroyed.Load(); site != nil {
		return &DestroyedError{b.info.ID, *site}
	}
	return nil
}

// GobEncode writes what a task has to know, not the value.
func (b Broadcast[T]) GobEncode() ([]byte, error) {
	if b.of == nil {
		return nil, fmt.Errorf("%w: a zero Broadcast was used; make it by NewBroadcast", ErrBadJob)
	}
	if err := b.of.valid(); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(b.of.info)
	return buf.Bytes(), err
}

// GobDecode reads what GobEncode wrote.
func (b *Broadcast[T]) GobDecode(data []byte) error {
	of := &broadcast[T]{}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&of.info); err != nil {
		return err
	}
	if err := of.info.check(); err != nil {
		return err
	}
	b.of = of
	return nil
}

// check says what is wrong with an info that has travelled.
func (i BroadcastInfo) check() error {
	// No piece but the last one is smaller than 1 KiB, and compression adds less than a sixth.
	if i.ID < 0 || i.Size < 0 || i.Pieces < 1 || int64(i.Pieces) > i.Size/512+1 || len(i.Checksums) > 0 && len(i.Checksums) != int(i.Pieces) {
		return fmt.Errorf("%w: Broadcast(%d) has %d bytes in %d pieces with %d checksums", ErrBadArguments, i.ID, i.Size, i.Pieces, len(i.Checksums))
	}
	return nil
}

// variable implements holder.
func (b Broadcast[T]) variable() BroadcastVar {
	if b.of == nil {
		return nil
	}
	return b.of
}

// Info implements BroadcastVar.
func (b *broadcast[T]) Info() BroadcastInfo { return b.info }

// Decode implements BroadcastVar.
func (b *broadcast[T]) Decode(encoded []byte) (any, error) {
	value := new(T)
	r := bytes.NewReader(encoded)
	err := gob.NewDecoder(r).Decode(value)
	if err == nil && r.Len() > 0 {
		err = errors.New("there is more behind it")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the value of Broadcast(%d): %w", ErrCorrupt, b.info.ID, err)
	}
	return value, nil
}

// Set implements BroadcastVar.
func (b *broadcast[T]) Set(value any) error {
	if value == nil {
		b.value.Store(nil)
		return nil
	}
	v, ok := value.(*T)
	if !ok {
		return fmt.Errorf("%w: Broadcast(%d) is %T, not %T", ErrBadArguments, b.info.ID, value, v)
	}
	b.value.Store(v)
	return nil
}
