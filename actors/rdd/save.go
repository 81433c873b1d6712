package rdd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
)

// ActionSave has each task write its records to its part of an output, see SaveAsTextFile.
const ActionSave Action = "save"

// SaveAsTextFile computes a bound job and writes its records to a folder, a line each, each partition to a file of its own: part-00000
// and so on. A string is written as it is, a Pair as (key,value), another value as fmt.Print prints it; a job that ends in Map to
// strings writes any other format. It mirrors RDD.saveAsTextFile.
//
// The folder must not exist (ErrOutputExists); those above it are made. Driver and executors must see it under one path. A relative
// path is relative to the working directory of the driver.
//
// What a reader sees is of one attempt of each task: an attempt writes to a folder of its own below _temporary, and the driver's
// OutputCommitCoordinator lets one attempt of each task commit. When all have, the parts move to their place and a file _SUCCESS is
// made, last: a folder that has it is complete. A job that fails or is cancelled takes back what it made. One whose driver is killed
// leaves _temporary behind, and no _SUCCESS.
func SaveAsTextFile[T any](ctx context.Context, r Runner, b Bound[T], path string) error {
	job, err := b.Invocation()
	if err != nil {
		return err
	}
	if path == "" {
		return fmt.Errorf("%w: job %s: SaveAsTextFile needs the path of a folder to make", ErrBadJob, job.Name)
	}
	job.Output = JobOutput{Path: path}
	_, err = runInvocation(ctx, r, job, ActionSave)
	return err
}

// Output is where a task of ActionSave writes.
type Output interface {
	// Create makes the file of the task's part. Its Close reports what could not be written.
	Create() (io.WriteCloser, error)
}

// saveBuffer is how much of a part is written at once, in bytes.
const saveBuffer = 64 << 10

// save writes records to the task's part.
func save[T any](r *run, records iter.Seq[T]) (res Result) {
	if r.task.Output == nil {
		r.fail(fmt.Errorf("%w: nowhere to save to: set Task.Output", ErrBadTask)) // which does not return
	}
	file, err := r.task.Output.Create()
	if err != nil {
		r.fail(err)
	}
	closed := false
	defer func() { // of a task that fails; its part is of no use
		if !closed {
			_ = file.Close()
		}
	}()
	w := bufio.NewWriterSize(file, saveBuffer)
	var line []byte
	for v := range records {
		r.at = outside
		r.tick()
		line = append(textOf(line[:0], &v), '\n')
		if _, err := w.Write(line); err != nil {
			r.fail(err)
		}
		res.Count++
	}
	err = w.Flush()
	closed = true
	// In a full disk some file systems report here what they took before.
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		r.fail(err)
	}
	return res
}

// texter is a record with a text of its own. Not a Stringer: fmt goes on to print a Pair as a struct.
type texter interface{ appendText(dst []byte) []byte }

// textOf appends the text of a record. It takes a pointer, since a string in an interface would be copied.
func textOf[T any](dst []byte, v *T) []byte {
	switch p := any(v).(type) {
	case *string:
		return append(dst, *p...)
	case texter: // a pointer has the methods of its value
		return p.appendText(dst)
	}
	return fmt.Append(dst, *v)
}

func (p Pair[K, V]) appendText(dst []byte) []byte {
	dst = append(textOf(append(dst, '('), &p.Key), ',')
	return append(textOf(dst, &p.Value), ')')
}
