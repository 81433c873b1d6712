package rest

import (
	"fmt"
	"os"
	"strings"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

// shortestToken is how long a token has to be at least, in bytes.
const shortestToken = 16

// Token is the token that requests have to bring by the settings; empty: none. It is the text of the file coherer.rest.tokenFile,
// which only its owner may read.
func Token(c *conf.Conf) (string, error) {
	if path := known.RESTTokenFile.Get(c); path != "" {
		return ReadToken(path)
	}
	return "", nil
}

// ReadToken reads the file of coherer.rest.tokenFile.
func ReadToken(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", known.RESTTokenFile.Key(), err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s: %s can be read by others, or is no plain file: chmod 600 it", known.RESTTokenFile.Key(), path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", known.RESTTokenFile.Key(), err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < shortestToken || strings.ContainsAny(token, "\r\n") {
		return "", fmt.Errorf("%s: %s: want one line of at least %d characters", known.RESTTokenFile.Key(), path, shortestToken)
	}
	return token, nil
}
