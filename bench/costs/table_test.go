package costs

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what was measured into testdata/costs.md")

const golden = "testdata/costs.md"

// table is a section of the golden file: a heading, a paragraph, and rows whose first cell is their name.
type table struct {
	title, about string
	head         []string
	rows         [][]string
	// within is how much a cell that is a number may differ: less than what one object or byte would change. Other cells are
	// equal, to the letter.
	within float64
}

func (x *table) add(cells ...string) { x.rows = append(x.rows, cells) }

// check compares with the golden file, or writes into it.
func (x *table) check(t *testing.T) {
	t.Helper()
	file, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	parts := split(string(file))
	at := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, "### "+x.title+"\n") })
	if *rewrite {
		if at < 0 {
			at, parts = len(parts), append(parts, "")
		}
		parts[at] = x.text()
		if err := os.WriteFile(golden, []byte(strings.Join(parts, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if at < 0 {
		t.Fatalf("%s has no section %q: write it with go test ./bench/costs -rewrite", golden, x.title)
	}
	if all := x.differences(rowsOf(parts[at])); len(all) > 0 {
		t.Errorf("%s:\n%s\nIf that is meant: go test ./bench/costs -rewrite, then bench/publish.sh costs, and say in the commit why",
			x.title, strings.Join(all, "\n"))
	}
}

// differences are those from the rows of the golden file.
func (x *table) differences(want [][]string) []string {
	if len(want) == 0 || !slices.Equal(want[0], x.head) {
		return []string{fmt.Sprintf("the columns are %q, %s has others", x.head, golden)}
	}
	var all []string
	want = want[1:]
	for _, row := range x.rows {
		i := slices.IndexFunc(want, func(w []string) bool { return w[0] == row[0] })
		if i < 0 {
			all = append(all, fmt.Sprintf("%s is %q, and not in %s", row[0], row[1:], golden))
			continue
		}
		for k := range row {
			if k >= len(want[i]) || !x.same(row[k], want[i][k]) {
				all = append(all, fmt.Sprintf("%s, %s: %s, in %s it is %s", row[0], x.head[k], row[k], golden, strings.Join(want[i][min(k, len(want[i])):min(k+1, len(want[i]))], "")))
			}
		}
		want = slices.Delete(want, i, i+1)
	}
	for _, w := range want {
		all = append(all, fmt.Sprintf("%s was not measured, and is in %s", w[0], golden))
	}
	return all
}

func (x *table) same(got, want string) bool {
	g, err := strconv.ParseFloat(got, 64)
	if err != nil || x.within == 0 {
		return got == want
	}
	w, err := strconv.ParseFloat(want, 64)
	return err == nil && math.Abs(g-w) <= x.within
}

func (x *table) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n\n| %s |\n|---%s|\n", x.title, x.about, strings.Join(x.head, " | "), strings.Repeat("|---:", len(x.head)-1))
	for _, row := range x.rows {
		cells := slices.Clone(row)
		for i, c := range cells {
			if f, err := strconv.ParseFloat(c, 64); err == nil && x.within > 0 {
				cells[i] = strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64)
			}
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	b.WriteByte('\n')
	return b.String()
}

// split cuts the file before each heading; the parts joined are the file.
func split(file string) []string {
	var parts []string
	for line := range strings.Lines(file) {
		if len(parts) == 0 || strings.HasPrefix(line, "### ") {
			parts = append(parts, "")
		}
		parts[len(parts)-1] += line
	}
	return parts
}

// rowsOf are the cells of a section's table, its head first.
func rowsOf(section string) [][]string {
	var rows [][]string
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// sizeNames are the heads of the columns of sizes.
func sizeNames(first string) []string {
	head := []string{first}
	for _, n := range sizes {
		if n < 1<<10 {
			head = append(head, fmt.Sprintf("%d B", n))
		} else {
			head = append(head, fmt.Sprintf("%d KiB", n>>10))
		}
	}
	return head
}

func TestATableFindsEachDifference(t *testing.T) {
	x := &table{head: []string{"what", "a", "b"}, within: 0.1}
	x.add("one", "1.04", "text")
	x.add("two", "3", "text")
	want := [][]string{{"what", "a", "b"}, {"one", "1", "text"}, {"two", "3", "text"}}
	if d := x.differences(want); d != nil {
		t.Errorf("equal tables differ: %q", d)
	}
	for name, change := range map[string]func(){
		"an allocation more": func() { want[1][1] = "2" },
		"a fifth of one":     func() { want[1][1] = "1.2" },
		"another text":       func() { want[2][2] = "word" },
		"a row more":         func() { want = append(want, []string{"three", "1", "2"}) },
		"a row less":         func() { want = want[:2] },
		"a cell less":        func() { want[1] = want[1][:2] },
		"another column":     func() { want[0][1] = "c" },
	} {
		want = [][]string{{"what", "a", "b"}, {"one", "1", "text"}, {"two", "3", "text"}}
		change()
		if d := x.differences(want); len(d) != 1 {
			t.Errorf("%s: %q", name, d)
		}
	}
}
