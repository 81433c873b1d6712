// Command publish turns the output of benchmarks into the tables of RESULTS.md. publish.sh runs the benchmarks and calls:
//
//	publish gobench UNIT...  <OUTPUT   a table of these units of the output of go test -bench
//	publish trials           <CSV      a table of a report of coherer bench -o csv
//	publish losses PAGE                the rivals that are faster by the tables of PAGE, and the figures of wants.txt that they miss
//	publish insert PAGE NAME <SECTION  puts SECTION between the markers of table NAME in PAGE
//	publish section PAGE NAME          what stands between them
//	publish names PAGE                 the names of the tables that PAGE has markers for
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	var text string
	var err error
	switch {
	case len(args) > 1 && args[0] == "gobench":
		text, err = gobench(in, args[1:])
	case len(args) == 1 && args[0] == "trials":
		text, err = trials(in)
	case len(args) == 2 && args[0] == "losses":
		var p page
		if p, err = readPage(args[1]); err == nil {
			text, err = whereWeLose(p)
		}
	case len(args) == 2 && args[0] == "names":
		var p page
		if p, err = readPage(args[1]); err == nil {
			text = strings.Join(p.names(), "\n") + "\n"
		}
	case len(args) == 3 && args[0] == "section":
		var p page
		if p, err = readPage(args[1]); err == nil {
			text, err = p.section(args[2])
		}
	case len(args) == 3 && args[0] == "insert":
		return insert(args[1], args[2], in)
	default:
		return fmt.Errorf("no such call: %q; see the head of bench/publish/main.go", args)
	}
	if err == nil {
		_, err = io.WriteString(out, text)
	}
	return err
}
