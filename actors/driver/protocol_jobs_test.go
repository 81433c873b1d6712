package driver_test

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// job starts a job: save N has a stage of N tasks that write to the folder out; numbers has one stage of three tasks, tasks N one of N,
// near PLACES ... one of a task for each word, words TEXT ... two map tasks and two result tasks, join, joinSums, union and sort TEXT ...
// several stages; another has no lineage.
func (k *talk) job(args string) (string, error) {
	name, text, _ := strings.Cut(args, " ")
	var inv rdd.Invocation
	var err error
	action := rdd.ActionCount
	switch name {
	case "save":
		n, _ := strconv.Atoi(text)
		inv, err = tasksOf.With(n).Invocation()
		inv.Output.Path = "out"
		action = rdd.ActionSave
	case "barrier":
		n, _ := strconv.Atoi(text)
		inv, err = together.With(n).Invocation()
	case "barrier-map":
		n, _ := strconv.Atoi(text)
		inv, err = togetherMap.With(n).Invocation()
	case "numbers":
		inv, err = numbers.With(9).Invocation()
	case "tasks":
		n, _ := strconv.Atoi(text)
		inv, err = tasksOf.With(n).Invocation()
	case "near":
		inv, err = near.With(strings.Fields(text)).Invocation()
	case "words":
		inv, err = words.With(strings.Fields(text)).Invocation()
	case "join":
		inv, err = joined.With(strings.Fields(text)).Invocation()
	case "joinSums":
		inv, err = joinedSums.With(strings.Fields(text)).Invocation()
	case "union":
		inv, err = united.With(strings.Fields(text)).Invocation()
	case "sort":
		inv, err = sorted.With(strings.Fields(text)).Invocation()
	default:
		inv.Name = name
	}
	if err != nil {
		return "", err
	}
	n := k.jobs
	k.jobs++
	k.env.Go("program", func(b *rpcenv.Blocking) error {
		results, err := k.driver.RunJob(b, inv, action)
		if err != nil {
			k.ended = append(k.ended, fmt.Sprintf("job %d failed: %v", n, err))
			return nil
		}
		var counts []int64
		for _, r := range results {
			counts = append(counts, r.Count)
		}
		k.ended = append(k.ended, fmt.Sprintf("job %d ended: %d", n, counts))
		return nil
	})
	return "", nil
}

// saves lets the executor that was given a task write its part, its number, and commit it without asking the driver.
func (k *talk) saves(tid string) (string, error) {
	for _, p := range k.Probes() {
		for _, m := range p.Waiting() {
			l, ok := m.(*app.LaunchTask)
			if !ok || fmt.Sprint(l.GetData().GetTaskId()) != tid {
				continue
			}
			d := l.GetData()
			out := rdd.JobOutput{Path: d.GetOutput().GetPath(), Job: d.GetOutput().GetJob()}
			a, err := out.Attempt(k.files, int(d.GetPartitionId()), rdd.HadoopAttempt(d.GetStageAttempt(), d.GetAttemptNumber()))
			if err != nil {
				return "", err
			}
			f, err := a.Create()
			if err != nil {
				return "", err
			}
			_, err = f.Write([]byte(tid))
			return "", errors.Join(err, f.Close(), a.Commit())
		}
	}
	return "", fmt.Errorf("no executor was given task %s", tid)
}

// stamp is when a job began, in the names of the folders of its attempts.
var stamp = regexp.MustCompile(`\d{17}_`)

// printFiles prints what was saved.
func (k *talk) printFiles(string) (string, error) {
	var out []string
	var walk func(folder string)
	walk = func(folder string) {
		names, _ := k.files.ReadDir(folder)
		for _, name := range names {
			at := path.Join(folder, name)
			if f, err := k.files.Open(at); err == nil {
				data := make([]byte, f.Size())
				_, _ = f.ReadAt(data, 0)
				out = append(out, stamp.ReplaceAllString(fmt.Sprintf("%s: %s", at, data), "TIME_"))
			}
			walk(at)
		}
	}
	walk(".")
	if len(out) == 0 {
		return "no files", nil
	}
	return strings.Join(out, "\n"), nil
}

// printJobs prints the jobs that have ended since.
func (k *talk) printJobs(string) (string, error) {
	out := k.ended
	k.ended = nil
	if len(out) == 0 {
		return "no job has ended", nil
	}
	slices.Sort(out)
	return strings.Join(out, "\n"), nil
}
