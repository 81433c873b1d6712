package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Java's writeUTF writes "modified UTF-8": NUL as C0 80, and a character beyond the basic plane as two surrogates of
// three bytes each. For everything else it is UTF-8.

// UTFLen is the length of s in modified UTF-8. An invalid byte counts as U+FFFD.
func UTFLen(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case r == 0:
			n += 2
		case r > 0xFFFF:
			n += 6
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// AppendUTF appends the length of s, at most 65,535, and s in modified UTF-8.
func AppendUTF(dst []byte, s string) []byte {
	n := UTFLen(s)
	dst = append(dst, byte(n>>8), byte(n))
	if n == len(s) { // then s is written as it is: everything else takes more bytes
		return append(dst, s...)
	}
	for _, r := range s {
		switch {
		case r == 0:
			dst = append(dst, 0xC0, 0x80)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			dst = appendSurrogate(appendSurrogate(dst, high), low)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// appendSurrogate writes r in three bytes, which utf8.AppendRune refuses to do for a surrogate.
func appendSurrogate(dst []byte, r rune) []byte {
	return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

// decodeUTF reads modified UTF-8, and UTF-8 as everybody else writes it. It reports false for anything else, a lone
// surrogate among it.
func decodeUTF(b []byte) (string, bool) {
	if utf8.Valid(b) { // nearly all names: the two encodings differ in rare characters only
		return string(b), true
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		switch r, n := utf8.DecodeRune(b); {
		case r != utf8.RuneError || n > 1:
			out = append(out, b[:n]...)
			b = b[n:]
		case bytes.HasPrefix(b, []byte{0xC0, 0x80}):
			out = append(out, 0)
			b = b[2:]
		default:
			// DecodeRune gives U+FFFD for anything but a high surrogate and a low one behind it, zeros included.
			pair := utf16.DecodeRune(surrogate(b), surrogate(b[min(3, len(b)):]))
			if pair == utf8.RuneError {
				return "", false
			}
			out = utf8.AppendRune(out, pair)
			b = b[6:]
		}
	}
	return string(out), true
}

// surrogate reads the surrogate of three bytes at the head of b; 0 for anything else.
func surrogate(b []byte) rune {
	if len(b) < 3 || b[0] != 0xED || b[1]&0xE0 != 0xA0 || b[2]&0xC0 != 0x80 {
		return 0
	}
	return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
}
