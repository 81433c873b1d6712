//coherer:pure

package ids

import (
	"fmt"
	"strings"
)

// Max bounds an id, in bytes.
const Max = 128

// Plain reports whether an id is a plain name of a directory: letters, digits, '.', '_' and '-', not beginning with '.', and
// at most Max of them.
func Plain(id string) bool {
	return id != "" && len(id) <= Max && id[0] != '.' && !strings.ContainsFunc(id, isOther)
}

// Check is an error when the id of a what, such as "application", is not plain.
func Check(what, id string) error {
	if !Plain(id) {
		return fmt.Errorf("the %s id %.*q is no plain name: want letters, digits, '.', '_' and '-', at most %d", what, Max, id, Max)
	}
	return nil
}

func isOther(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
}
