package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// wanted are the figures that the tables are to reach; its first line says the form.
//
//go:embed wants.txt
var wanted string

// want is a line of it.
type want struct {
	table, row, column string
	least              bool // else most
	figure             float64
	of                 string // another row: then figure is a factor
	text               string
}

func parseWants(text string) (all []want, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "|")
		if len(parts) != 4 {
			return nil, fmt.Errorf("want %q: there are %d parts, not 4", line, len(parts))
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		w := want{table: parts[0], row: parts[1], column: parts[2], text: parts[3]}
		sign, rest, _ := strings.Cut(w.text, " ")
		w.least = sign == ">="
		if !w.least && sign != "<=" {
			return nil, fmt.Errorf("want %q: %q is neither <= nor >=", line, sign)
		}
		number, of, _ := strings.Cut(rest, " x ")
		w.of = of
		var ok bool
		if w.figure, ok = figure(number); !ok {
			return nil, fmt.Errorf("want %q: %q is no figure", line, number)
		}
		all = append(all, w)
	}
	return all, nil
}

// figure is the number in a cell as gobench and trials write it, or a duration in nanoseconds; of several runs the median.
func figure(cell string) (float64, bool) {
	cell, _, _ = strings.Cut(cell, " (")
	if d, err := time.ParseDuration(cell); err == nil {
		return float64(d), true
	}
	scale := 1.0
	for suffix, s := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if digits, ok := strings.CutSuffix(cell, suffix); ok {
			cell, scale = digits, s
		}
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v * scale, err == nil
}

// missed makes a table of the wants that the page's tables do not reach. A want whose cell is not in the page is left out: with --quick
// some tables have fewer rows.
func missed(p page, wants []want) (string, error) {
	var rows [][]string
	for _, w := range wants {
		section, err := p.section(w.table)
		if err != nil {
			return "", err
		}
		got, ok := cellOf(section, w.row, w.column)
		have, isFigure := figure(got)
		if !ok || !isFigure {
			continue
		}
		limit, text := w.figure, w.text
		if w.of != "" {
			other, ok := cellOf(section, w.of, w.column)
			base, isFigure := figure(other)
			if !ok || !isFigure {
				continue
			}
			limit *= base
			text += ", which has " + other
		}
		if w.least && have < limit || !w.least && have > limit {
			rows = append(rows, []string{w.row, w.column, got, text})
		}
	}
	return markdown([]string{"row", "column", "measured", "wanted"}, rows), nil
}

// cellOf is a cell of the first table in a section.
func cellOf(section, row, column string) (string, bool) {
	at := -1
	for line := range strings.Lines(section) {
		cells, ok := cellsOf(line)
		switch {
		case !ok:
		case at < 0:
			if at = slices.Index(cells, column); at < 0 {
				return "", false
			}
		case cells[0] == row && at < len(cells):
			return cells[at], true
		}
	}
	return "", false
}
