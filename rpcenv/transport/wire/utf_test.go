package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestNamesInModifiedUTF8(t *testing.T) {
	for _, c := range []struct{ name, modified, text string }{
		{"ascii", "4d6173746572", "Master"},
		{"basic plane", "c3a4e282ac", "ä€"},
		{"end of the basic plane", "efbfbf", "\uFFFF"},
		{"end of the basic plane and NUL", "efbfbfc080", "\uFFFF\x00"},
		{"NUL", "61c08062", "a\x00b"},
		{"NUL alone", "c080", "\x00"},
		{"supplementary", "eda0bdedb88061", "😀a"},
		{"supplementary at the end", "61eda0bdedb880", "a😀"},
		{"first supplementary", "eda080edb080", "\U00010000"},
		{"last supplementary", "edafbfedbfbf", "\U0010FFFF"},
		{"replacement character", "efbfbdc080", "\uFFFD\x00"},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := wiretest.Hex(c.modified)
			if got, ok := decodeUTF(raw); got != c.text || !ok {
				t.Errorf("decoded %q, %v, want %q", got, ok, c.text)
			}
			want := append([]byte{0, byte(len(raw))}, raw...)
			if got := AppendUTF(nil, c.text); !bytes.Equal(got, want) {
				t.Errorf("encoded % x, want % x", got, want)
			}
			if got := UTFLen(c.text); got != len(raw) {
				t.Errorf("length %d, want %d", got, len(raw))
			}
			if got, ok := decodeUTF([]byte(c.text)); got != c.text || !ok {
				t.Errorf("decoded from UTF-8: %q, %v", got, ok)
			}
		})
	}
}

func TestWhatIsNoModifiedUTF8IsRefused(t *testing.T) {
	for _, bad := range []string{
		"ff", "c0", "c081", "e282", // no UTF-8 at all
		"eda0bd", "eda0bd61", "edb880eda0bd", "eda0bdeda0bd", "eda0bdedb8", // surrogates alone, and in the wrong order
		"fda0bdedb880", "ede0bdedb880", "eda0fdedb880", // the first surrogate damaged, byte by byte
		"eda0bdfdb880", "eda0bdeef880", "eda0bdedf880", "eda0bdedb8c0", // the second one
	} {
		if got, ok := decodeUTF(wiretest.Hex(bad)); ok || got != "" {
			t.Errorf("%s was decoded as %q, %v", bad, got, ok)
		}
	}
}

func TestAnInvalidByteIsWrittenAsTheReplacementCharacter(t *testing.T) {
	want := wiretest.Hex("0005", "61", "efbfbd", "62")
	if got := AppendUTF(nil, "a\xffb"); !bytes.Equal(got, want) {
		t.Errorf("encoded % x, want % x", got, want)
	}
}

func TestTheLengthOfANameHasTwoBytes(t *testing.T) {
	name := strings.Repeat("x", 0x1234)
	if got := AppendUTF(nil, name); !bytes.Equal(got, append([]byte{0x12, 0x34}, name...)) {
		t.Errorf("it begins with % x and has %d bytes", got[:2], len(got))
	}
}
