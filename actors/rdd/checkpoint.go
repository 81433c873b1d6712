package rdd

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"path"
)

// ActionCheckpoint has each task write the partition of a Checkpoint to its part of an output. A driver runs it when a job has ended
// well; programs never do.
const ActionCheckpoint Action = "checkpoint"

// Checkpoint is d itself, whose partitions are written to files, below the folder that spark.checkpoint.dir names, once the first job that
// uses it has ended well. The driver runs a second job for that, which computes d again unless Persist stands above. Later jobs read the
// files and compute nothing of what d is made of, also when executors and their map outputs are lost. It mirrors RDD.checkpoint, with
// ReliableRDDCheckpointData and ReliableCheckpointRDD.
//
// Which later jobs these are is as with Persist: those of the job in which Checkpoint stands, with its argument, as long as the text
// files that it reads have not changed; so these must stay, though no task reads them. Of several Checkpoints one above the other the
// lowest is written.
//
// Driver and executors must see the folder under one path. A job fails before it starts when no folder is set, its action fails when
// the files cannot be written (the next one tries again), and a job fails when a file is gone or damaged: nothing is computed in its
// place. A Local runner writes no checkpoints.
func Checkpoint[T any](d Dataset[T]) Dataset[T] {
	n := d.derive("Checkpoint", nil)
	n.persist = &persist{}
	n.keepPartitioner()
	c, err := codecOf[T]()
	if n.err == nil {
		n.err = err
	}
	n.persist.write = func(r *run, partition int) Result { return writeCheckpoint(r, c, d.iterate(r, partition)) }
	return newDataset(n, func(r *run, partition int) iter.Seq[T] {
		number := r.number(n)
		folder := r.task.Checkpoints[number]
		if folder == "" {
			return d.iterate(r, partition)
		}
		return func(yield func(T) bool) { readCheckpoint(r, c, checkpointFile{folder, number, partition}, yield) }
	})
}

// runCheckpoint writes a partition of a node that Checkpoint made, or keeps one of LocalCheckpoint.
func (l *Lineage) runCheckpoint(t Task) (res Result, err error) {
	if t.Node < 0 || t.Node > l.Last() || l.nodes[t.Node].persist == nil || l.nodes[t.Node].persist.write == nil {
		return Result{}, fmt.Errorf("%w: node %d of job %s is no checkpoint", ErrBadTask, t.Node, l.Job)
	}
	if err = l.run(t, func(r *run) { res = l.nodes[t.Node].persist.write(r, t.Partition) }); err != nil {
		return Result{}, err
	}
	return res, nil
}

// A checkpoint's file is pieces of encoded records, each behind its length and its CRC-32C, and an empty piece at the end, so that a
// file that was cut is found.
var checkpointSums = crc32.MakeTable(crc32.Castagnoli)

const pieceHeader = 8

func appendPiece(dst, piece []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(piece)))
	dst = binary.BigEndian.AppendUint32(dst, crc32.Checksum(piece, checkpointSums))
	return append(dst, piece...)
}

// writeCheckpoint writes records to the task's part.
func writeCheckpoint[T any](r *run, c codec[T], records iter.Seq[T]) (res Result) {
	if r.task.Output == nil {
		r.fail(fmt.Errorf("%w: nowhere to write a checkpoint to: set Task.Output", ErrBadTask)) // which does not return
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
	var piece, framed []byte
	flush := func() {
		framed = appendPiece(framed[:0], piece)
		if _, err := file.Write(framed); err != nil {
			r.fail(err)
		}
		piece = piece[:0]
	}
	for v := range records {
		r.at = outside
		r.tick()
		if piece = c.append(piece, v); len(piece) >= pieceSize {
			flush()
		}
		res.Count++
	}
	if len(piece) > 0 {
		flush()
	}
	flush() // the end
	closed = true
	if err := file.Close(); err != nil {
		r.fail(err)
	}
	return res
}

// checkpointFile is one partition of a Checkpoint.
type checkpointFile struct {
	folder          string
	node, partition int
}

// wrap says of which file an error is.
func (f checkpointFile) wrap(err error) error {
	return fmt.Errorf("checkpoint file %s of node %d: %w", path.Join(f.folder, partName(f.partition)), f.node, err)
}

// readCheckpoint gives the records of a partition that was written.
func readCheckpoint[T any](r *run, c codec[T], f checkpointFile, yield func(T) bool) {
	if r.task.FS == nil {
		r.fail(f.wrap(fmt.Errorf("%w: no files: set Task.FS", ErrBadTask)))
	}
	name := path.Join(f.folder, partName(f.partition))
	file, err := r.task.FS.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		// Java's words, which ReliableCheckpointRDD passes on.
		err = fmt.Errorf("File %s does not exist: partition %d of the checkpoint is gone, and what it was made of is not computed "+
			"again; bring the file back, or start the application anew: %w", name, f.partition, err)
	}
	if err != nil {
		r.fail(f.wrap(err))
	}
	defer func() { _ = file.Close() }()
	in, left := bufio.NewReaderSize(io.NewSectionReader(file, 0, file.Size()), pieceSize), file.Size()
	for {
		piece, err := readPiece(in, &left)
		if err != nil {
			r.fail(f.wrap(err))
		}
		if len(piece) == 0 {
			return
		}
		for len(piece) > 0 {
			var v T
			if v, piece, err = c.decode(piece); err != nil {
				r.fail(f.wrap(err))
			}
			r.tick()
			if !yield(v) {
				return
			}
		}
	}
}

// readPiece reads the next piece of a file of which so many bytes are left.
func readPiece(in io.Reader, left *int64) ([]byte, error) {
	var header [pieceHeader]byte
	if *left < pieceHeader {
		return nil, fmt.Errorf("%w: the file is cut", ErrCorrupt)
	}
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(header[:]))
	if *left -= pieceHeader; size > *left || size == 0 && *left > 0 {
		return nil, fmt.Errorf("%w: a piece of %d bytes where the file has %d more", ErrCorrupt, size, *left)
	}
	*left -= size
	piece := make([]byte, size)
	if _, err := io.ReadFull(in, piece); err != nil {
		return nil, err
	}
	if sum := crc32.Checksum(piece, checkpointSums); sum != binary.BigEndian.Uint32(header[4:]) {
		return nil, fmt.Errorf("%w: the checksum of a piece differs", ErrCorrupt)
	}
	return piece, nil
}
