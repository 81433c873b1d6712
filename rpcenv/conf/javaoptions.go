package conf

import (
	"errors"
	"fmt"
	"strings"
)

// ParseJavaOptions reads options of a JVM, as in SPARK_MASTER_OPTS: -Dkey=value are settings from origin, others are
// ignored. Words are parted as by [SplitOptions].
func (s *Set) ParseJavaOptions(text string, origin Origin) (settings []Setting, ignored []string, err error) {
	words, err := SplitOptions(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", origin, err)
	}
	for _, word := range words {
		pair, isProperty := strings.CutPrefix(word, "-D")
		key, value, _ := strings.Cut(pair, "=")
		if !isProperty || !s.kept(key) {
			ignored = append(ignored, word)
			continue
		}
		settings = append(settings, Setting{Pair{key, trim(value)}, origin})
	}
	return settings, ignored, nil
}

// SplitOptions parts a text into words: blanks part them, single and double quotes keep blanks, a backslash takes the
// character behind it as it is. It mirrors CommandBuilderUtils.parseOptionString and Utils.splitCommandString.
func SplitOptions(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, escaped := false, false // inWord: quotes make a word even if nothing is between them
	quote := rune(0)
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'': // within single quotes a backslash is itself, as in a shell
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("it ends within quotes or behind a backslash")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
