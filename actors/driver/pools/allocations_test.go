package pools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func parsed(t *testing.T, content string) *Allocations {
	t.Helper()
	a, err := Parse("f.xml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What Spark reads in a file, value by value; a warning for each that it does not take.
func TestValuesOfAnAllocationFile(t *testing.T) {
	const whole = "<schedulingMode>FAIR</schedulingMode><weight>3</weight><minShare>2</minShare>"
	for _, k := range []struct {
		name, content string
		want          []Config
		warnings      []string
	}{
		{"all values", `<a><pool name="p">` + whole + `</pool></a>`, []Config{{"p", FAIR, 2, 3}}, nil},
		{"letters and blanks", "<a><pool name=\"p\"><schedulingMode> fair\n</schedulingMode><weight>\t+7 </weight><minShare>-1</minShare></pool></a>", []Config{{"p", FAIR, -1, 7}}, nil},
		{"no values", `<a><pool name="p"/></a>`, []Config{{"p", FIFO, 0, 1}}, []string{
			"Unsupported schedulingMode:  found in Fair Scheduler configuration file: f.xml, using the default schedulingMode: FIFO for pool: p",
			"Error while loading fair scheduler configuration from f.xml: minShare is blank or invalid: , using the default minShare: 0 for pool: p",
			"Error while loading fair scheduler configuration from f.xml: weight is blank or invalid: , using the default weight: 1 for pool: p",
		}},
		{"wrong values", `<a><pool name="p"><schedulingMode>none</schedulingMode><weight>2147483648</weight><minShare>1.5</minShare></pool></a>`, []Config{{"p", FIFO, 0, 1}}, []string{
			"Unsupported schedulingMode: NONE found in Fair Scheduler configuration file: f.xml, using the default schedulingMode: FIFO for pool: p",
			"Error while loading fair scheduler configuration from f.xml: minShare is blank or invalid: 1.5, using the default minShare: 0 for pool: p",
			"Error while loading fair scheduler configuration from f.xml: weight is blank or invalid: 2147483648, using the default weight: 1 for pool: p",
		}},
		{"a value in two places", `<a><pool name="p">` + whole + `<weight>4</weight></pool></a>`, []Config{{"p", FAIR, 2, 34}}, nil},
		{"elements in a value, comments and CDATA", `<a><pool name="p"><schedulingMode>FAIR</schedulingMode><weight>1<!-- x --><b>2</b>3</weight><minShare><![CDATA[2]]></minShare></pool></a>`, []Config{{"p", FAIR, 2, 123}}, nil},
		{"pools in pools", `<a><b><pool name="p">` + whole + `<pool name="q">` + whole + `</pool></pool></b></a>`, []Config{{"p", FAIR, 2, 3}, {"q", FAIR, 2, 3}}, nil},
		{"a pool at the top", `<pool name="p">` + whole + `</pool>`, []Config{{"p", FAIR, 2, 3}}, nil},
		{"prefixes", `<x:a xmlns:x="u"><x:pool name="p" x:name="q">` + whole + `</x:pool></x:a>`, []Config{{"p", FAIR, 2, 3}}, nil},
		{"no name", `<a><pool>` + whole + `</pool></a>`, []Config{{"", FAIR, 2, 3}}, nil},
		{"other elements", `<?xml version="1.0"?><!-- c --><queues><queue name="p"/></queues>`, nil, []string{
			"Fair Scheduler configuration file f.xml has no <pool>: each pool that a job names has the defaults",
		}},
	} {
		a := parsed(t, k.content)
		var warnings []string
		for _, l := range a.Lines {
			if !l.Warn {
				t.Errorf("%s: %q is no warning", k.name, l.Text)
			}
			warnings = append(warnings, l.Text)
		}
		if !slices.Equal(a.Pools, k.want) || !slices.Equal(warnings, k.warnings) {
			t.Errorf("%s: got\n%+v\n%s\nwant\n%+v\n%s", k.name, a.Pools, strings.Join(warnings, "\n"), k.want, strings.Join(k.warnings, "\n"))
		}
	}
}

// The error names the file, the place and what belongs there.
func TestAFileThatIsNoXMLIsAnError(t *testing.T) {
	for _, k := range []struct{ name, content, want string }{
		{"empty", "", "line 1: it has no element"},
		{"not closed", "<a>\n<pool>", "line 2: unexpected EOF"},
		{"crossed", "<a><pool></a></pool>", "line 1: element <pool> closed by </a>"},
		{"two tops", "<a/>\n<b/>", "line 2: <b> comes after the end of <a>"},
		{"text after the top", "<a/>\nx", "line 2: it has text outside of its top element"},
		{"text before the top", "\ufeffx<a/>", "line 1: it has text outside of its top element"},
		{"document type", `<!DOCTYPE a [<!ENTITY e "1">]><a/>`, "line 1: it has a document type declaration"},
		{"document type within", "<a><!DOCTYPE b></a>", "line 1: it has a document type declaration"},
		{"entity", "<a>&e;</a>", "line 1: invalid character entity &e;"},
		{"deep", strings.Repeat("<a>", maxDepth+1), "its elements are nested more than 100 deep"},
		{"large", strings.Repeat(" ", MaxFile) + "<", "it has more than 1 MiB"},
		{"encoding", `<?xml version="1.0" encoding="UTF-16"?><a/>`, `encoding "UTF-16" declared`},
	} {
		a, err := Parse("f.xml", []byte(k.content))
		if a != nil || err == nil || !strings.HasPrefix(err.Error(), "fair scheduler file f.xml: ") || !strings.Contains(err.Error(), k.want) ||
			!strings.HasSuffix(err.Error(), "</pool>...</allocations>") {
			t.Errorf("%s: %v, %v; want %s", k.name, a, err, k.want)
		}
	}
	if a := parsed(t, "\ufeff"+strings.Repeat("<a>", maxDepth-1)+`<pool name="p"/>`+strings.Repeat("</a>", maxDepth-1)); len(a.Pools) != 1 {
		t.Errorf("%+v", a)
	}
	if a := parsed(t, "<a/>"+strings.Repeat(" ", MaxFile-4)); a.Pools != nil {
		t.Errorf("%+v", a)
	}
}

// The lines say which pools there are: those of the file after its warnings, and the default one, which has the mode of the
// application only when there is no file.
func TestTheLinesOfANewTree(t *testing.T) {
	file := parsed(t, `<a><pool name="p"><schedulingMode>FAIR</schedulingMode><weight>2</weight></pool></a>`)
	own := parsed(t, `<a><pool name="default"><schedulingMode>FAIR</schedulingMode><weight>2</weight><minShare>1</minShare></pool></a>`)
	for _, k := range []struct {
		mode Mode
		file *Allocations
		want []string
	}{
		{FIFO, nil, nil},
		{FIFO, file, nil},
		{FAIR, nil, []string{"false Fair scheduler configuration not found, created default pool: default, schedulingMode: FAIR, minShare: 0, weight: 1"}},
		{FAIR, file, []string{
			"true Error while loading fair scheduler configuration from f.xml: minShare is blank or invalid: , using the default minShare: 0 for pool: p",
			"false Created pool: p, schedulingMode: FAIR, minShare: 0, weight: 2",
			"false Created default pool: default, schedulingMode: FIFO, minShare: 0, weight: 1",
		}},
		{FAIR, own, []string{"false Created pool: default, schedulingMode: FAIR, minShare: 1, weight: 2"}},
	} {
		_, lines := New[int](k.mode, k.file)
		var got []string
		for _, l := range lines {
			got = append(got, fmt.Sprint(l.Warn, " ", l.Text))
		}
		if !slices.Equal(got, k.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", k.mode, strings.Join(got, "\n"), strings.Join(k.want, "\n"))
		}
	}
}
