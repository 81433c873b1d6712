package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/bench/internal/figures"
)

// result is a line of a benchmark: its name with its number of processors behind it, iterations, and values with units.
var result = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S+ \S.*)$`)

// measured is what the lines of one benchmark say.
type measured struct {
	name   string
	values map[string][]float64 // by unit
}

// gobench makes a table of the output of go test -bench: a row for each benchmark, a column for each of the units, in the cells the
// median over the lines of that benchmark and, of several, the least and the most. A unit that no line has is an error.
func gobench(in io.Reader, units []string) (string, error) {
	all, err := readBenchmarks(in)
	if err != nil {
		return "", err
	}
	head := []string{"benchmark"}
	for _, u := range units {
		if !slices.ContainsFunc(all, func(m *measured) bool { return m.values[u] != nil }) {
			return "", fmt.Errorf("no benchmark printed the unit %s", u)
		}
		head = append(head, strings.Replace(u, "ns/op", "time", 1))
	}
	var rows [][]string
	for _, m := range all {
		row := []string{m.name}
		for _, u := range units {
			row = append(row, cell(u, m.values[u]))
		}
		rows = append(rows, row)
	}
	return markdown(head, rows), nil
}

func readBenchmarks(in io.Reader) (all []*measured, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		match := result.FindStringSubmatch(strings.ReplaceAll(lines.Text(), "\t", " "))
		if match == nil {
			continue
		}
		i := slices.IndexFunc(all, func(m *measured) bool { return m.name == match[1] })
		if i < 0 {
			i, all = len(all), append(all, &measured{match[1], map[string][]float64{}})
		}
		fields := strings.Fields(match[2])
		for k := 0; k+1 < len(fields); k += 2 {
			v, err := strconv.ParseFloat(fields[k], 64)
			if err != nil {
				return nil, fmt.Errorf("benchmark %s: %w", match[1], err)
			}
			all[i].values[fields[k+1]] = append(all[i].values[fields[k+1]], v)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("no benchmark in the input")
	}
	return all, nil
}

func cell(unit string, values []float64) string {
	if len(values) == 0 {
		return ""
	}
	show := figures.Short
	if unit == "ns/op" {
		show = duration
	}
	text := show(figures.Median(values))
	if least, most := show(slices.Min(values)), show(slices.Max(values)); least != most {
		text += fmt.Sprintf(" (%s to %s)", least, most)
	}
	return text
}
