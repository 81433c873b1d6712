package rdd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// OutputFS is an FS that SaveAsTextFile can write to. Its errors name the path.
type OutputFS interface {
	FS
	// Mkdir makes a folder in one that exists. Of several calls for one path one succeeds, the others fail with fs.ErrExist; without
	// the folder above it fails with fs.ErrNotExist.
	Mkdir(path string) error
	// MkdirAll makes a folder with those above it. One that exists is no error.
	MkdirAll(path string) error
	// Create makes a file that does not exist, in a folder that does.
	Create(path string) (io.WriteCloser, error)
	// Rename moves a file or a folder at once: all see the one or the other. A file at the new path is replaced by a file; with a
	// folder there it fails with fs.ErrExist.
	Rename(from, to string) error
	// ReadDir is the names in a folder, sorted.
	ReadDir(path string) ([]string, error)
	// RemoveAll removes a file, or a folder with all in it. A path without either is no error.
	RemoveAll(path string) error
}

// JobOutput is the folder that a job of ActionSave makes. It mirrors Hadoop's FileOutputCommitter, version 1 of its algorithm:
//
//	PATH/_temporary/0/_temporary/attempt_JOB_m_000001_0/part-00001   an attempt that has not committed
//	PATH/_temporary/0/task_JOB_m_000001/part-00001                   a task that has committed
//	PATH/part-00001, PATH/_SUCCESS                                   a job that has
//
// A commit is a rename, so it is there as a whole or not at all.
type JobOutput struct {
	// Path of the folder; in an Invocation as the program named it, in a task as all processes find it.
	Path string
	// Job is Hadoop's name of the job, in the names of the folders; RunSave gives it.
	Job string
}

const (
	temporaryFolder = "_temporary"
	successFile     = "_SUCCESS"
)

// pending is where tasks commit, attempts where their attempts write.
func (o JobOutput) pending() string  { return path.Join(o.Path, temporaryFolder, "0") }
func (o JobOutput) attempts() string { return path.Join(o.pending(), temporaryFolder) }

func (o JobOutput) task(partition int) string {
	return path.Join(o.pending(), fmt.Sprintf("task_%s_m_%06d", o.Job, partition))
}

func partName(partition int) string { return fmt.Sprintf("part-%05d", partition) }

// RunSave runs a job of ActionSave by run, around which it makes the job's output: before, it makes the folder and names it to the
// tasks; afterwards it commits what they have committed, or takes it back when run fails. name is what Hadoop would call the job.
func RunSave(files FS, job Invocation, name string, run func(Invocation) ([]Result, error)) ([]Result, error) {
	out, ok := files.(OutputFS)
	if !ok {
		return nil, fmt.Errorf("%w: job %s: nothing can be saved to this file system (%T)", ErrBadJob, job.Name, files)
	}
	job.Output.Job = name
	if r, ok := files.(Resolver); ok {
		at, err := r.Resolve(job.Output.Path)
		if err != nil {
			return nil, fmt.Errorf("job %s: where to save: %w", job.Name, err)
		}
		job.Output.Path = at
	}
	o := job.Output
	if err := o.begin(out); err != nil {
		return nil, fmt.Errorf("job %s: %w", job.Name, err)
	}
	results, err := run(job)
	if err == nil {
		if err = o.commit(out, len(results)); err != nil {
			err = fmt.Errorf("job %s: commit its output: %w", job.Name, err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, o.abort(out))
	}
	return results, nil
}

// begin makes the folder, which must not exist: of two jobs with one path one fails here.
func (o JobOutput) begin(out OutputFS) error {
	if err := out.MkdirAll(path.Dir(o.Path)); err != nil {
		return fmt.Errorf("make the folder above the output: %w", err)
	}
	err := out.Mkdir(o.Path)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: Output directory %s already exists: remove it, or save to another path", ErrOutputExists, o.Path)
	}
	if err != nil {
		return fmt.Errorf("make the output's folder: %w", err)
	}
	// Tasks make no folder but their own: one that is left behind when the job is over finds these gone, and cannot make them again.
	if err := out.MkdirAll(o.attempts()); err != nil {
		return errors.Join(fmt.Errorf("make the folder of attempts: %w", err), o.abort(out))
	}
	return nil
}

// commit moves the parts to their place. A task that succeeded without a commit that is found here wrote to another machine's files.
func (o JobOutput) commit(out OutputFS, partitions int) error {
	for partition := range partitions {
		part := partName(partition)
		err := out.Rename(path.Join(o.task(partition), part), path.Join(o.Path, part))
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("partition %d was committed, and is not there: do all executors see the driver's %s? %w", partition, o.Path, err)
		}
		if err != nil {
			return errors.Join(err, o.takeBack(out, partition))
		}
	}
	if err := o.removeTemporary(out); err != nil {
		return errors.Join(err, o.takeBack(out, partitions))
	}
	f, err := out.Create(path.Join(o.Path, successFile))
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return errors.Join(err, out.RemoveAll(path.Join(o.Path, successFile)), o.takeBack(out, partitions))
	}
	return nil
}

// takeBack removes the first parts again.
func (o JobOutput) takeBack(out OutputFS, parts int) error {
	var errs []error
	for partition := range parts {
		errs = append(errs, out.RemoveAll(path.Join(o.Path, partName(partition))))
	}
	return errors.Join(errs...)
}

// abort takes the output back. Hadoop leaves the empty folder, so that the same program fails when it is run again.
func (o JobOutput) abort(out OutputFS) error {
	if err := o.removeTemporary(out); err != nil {
		return fmt.Errorf("remove what a job that failed had saved: %w", err)
	}
	// Somebody may have put something there meanwhile.
	if names, err := out.ReadDir(o.Path); err != nil || len(names) > 0 {
		return err
	}
	return out.RemoveAll(o.Path)
}

// removeTries is how often a folder is removed in which tasks that are being killed may still make files.
const removeTries = 5

// removeTemporary removes what is not committed. Tasks may still run: from the rename on none of them can make a folder there.
func (o JobOutput) removeTemporary(out OutputFS) error {
	temporary := path.Join(o.Path, temporaryFolder)
	if err := out.Rename(o.pending(), path.Join(temporary, "over")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := out.RemoveAll(temporary)
	for try := 1; err != nil && try < removeTries; try++ {
		err = out.RemoveAll(temporary)
	}
	return err
}

// AttemptOutput is what one attempt of a task writes: an Output.
type AttemptOutput struct {
	fs        OutputFS
	out       JobOutput
	partition int
	folder    string
}

// Attempt is the output of an attempt, whose number no other attempt of the task has. The error is ErrBadTask when files cannot be
// written to, or the output has no path.
func (o JobOutput) Attempt(files FS, partition, attempt int) (*AttemptOutput, error) {
	out, ok := files.(OutputFS)
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: nothing can be saved to this file system (%T)", ErrBadTask, files)
	case o.Path == "" || partition < 0 || strings.ContainsAny(o.Job, `/\`):
		return nil, fmt.Errorf("%w: partition %d of job %q is to be saved to the folder %q", ErrBadTask, partition, o.Job, o.Path)
	}
	return &AttemptOutput{out, o, partition, path.Join(o.attempts(), fmt.Sprintf("attempt_%s_m_%06d_%d", o.Job, partition, attempt))}, nil
}

// Create makes the attempt's folder and its part. What an earlier run of the same attempt left there is removed.
func (a *AttemptOutput) Create() (io.WriteCloser, error) {
	if err := a.fs.RemoveAll(a.folder); err != nil {
		return nil, err
	}
	err := a.fs.Mkdir(a.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the job is over, or this executor does not see the driver's %s: %w", a.out.Path, err)
	}
	if err != nil {
		return nil, err
	}
	return a.fs.Create(path.Join(a.folder, partName(a.partition)))
}

// Commit makes the attempt's part that of the task, in place of one that another attempt has committed: that one has failed since.
func (a *AttemptOutput) Commit() error {
	to := a.out.task(a.partition)
	err := a.fs.Rename(a.folder, to)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Only now: an attempt whose own folder is gone must not remove what another one has committed.
	if err := a.fs.RemoveAll(to); err != nil {
		return err
	}
	return a.fs.Rename(a.folder, to)
}

// Abort removes what the attempt has written.
func (a *AttemptOutput) Abort() error { return a.fs.RemoveAll(a.folder) }

// HadoopAttempt is the number of an attempt of a task over all attempts of its stage, as Spark counts it for Hadoop.
func HadoopAttempt(stageAttempt, attempt int32) int { return int(stageAttempt)<<16 | int(attempt) }
