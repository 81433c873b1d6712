package protocol

import (
	"go/ast"
	"go/doc/comment"
	"regexp"
	"slices"
	"strings"
)

// deviationsOf are the sections "Differences from Spark" and "Differences from Hadoop" of the packages' comments: a table with
// the columns Spark, here and test, or a list whose items end with the tests that hold them, in parentheses.
func deviationsOf(packages map[string]*goPackage) []Deviation {
	var out []Deviation
	for _, name := range sortedKeys(packages) {
		for _, f := range packages[name].files {
			if f.ast.Doc != nil {
				out = append(out, differences(f.pkg, f.ast.Doc)...)
			}
		}
	}
	return out
}

func differences(pkg string, doc *ast.CommentGroup) []Deviation {
	var parser comment.Parser
	var printer comment.Printer
	var out []Deviation
	inside := false
	for _, block := range parser.Parse(doc.Text()).Content {
		switch block := block.(type) {
		case *comment.Heading:
			title := string(printer.Text(&comment.Doc{Content: []comment.Block{block}}))
			inside = title == "# Differences from Spark\n" || title == "# Differences from Hadoop\n"
		case *comment.List:
			for _, item := range block.Items {
				if inside {
					out = append(out, itemOf(pkg, oneLine(string(printer.Text(&comment.Doc{Content: item.Content})))))
				}
			}
		case *comment.Code:
			if inside {
				out = append(out, tableOf(pkg, block.Text)...)
			}
		}
	}
	return out
}

// held is the end of an item that names tests.
var held = regexp.MustCompile(`\s*\((Test[\w/]+(?:, Test[\w/]+)*)\)$`)

func itemOf(pkg, text string) Deviation {
	d := Deviation{Package: pkg, Here: text}
	if m := held.FindStringSubmatch(text); m != nil {
		d.Here, d.Tests = strings.TrimSuffix(text, m[0]), strings.Split(m[1], ", ")
	}
	return d
}

// tableOf reads a table whose columns begin where those of its first line do. A line without a test goes on with the row
// before it.
func tableOf(pkg, text string) []Deviation {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	here, test := strings.Index(lines[0], "here"), strings.Index(lines[0], "test")
	if here < 0 || test < 0 {
		return nil
	}
	column := func(line string, from, to int) string {
		return strings.TrimSpace(line[min(from, len(line)):min(to, len(line))])
	}
	var out []Deviation
	for _, line := range lines[1:] {
		line = strings.TrimRight(line, " ")
		d := Deviation{Package: pkg, Spark: column(line, 0, here), Here: column(line, here, test)}
		if tests := column(line, test, len(line)); tests != "" {
			d.Tests = strings.Split(tests, ", ")
			out = append(out, d)
			continue
		}
		if len(out) > 0 {
			last := &out[len(out)-1]
			last.Spark, last.Here = strings.TrimSpace(last.Spark+" "+d.Spark), strings.TrimSpace(last.Here+" "+d.Here)
		}
	}
	return slices.Clip(out)
}
