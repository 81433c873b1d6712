package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/bench/internal/figures"
	"github.com/coherer/coherer/bench/measure"
)

// us is the contender that all others are compared with.
const us = "coherer"

// ratio begins the heads of the columns that say how fast Coherer is in relation to a rival.
const ratio = "of "

// combination is what the trials of a cell have in common.
type combination struct{ name, size, inFlight, pairs string }

func (c combination) String() string {
	text := c.name
	if c.size != "0" { // operations have no size
		text += ", " + bytesOf(c.size)
	}
	if c.inFlight != "0" { // a flood has no bound
		text += ", " + c.inFlight + " in flight"
	}
	switch {
	case measure.Case(c.name).Peers():
		text += ", " + c.pairs + " peers"
	case c.pairs != "1":
		text += ", " + c.pairs + " pairs"
	}
	return text
}

// bytesOf is a number of bytes for people.
func bytesOf(n string) string {
	if v, err := strconv.Atoi(n); err == nil && v > 0 && v%1024 == 0 {
		return strconv.Itoa(v/1024) + " KiB"
	}
	return n + " B"
}

// columns of the CSV that are shown of Coherer, as medians over its trials.
var shown = []struct {
	column, head string
	show         func(float64) string
}{
	{"per_second", "a second", figures.Short},
	{"p50_ns", "p50", duration},
	{"p99_ns", "p99", duration},
	{"allocs_per_message", "allocations", figures.Short},
	{"cpu_ns_per_message", "CPU", duration},
}

// trials makes a table of the trials of a report: a row for each cell with the medians of Coherer, and its rate as a part of that of
// each rival. A cell without Coherer is an error; a rival that has no trials of a cell, an empty place.
func trials(in io.Reader) (string, error) {
	all, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return "", err
	}
	if len(all) < 2 {
		return "", errors.New("no trial in the input")
	}
	at := map[string]int{}
	for i, name := range all[0] {
		at[name] = i
	}
	for _, want := range []string{"case", "size_bytes", "in_flight", "pairs", "contender"} {
		if _, ok := at[want]; !ok {
			return "", fmt.Errorf("the input has no column %s", want)
		}
	}
	var cells []combination
	var rivals []string
	values := map[combination]map[string]map[string][]float64{} // by contender and column
	for _, line := range all[1:] {
		c := combination{line[at["case"]], line[at["size_bytes"]], line[at["in_flight"]], line[at["pairs"]]}
		who := line[at["contender"]]
		if values[c] == nil {
			cells = append(cells, c)
			values[c] = map[string]map[string][]float64{}
		}
		if who != us && !slices.Contains(rivals, who) {
			rivals = append(rivals, who)
		}
		if values[c][who] == nil {
			values[c][who] = map[string][]float64{}
		}
		for _, s := range shown {
			i, ok := at[s.column]
			if !ok {
				return "", fmt.Errorf("the input has no column %s", s.column)
			}
			if line[i] == "" { // not counted
				continue
			}
			v, err := strconv.ParseFloat(line[i], 64)
			if err != nil {
				return "", err
			}
			values[c][who][s.column] = append(values[c][who][s.column], v)
		}
	}
	head := []string{"cell"}
	for _, s := range shown {
		head = append(head, s.head)
	}
	for _, r := range rivals {
		head = append(head, ratio+r)
	}
	var rows [][]string
	for _, c := range cells {
		mine := values[c][us]
		if mine == nil {
			return "", fmt.Errorf("%s has no trial of %s, but of %s", c, us, strings.Join(slices.Sorted(maps.Keys(values[c])), ", "))
		}
		row := []string{c.String()}
		for _, s := range shown {
			text := ""
			if v := mine[s.column]; len(v) > 0 {
				text = s.show(figures.Median(v))
			}
			row = append(row, text)
		}
		for _, r := range rivals {
			text := ""
			if v := values[c][r]["per_second"]; len(v) > 0 {
				text = fmt.Sprintf("%.2f", figures.Median(mine["per_second"])/figures.Median(v))
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return markdown(head, rows), nil
}
