package machine

import (
	"bytes"
	"fmt"
	"strconv"
)

// Memory is the memory of a tree of processes, in bytes.
type Memory struct{ Resident, Virtual int64 }

// stat is a process as /proc/PID/stat has it.
type stat struct {
	pid, parent, group int
	virtual, resident  int64 // bytes, pages
}

// parseStat reads /proc/PID/stat. The name of the program, which may hold anything, stands in parentheses.
func parseStat(text []byte) (stat, error) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return stat{}, fmt.Errorf("%.80q is no line of /proc/PID/stat", text)
	}
	fields := bytes.Fields(text[end+1:])
	// Counted from the field behind the name, which is proc(5)'s third.
	const (
		parent   = 1
		group    = 2
		virtual  = 20
		resident = 21
	)
	if len(fields) <= resident {
		return stat{}, fmt.Errorf("%.80q is too short for a line of /proc/PID/stat", text)
	}
	var s stat
	for _, f := range []struct {
		text []byte
		to   func(int64)
	}{
		{bytes.TrimSpace(text[:open]), func(n int64) { s.pid = int(n) }},
		{fields[parent], func(n int64) { s.parent = int(n) }},
		{fields[group], func(n int64) { s.group = int(n) }},
		{fields[virtual], func(n int64) { s.virtual = n }},
		{fields[resident], func(n int64) { s.resident = n }},
	} {
		n, err := strconv.ParseInt(string(f.text), 10, 64)
		if err != nil {
			return stat{}, fmt.Errorf("%.80q: %w", text, err)
		}
		f.to(n)
	}
	return s, nil
}

// sum is the memory of a process and of all that it started: its descendants, and the members of its group. It mirrors
// ProcfsBasedProcessTree, which knows descendants only.
func sum(all []stat, pid int, page int64) (m Memory) {
	// A child may stand before its parent in the list, so it is read again until nobody new is found.
	in := map[int]bool{pid: true}
	for grew := true; grew; {
		grew = false
		for _, s := range all {
			if !in[s.pid] && (in[s.parent] || s.group == pid) {
				in[s.pid], grew = true, true
			}
		}
	}
	for _, s := range all {
		if in[s.pid] {
			m.Virtual += s.virtual
			m.Resident += s.resident * page
		}
	}
	return m
}
