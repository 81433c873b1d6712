//coherer:pure

package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
)

// Kinds of tokens, by Hadoop's names.
const (
	// Container lets its holder start one container on one node; its identifier is a ContainerTokenIdentifier.
	Container = "ContainerToken"
	// NM shows a NodeManager which attempt speaks; its identifier is an NMTokenIdentifier.
	NM = "NMToken"
	// AMRM shows the ResourceManager which attempt speaks; its identifier is an AMRMTokenIdentifier.
	AMRM = "YARN_AM_RM_TOKEN"
)

// KeySize is how many bytes of randomness a key has.
const KeySize = 32

// maxIdentifier bounds an identifier, in bytes.
const maxIdentifier = 4096

// ErrInvalid is the error of a token that is not what its kind says, or that nobody with the key made. It mirrors
// SecretManager.InvalidToken.
var ErrInvalid = errors.New("invalid token")

// Make makes a token: service is the address of its checker. An identifier that cannot be encoded is an error.
func Make(kind, service string, key *yarn.MasterKey, identifier proto.Message) (*yarn.Token, error) {
	text, err := proto.Marshal(identifier)
	if err != nil {
		return nil, fmt.Errorf("make a %s: %w", kind, err)
	}
	return &yarn.Token{Kind: kind, Service: service, Identifier: text, Password: sign(kind, key, text)}, nil
}

// Open checks a token and reads its identifier. Its errors are ErrInvalid; a key without bytes opens nothing.
func Open(t *yarn.Token, kind string, key *yarn.MasterKey, identifier proto.Message) error {
	switch {
	case t == nil:
		return fmt.Errorf("%w: there is no %s", ErrInvalid, kind)
	case t.GetKind() != kind:
		return fmt.Errorf("%w: it is a %.40q, want a %s", ErrInvalid, t.GetKind(), kind)
	case len(t.GetIdentifier()) > maxIdentifier:
		return fmt.Errorf("%w: the identifier of the %s is longer than %d bytes", ErrInvalid, kind, maxIdentifier)
	case len(key.GetBytes()) == 0 || !hmac.Equal(t.GetPassword(), sign(kind, key, t.GetIdentifier())):
		return fmt.Errorf("%w: the password of the %s does not match", ErrInvalid, kind)
	}
	if err := proto.Unmarshal(t.GetIdentifier(), identifier); err != nil {
		return fmt.Errorf("%w: the identifier of the %s: %w", ErrInvalid, kind, err)
	}
	return nil
}

// Identify reads a token's identifier without the key, for a caller that has to find the right key, or passes the token on. It
// proves nothing.
func Identify(t *yarn.Token, identifier proto.Message) error {
	if len(t.GetIdentifier()) > maxIdentifier {
		return fmt.Errorf("%w: its identifier is longer than %d bytes", ErrInvalid, maxIdentifier)
	}
	if err := proto.Unmarshal(t.GetIdentifier(), identifier); err != nil {
		return fmt.Errorf("%w: its identifier: %w", ErrInvalid, err)
	}
	return nil
}

// sign binds the kind too, so that a token of one kind is none of another.
func sign(kind string, key *yarn.MasterKey, identifier []byte) []byte {
	mac := hmac.New(sha256.New, key.GetBytes())
	mac.Write([]byte(kind))
	mac.Write([]byte{0})
	mac.Write(identifier)
	return mac.Sum(nil)
}
