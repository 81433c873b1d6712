package pretty

import "bytes"

// Reformat writes compact JSON, as of encoding/json, over several lines as Marshal does.
func Reformat(compact []byte) []byte {
	var b bytes.Buffer
	depth, quoted := 0, false
	// The brackets that are open: arrays leave their elements on one line.
	var open []byte
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		if quoted {
			b.WriteByte(c)
			switch c {
			case '\\':
				i++
				b.WriteByte(compact[i]) // after a backslash there is a character in each valid text
			case '"':
				quoted = false
			}
			continue
		}
		switch c {
		case '"':
			quoted = true
			b.WriteByte(c)
		case '{', '[':
			b.WriteByte(c)
			if i+1 < len(compact) && (compact[i+1] == '}' || compact[i+1] == ']') { // nothing is in it
				i++
				b.WriteByte(' ')
				b.WriteByte(compact[i])
				continue
			}
			open = append(open, c)
			if c == '[' {
				b.WriteByte(' ')
				continue
			}
			depth++
			newLine(&b, depth)
		case '}':
			open = open[:len(open)-1]
			depth--
			newLine(&b, depth)
			b.WriteByte(c)
		case ']':
			open = open[:len(open)-1]
			b.WriteString(" ]")
		case ',':
			b.WriteByte(c)
			if open[len(open)-1] == '[' {
				b.WriteByte(' ')
			} else {
				newLine(&b, depth)
			}
		case ':':
			b.WriteString(" : ")
		default:
			b.WriteByte(c)
		}
	}
	return b.Bytes()
}
