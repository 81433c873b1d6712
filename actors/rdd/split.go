package rdd

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// unknown is the number of partitions of a node that depends on a file which was not looked at.
const unknown = -1

// split says to one task what its process cannot find out for itself: of how many partitions the files of its stage are, and where those
// parts of them begin and end of which its partition is made.
type split struct {
	// counts are the numbers of partitions of the files, by node.
	counts map[int]int
	parts  map[part][]byte
}

// part is one partition of one node of a lineage.
type part struct{ node, partition int }

// Splits are the encoded splits of a node, one for each of its partitions. They are made once, at the driver, and travel with the tasks.
// A split is nil where the number of the partition says all: without a file in the stage. Errors are those of opening a text file, and
// ErrBadJob for numbers of partitions that do not fit together.
func (l *Lineage) Splits(fs FS, node int) ([][]byte, error) {
	splits, _, err := l.SplitAll(fs, []int{node})
	if err != nil {
		return nil, err
	}
	return splits[0], nil
}

// SplitAll are the splits of several nodes, and the version of the files that they are of: jobs of one name, argument and version
// compute the same. It has the path, the size and what Versioned says of each file. A file is looked at once.
func (l *Lineage) SplitAll(fs FS, nodes []int) (all [][][]byte, version string, err error) {
	x, err := l.Layout(fs, nodes)
	return x.Splits, x.Version, err
}

// Layout is what a look at the files of a lineage gives.
type Layout struct {
	// Splits and Version are those of SplitAll.
	Splits  [][][]byte
	Version string
	// Persisted are the persisted nodes in the stages of the nodes that were asked for, ascending.
	Persisted []Persisted
}

// Layout is SplitAll with the persisted nodes.
func (l *Lineage) Layout(fs FS, nodes []int) (x Layout, err error) {
	files, versions, known := map[int][][]byte{}, map[int]string{}, make([]int, len(l.nodes))
	for _, node := range nodes {
		if node < 0 || node > l.Last() {
			return Layout{}, fmt.Errorf("%w: job %s has no node %d", ErrBadTask, l.Job, node)
		}
		counts := map[int]int{}
		for _, i := range l.Narrow(node) {
			if l.nodes[i].split == nil {
				continue
			}
			if _, known := files[i]; !known {
				if files[i], versions[i], err = l.nodes[i].split(fs); err != nil {
					return Layout{}, err
				}
				x.Version += versions[i]
			}
			counts[i] = len(files[i])
		}
		sizes, err := l.sizes(node, counts)
		if err != nil {
			return Layout{}, err
		}
		for i, n := range sizes {
			known[i] = max(known[i], n)
		}
		splits := make([][]byte, sizes[node])
		for p := range splits {
			if len(counts) > 0 {
				splits[p] = l.encodeSplit(counts, files, sizes, part{node, p})
			}
		}
		x.Splits = append(x.Splits, splits)
	}
	for _, p := range l.Persisted() {
		if p.Partitions = known[p.Node]; p.Partitions > 0 {
			p.Version = l.versionAbove(p.Node, versions)
			x.Persisted = append(x.Persisted, p)
		}
	}
	return x, nil
}

// Partitions is the number of partitions of a node, 0 when it depends on a text file: then Splits has one each.
func (l *Lineage) Partitions(node int) int {
	sizes, err := l.sizes(node, nil)
	if err != nil {
		return 0
	}
	return max(0, sizes[node]) // unknown: 0
}

// sizes are the numbers of partitions of a node and of those above it in its stage, by node. files are those of text files; without them
// they are unknown, and so is what is made of them.
func (l *Lineage) sizes(node int, files map[int]int) ([]int, error) {
	sizes := make([]int, len(l.nodes))
	for _, i := range l.Narrow(node) { // parents first
		n := l.nodes[i]
		switch counts := l.counts(i, sizes); {
		case n.split != nil:
			sizes[i] = unknown
			if parts, seen := files[i]; seen {
				sizes[i] = parts
			}
		case n.partitions > 0:
			sizes[i] = n.partitions
		case slices.Contains(counts, unknown):
			sizes[i] = unknown
		case n.narrow == nil:
			sizes[i] = counts[0]
		default:
			var err error
			if sizes[i], err = n.narrow.count(counts); err == nil && sizes[i] > maxPartitions {
				err = fmt.Errorf("%w: %d partitions; give at most %d", ErrBadJob, sizes[i], maxPartitions)
			}
			if err != nil {
				return nil, fmt.Errorf("job %s: node %d, %s: %w", l.Job, i, n.op, err)
			}
		}
	}
	return sizes, nil
}

// counts are the sizes of a node's parents in its stage.
func (l *Lineage) counts(node int, sizes []int) []int {
	if l.Nodes[node].Shuffle {
		return nil
	}
	counts := make([]int, len(l.Nodes[node].Parents))
	for i, p := range l.Nodes[node].Parents {
		counts[i] = sizes[p]
	}
	return counts
}

// pieces are the partitions, of a node's parents in its stage, of which one of its own is made.
func (l *Lineage) pieces(of part, sizes []int) []part {
	parents := l.Nodes[of.node].Parents
	n := l.nodes[of.node]
	switch {
	case n.write != nil || len(parents) == 0:
		return nil
	case n.narrow == nil:
		return []part{{parents[0], of.partition}}
	}
	var out []part
	for _, p := range n.narrow.pieces(l.counts(of.node, sizes), of.partition) {
		out = append(out, part{parents[p.parent], p.partition})
	}
	return out
}

// walk calls visit for a partition of a node and for all those above it in its stage, each once, children first. Where visit is
// false it does not look above.
func (l *Lineage) walk(from part, sizes []int, visit func(part) bool) {
	seen := map[part]bool{}
	var look func(part)
	look = func(a part) {
		if seen[a] {
			return
		}
		seen[a] = true
		if !visit(a) {
			return
		}
		for _, p := range l.pieces(a, sizes) {
			look(p)
		}
	}
	look(from)
}

// encodeSplit writes what a task of a partition needs to know of files.
func (l *Lineage) encodeSplit(counts map[int]int, files map[int][][]byte, sizes []int, of part) []byte {
	var b []byte
	put := func(x int) { b = binary.AppendUvarint(b, uint64(x)) }
	put(len(counts))
	for _, i := range l.Narrow(of.node) {
		if n, ok := counts[i]; ok {
			put(i)
			put(n)
		}
	}
	l.walk(of, sizes, func(a part) bool {
		if l.nodes[a.node].split != nil {
			data := files[a.node][a.partition]
			put(a.node)
			put(a.partition)
			put(len(data))
			b = append(b, data...)
		}
		return true
	})
	return b
}

// decodeSplit reads what encodeSplit wrote. It comes from a peer: what it names need not be there.
func decodeSplit(b []byte) (s split, ok bool) {
	s = split{counts: map[int]int{}, parts: map[part][]byte{}}
	if len(b) == 0 {
		return s, true
	}
	ok = true
	get := func() int {
		x, n := binary.Uvarint(b)
		if n <= 0 || x > 1<<31 {
			ok = false
			return 0
		}
		b = b[n:]
		return int(x)
	}
	for n := get(); n > 0 && ok; n-- {
		node, count := get(), get()
		if count > maxPartitions {
			return s, false
		}
		s.counts[node] = count
	}
	for ok && len(b) > 0 {
		p := part{get(), get()}
		n := get()
		if n > len(b) {
			return s, false
		}
		s.parts[p], b = b[:n], b[n:]
	}
	return s, ok
}
