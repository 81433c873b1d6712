package web

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv/oneline"
)

//go:embed pages
var common embed.FS

// Templates are the pages of a system, pages/*.html of own, with the words that they use besides those of all, and with the parts
// of all pages. They are parsed when the first of them is wanted: nearly every process of the binary shows none.
func Templates(own fs.FS, words template.FuncMap) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		t := template.New("").Funcs(template.FuncMap{
			"line": oneline.Text, "mib": func(n int32) string { return Mebibytes(int64(n)) }, "date": date, "took": took,
		}).Funcs(words)
		return template.Must(template.Must(t.ParseFS(common, "pages/*.html")).ParseFS(own, "pages/*.html"))
	})
}

// Mebibytes is a size in MiB as Spark writes it; more than an int32 holds is cut to that. It mirrors Utils.megabytesToString.
func Mebibytes(n int64) string {
	const gib, tib = 1 << 10, 1 << 20
	n = min(n, 1<<31-1)
	switch {
	case n >= 2*tib:
		return fmt.Sprintf("%.1f TiB", float64(n)/tib)
	case n >= 2*gib:
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	}
	return fmt.Sprintf("%.1f MiB", float64(n))
}

// date is a time in milliseconds since 1970 as Spark's pages write it.
func date(ms int64) string { return time.UnixMilli(ms).Format("2006/01/02 15:04:05") }

// took is a duration in milliseconds as Spark's pages write it. It mirrors UIUtils.formatDuration.
func took(ms int64) string {
	s := float64(ms) / 1000
	switch {
	case ms < 100:
		return fmt.Sprintf("%d ms", ms)
	case s < 1:
		return fmt.Sprintf("%.1f s", s)
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	case s < 600:
		return fmt.Sprintf("%.1f min", s/60)
	case s < 3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}
