//coherer:pure

package token

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
)

// header begins a file of credentials: Hadoop's magic and the version of the protobuf format.
var header = []byte("HDTS\x01")

// maxCredentials bounds them, in bytes.
const maxCredentials = 1 << 20

// readCredentials reads what writeCredentials wrote. An empty blob has no tokens.
func readCredentials(blob []byte) (*yarn.Credentials, error) {
	c := &yarn.Credentials{}
	if len(blob) == 0 {
		return c, nil
	}
	rest, ok := bytes.CutPrefix(blob, header)
	switch {
	case len(blob) > maxCredentials:
		return nil, fmt.Errorf("credentials of %d bytes: at most %d can be", len(blob), maxCredentials)
	case !ok:
		return nil, errors.New("these are no credentials: want HDTS and the version 1 before them")
	}
	n, width := binary.Uvarint(rest)
	if width <= 0 || n != uint64(len(rest)-width) {
		return nil, errors.New("the credentials are not as long as they say")
	}
	if err := proto.Unmarshal(rest[width:], c); err != nil {
		return nil, fmt.Errorf("the credentials cannot be read: %w", err)
	}
	return c, nil
}

// writeCredentials is the content of a file of credentials.
func writeCredentials(c *yarn.Credentials) ([]byte, error) {
	body, err := proto.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write credentials: %w", err)
	}
	return append(binary.AppendUvarint(bytes.Clone(header), uint64(len(body))), body...), nil
}

// Add is credentials with one more token, under its service. It replaces one of the same service and kind.
func Add(blob []byte, t *yarn.Token) ([]byte, error) {
	c, err := readCredentials(blob)
	if err != nil {
		return nil, err
	}
	kept := []*yarn.CredentialsKV{}
	for _, kv := range c.GetTokens() {
		if kv.GetAlias() != t.GetService() || kv.GetToken().GetKind() != t.GetKind() {
			kept = append(kept, kv)
		}
	}
	c.Tokens = append(kept, &yarn.CredentialsKV{Alias: t.GetService(), Token: t})
	return writeCredentials(c)
}

// Find is the first token of a kind in credentials; without one it fails.
func Find(blob []byte, kind string) (*yarn.Token, error) {
	c, err := readCredentials(blob)
	if err != nil {
		return nil, err
	}
	for _, kv := range c.GetTokens() {
		if kv.GetToken().GetKind() == kind {
			return kv.GetToken(), nil
		}
	}
	return nil, fmt.Errorf("the credentials have no %s", kind)
}
