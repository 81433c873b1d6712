package show

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/trace"
)

// How many letters of a label and of a process's name are drawn; the hover text has all.
const (
	maxLabel = 44
	maxPeer  = 28
)

// stepText is a label as drawn, with its count.
func stepText(s step) string {
	text := cutString(oneline.Text(s.label), maxLabel)
	if text == "" {
		text = "?"
	}
	if s.times > 1 {
		text += fmt.Sprintf(" ×%d", s.times)
	}
	return text
}

// textWidth estimates how wide s is drawn, rather too wide than too narrow: fonts differ, and labels must not touch.
func textWidth(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("iIjl.,:;'|!", r):
			w += 0.32
		case strings.ContainsRune("()[]{} frt-/", r):
			w += 0.42
		case strings.ContainsRune("mwMW@%", r):
			w += 0.96
		case r > 0x2e80:
			w++
		case unicode.IsUpper(r):
			w += 0.72
		default:
			w += 0.61
		}
	}
	return w * size
}

// wrapName breaks the name of an endpoint at its humps into lines of about 13 letters.
func wrapName(name string) []string {
	var lines []string
	line := ""
	for _, word := range humps(cutString(name, 60)) {
		if line != "" && len(line)+len(word) > 13 {
			lines = append(lines, line)
			line = ""
		}
		line += word
	}
	return append(lines, line)
}

// humps are the words of CamelCase and of hyphened names.
func humps(name string) []string {
	var words []string
	begin := 0
	for i, r := range name {
		if i > begin && (unicode.IsUpper(r) && !endsUpper(name[:i]) || strings.HasSuffix(name[:i], "-")) {
			words = append(words, name[begin:i])
			begin = i
		}
	}
	return append(words, name[begin:])
}

func endsUpper(s string) bool { return s[len(s)-1] >= 'A' && s[len(s)-1] <= 'Z' }

// escape makes any text safe inside of an element and of an attribute.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}

// px is a coordinate.
func px(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// timeUnit is the unit of the times on the left side.
type timeUnit struct {
	name   string
	ns     float64
	digits int
}

func (u timeUnit) of(ns int64) string {
	return strconv.FormatFloat(float64(ns)/u.ns, 'f', u.digits, 64)
}

// unitOf takes seconds where milliseconds would have too many digits for the left side.
func unitOf(rows []row) timeUnit {
	const many = 100e9
	if len(rows) > 0 && float64(rows[len(rows)-1].Sent) >= many {
		return timeUnit{"s", 1e9, 2}
	}
	return timeUnit{"ms", 1e6, 1}
}

// ms is a time in milliseconds as the hover texts show it.
func ms(ns int64) string { return strconv.FormatFloat(float64(ns)/1e6, 'f', 1, 64) }

// hover is the text of a step under the pointer: the whole message, its times and why it was sent.
func hover(s step, byID map[string]*trace.Entry) string {
	e := s.Entry
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch e.K {
	case trace.KindItem:
		add("%s at %s", e.Name, e.At)
		add("%s ms, took %s ms", ms(e.Start), ms(e.End-e.Start))
	case trace.KindState:
		add("%s %s: %s → %s", e.Name, e.Subject, e.Was, e.Is)
		add("%s ms at %s", ms(e.Sent), e.At)
	case trace.KindConn:
		add("%s %s, %s ms", e.Name, e.Address, ms(e.Sent))
	default:
		add("%s (%s)", typeName(e), formWords[e.Form])
		add("%s → %s", e.From, e.To)
		if e.Bytes > 0 || !e.Cut {
			add("sent %s ms, %d bytes", ms(e.Sent), e.Bytes)
		} else {
			add("sent %s ms, size not recorded", ms(e.Sent))
		}
		switch {
		case e.Handled:
			add("arrived %s ms, handled %s to %s ms", ms(e.Recv), ms(e.Start), ms(e.End))
		case e.K == trace.KindMsg:
			add("nobody recorded its arrival")
		}
	}
	if text := ObjectText(e.Message, e.Body, e.Cut, TextOptions{MaxList: 8, MaxString: 80}); text != "" {
		add("%s: %s", trace.ShortName(e.Message), cutString(text, 600))
	}
	if e.Outcome != "" {
		add("outcome: %s", cutString(e.Outcome, 300))
	}
	if e.Why != "" {
		add("why: %s", cutString(e.Why, 300))
	}
	if chain := causes(e, byID); chain != "" {
		add("caused by %s", chain)
	}
	if s.times > 1 {
		add("the first of %d alike", s.times)
	}
	if e.ID != "" {
		add("id %s", e.ID)
	}
	return strings.Join(lines, "\n")
}

var formWords = map[string]string{trace.FormSend: "one-way", trace.FormAsk: "ask", trace.FormReply: "reply", trace.FormFail: "failure"}

// causes is the way back from an entry to what began it, at most eight steps.
func causes(e *trace.Entry, byID map[string]*trace.Entry) string {
	var chain []string
	for range 8 {
		if e = byID[e.Cause]; e == nil {
			break
		}
		switch {
		case e.K == trace.KindItem:
			chain = append(chain, trace.Peer(e.At)+" "+e.Name)
		case e.IsAnswer():
			chain = append(chain, typeName(e)+" "+e.Form)
		default:
			chain = append(chain, label(e))
		}
	}
	return strings.Join(chain, " ← ")
}
