package web

import (
	"net/url"
	"strconv"
	"strings"
)

// Log is a log that a request names, and which piece of it the request wants.
type Log struct {
	// Dir is its directory below a work directory, in plain names.
	Dir  []string
	Name string
	// Query names the log, without the piece.
	Query url.Values
	// offset is where the piece begins; nil: the end of the log.
	offset *int64
	length int64
}

// Want reads which piece of a log is wanted: offset and byteLength.
func (l *Log) Want(q url.Values) (err error) {
	l.length = defaultPiece
	if text := q.Get("byteLength"); text != "" {
		if l.length, err = strconv.ParseInt(text, 10, 64); err != nil || l.length < 0 {
			return BadRequest("byteLength %q: want a number of bytes", text)
		}
		l.length = min(l.length, mostPiece)
	}
	if text := q.Get("offset"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return BadRequest("offset %q: want a number of bytes", text)
		}
		l.offset = &n
	}
	return nil
}

// LogPage is the data of the page of a log.
type LogPage struct {
	Title             string
	Text              string
	Start, End, Total int64
	// Older, Newer and Last are the addresses of other pieces; empty: this piece has the log's begin, or its end.
	Older, Newer, Last string
	MasterURL          string
	Home               string // the subject of the main page
}

// Page is the page of a piece of the log. home is the subject of the main page.
func (l *Log) Page(got Piece, home string) *LogPage {
	d := &LogPage{
		Title: l.Name + " log page for " + strings.Join(l.Dir, "/"), Text: string(got.Text),
		Start: got.Start, End: got.End, Total: got.Total, Home: home,
	}
	at := func(start, length int64) string {
		l.Query.Set("offset", strconv.FormatInt(start, 10))
		l.Query.Set("byteLength", strconv.FormatInt(length, 10))
		return "?" + l.Query.Encode()
	}
	if got.Start > 0 { // the piece before may be shorter, but must not repeat a line of this one
		from := max(got.Start-l.length, 0)
		d.Older = at(from, got.Start-from)
	}
	if got.End < got.Total {
		d.Newer = at(got.End, l.length)
		d.Last = at(max(got.Total-l.length, 0), l.length)
	}
	return d
}
