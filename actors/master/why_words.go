package master

import (
	"fmt"
	"strings"
)

// words are what an executor of p wants.
func (p resourceProfile) words() string {
	parts := []string{"an executor wants " + amounts(p.Step(), p.Memory)}
	for _, q := range p.Resources {
		parts = append(parts, fmt.Sprintf("%d %s", q.Amount, q.Name))
	}
	return strings.Join(parts, ", ")
}

func amounts(cores, memory int) string {
	return fmt.Sprintf("%s and %d MiB of memory", Cores(cores), memory)
}

// Cores is a number of cores in words.
func Cores(n int) string {
	if n == 1 {
		return "1 core"
	}
	return fmt.Sprintf("%d cores", n)
}

// counted is an amount of what a Worker has; of the plurals only that of cores differs.
func counted(n int, what string) string {
	if what == "cores" {
		return Cores(n)
	}
	return fmt.Sprintf("%d %s", n, what)
}
