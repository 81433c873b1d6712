package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// loss is a case in which a rival does more a second, with the cells in which it does.
type loss struct {
	name, rival string
	cells       []lostCell
	all         int // the cells that both were measured in
}

type lostCell struct {
	ratio float64
	text  string
}

// whereWeLose is the page's section about losses and missed wants.
func whereWeLose(p page) (string, error) {
	wants, err := parseWants(wanted)
	if err != nil {
		return "", err
	}
	misses, err := missed(p, wants)
	return losses(p) + "\nWanted, and not reached:\n\n" + misses, err
}

// losses makes a table of the cases and rivals with a ratio below 1 in the page's tables of trials, the worst first.
func losses(p page) string {
	var all []*loss
	var heads []string
	for line := range strings.Lines(string(p)) {
		cells, ok := cellsOf(line)
		switch {
		case !ok || heads == nil && !slices.ContainsFunc(cells, isRatio):
			heads = nil // a line of prose ends a table
			continue
		case heads == nil:
			heads = cells
			continue
		}
		name, where, _ := strings.Cut(cells[0], ", ")
		for i := range min(len(cells), len(heads)) {
			ratioHere, err := strconv.ParseFloat(cells[i], 64)
			if !isRatio(heads[i]) || err != nil {
				continue
			}
			rival := strings.TrimPrefix(heads[i], ratio)
			k := slices.IndexFunc(all, func(l *loss) bool { return l.name == name && l.rival == rival })
			if k < 0 {
				k, all = len(all), append(all, &loss{name: name, rival: rival})
			}
			all[k].all++
			if ratioHere < 1 {
				all[k].cells = append(all[k].cells, lostCell{ratioHere, fmt.Sprintf("%s (%s)", cells[i], where)})
			}
		}
	}
	var rows [][]string
	for _, l := range all {
		slices.SortStableFunc(l.cells, func(a, b lostCell) int { return cmp.Compare(a.ratio, b.ratio) })
	}
	all = slices.DeleteFunc(all, func(l *loss) bool { return len(l.cells) == 0 })
	slices.SortStableFunc(all, func(a, b *loss) int { return cmp.Compare(a.cells[0].ratio, b.cells[0].ratio) })
	for _, l := range all {
		rows = append(rows, []string{l.name, l.rival, fmt.Sprintf("%d of %d", len(l.cells), l.all), l.cells[0].text, l.cells[len(l.cells)-1].text})
	}
	return markdown([]string{"case", "rival", "cells lost", "worst ratio", "nearest"}, rows)
}

func isRatio(head string) bool { return strings.HasPrefix(head, ratio) }

// cellsOf are the cells of a line of a table.
func cellsOf(line string) ([]string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil, false
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, true
}
