package main

import (
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/show"
)

// markdown is a table. The first column is text, the others are numbers.
func markdown(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	b.WriteString("|---" + strings.Repeat("|---:", len(head)-1) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// duration has three digits.
func duration(ns float64) string { return show.ShortDuration(time.Duration(ns)) }
