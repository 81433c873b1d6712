package gossip

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/memberlist"
)

// Keys are the secrets that members of a cluster share, of 16, 24 or 32 bytes: the first encrypts this member's messages
// (AES-GCM), all can decrypt. A member without any of them is not heard.
//
// To change a key while the cluster runs, give every member the new one as a second, then as the first, then take the old
// one away, and wait at each step until all have it.
type Keys [][]byte

// mostKeys bounds a file of keys.
const mostKeys = 16

// parseKeys reads keys from text: one a line in base64, the first first; empty lines and those that begin with # do not
// count. None is an error.
func parseKeys(text string) (Keys, error) {
	var keys Keys
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: it is no base64", n) // the line itself may be a secret
		}
		if err := memberlist.ValidateKey(key); err != nil {
			return nil, fmt.Errorf("line %d: a key of %d bytes: want 16, 24 or 32", n, len(key))
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key in it: want one a line, 32 random bytes in base64")
	}
	if len(keys) > mostKeys {
		return nil, fmt.Errorf("there are %d keys in it: want at most %d", len(keys), mostKeys)
	}
	return keys, nil
}

// KeysOf reads the keys of a file each time it is called, and refuses one that other users can read.
func KeysOf(path string) func() (Keys, error) {
	return func() (Keys, error) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("keys of the gossip: %w", err)
		}
		// Before it is read: keys that others can read protect nothing, so they are refused rather than used.
		if info.Mode().Perm()&0o077 != 0 {
			return nil, fmt.Errorf("keys of the gossip: %s may be read by other users (mode %04o): chmod 600 it", path, info.Mode().Perm())
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("keys of the gossip: %w", err)
		}
		keys, err := parseKeys(string(text))
		if err != nil {
			return nil, fmt.Errorf("keys of the gossip: %s: %w", path, err)
		}
		return keys, nil
	}
}

// rekey takes over the keys that Config.Keys gives now.
func (m *Member) rekey() error {
	if m.keys == nil {
		return nil
	}
	keys, err := m.keys()
	if err != nil {
		return err
	}
	// All new keys first: the ring takes only one of its own as the first, and does not give up the first.
	for _, k := range keys {
		if err := m.keyring.AddKey(k); err != nil {
			return err
		}
	}
	if err := m.keyring.UseKey(keys[0]); err != nil {
		return err
	}
	for _, old := range m.keyring.GetKeys() {
		if keys.has(old) {
			continue
		}
		if err := m.keyring.RemoveKey(old); err != nil {
			return err
		}
	}
	return nil
}

func (k Keys) has(key []byte) bool {
	for _, x := range k {
		if bytes.Equal(x, key) {
			return true
		}
	}
	return false
}
