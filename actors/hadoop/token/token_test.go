package token

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var key = &yarn.MasterKey{KeyId: 1, Bytes: bytes.Repeat([]byte{7}, KeySize)}

// The password is computed here a second time, from the definition.
func TestATokenSaysWhatItsMakerSaid(t *testing.T) {
	want := &yarn.ContainerTokenIdentifier{NmHostAddr: "h:1", ExpiryTimeStamp: 5}
	tok, err := Make(Container, "h:1", key, want)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := proto.Marshal(want)
	mac := hmac.New(sha256.New, key.Bytes)
	mac.Write(append([]byte("ContainerToken\x00"), text...))
	made := &yarn.Token{Kind: "ContainerToken", Service: "h:1", Identifier: text, Password: mac.Sum(nil)}
	if !proto.Equal(tok, made) {
		t.Errorf("made %v, want %v", tok, made)
	}
	var got, unchecked yarn.ContainerTokenIdentifier
	if err := Open(tok, Container, key, &got); err != nil || !proto.Equal(&got, want) {
		t.Errorf("%v %v", &got, err)
	}
	if err := Identify(tok, &unchecked); err != nil || !proto.Equal(&unchecked, want) {
		t.Errorf("%v %v", &unchecked, err)
	}
}

func TestAnIdentifierThatCannotBeEncodedIsAnError(t *testing.T) {
	tok, err := Make(NM, "h:1", key, &yarn.ContainerTokenIdentifier{NmHostAddr: "\xff"})
	if err == nil || !strings.HasPrefix(err.Error(), "make a NMToken: ") || tok != nil {
		t.Errorf("%v, %v", tok, err)
	}
}

// signed is a token whose password is right for its kind, its text and its key.
func signed(kind string, k *yarn.MasterKey, text []byte) *yarn.Token {
	return &yarn.Token{Kind: kind, Service: "h:1", Identifier: text, Password: sign(kind, k, text)}
}

// sized is an identifier with that many bytes when it is encoded.
func sized(n int) []byte {
	text, _ := proto.Marshal(&yarn.ContainerTokenIdentifier{NmHostAddr: strings.Repeat("h", n-3)})
	return text
}

func TestAForgedTokenIsInvalid(t *testing.T) {
	const password = "the password of the ContainerToken does not match"
	text, _ := proto.Marshal(&yarn.ContainerTokenIdentifier{NmHostAddr: "h:1"})
	other := append(bytes.Clone(text), 0x28, 1)
	for name, test := range map[string]struct {
		token *yarn.Token
		key   *yarn.MasterKey
		want  string
	}{
		"none":         {nil, key, "there is no ContainerToken"},
		"another kind": {signed(NM, key, text), key, `it is a "NMToken", want a ContainerToken`},
		"another text": {&yarn.Token{Kind: Container, Identifier: other, Password: sign(Container, key, text)}, key, password},
		"no password":  {&yarn.Token{Kind: Container, Identifier: text}, key, password},
		"another key":  {signed(Container, key, text), &yarn.MasterKey{Bytes: []byte("other")}, password},
		"no key":       {signed(Container, key, text), nil, password},
		// Everybody can compute these: a checker that has no key yet must open nothing.
		"signed without a key":          {signed(Container, nil, text), nil, password},
		"signed with a key of no bytes": {signed(Container, &yarn.MasterKey{}, text), &yarn.MasterKey{KeyId: 1}, password},
		"a long identifier": {
			signed(Container, key, sized(maxIdentifier+1)), key,
			"the identifier of the ContainerToken is longer than 4096 bytes",
		},
		"no protobuf": {signed(Container, key, []byte{0xff}), key, "the identifier of the ContainerToken: "},
	} {
		var id yarn.ContainerTokenIdentifier
		err := Open(test.token, Container, test.key, &id)
		if !errors.Is(err, ErrInvalid) || !strings.HasPrefix(err.Error(), "invalid token: "+test.want) || id.GetNmHostAddr() != "" {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

func TestAnIdentifierIsBounded(t *testing.T) {
	var id yarn.ContainerTokenIdentifier
	longest := signed(Container, key, sized(maxIdentifier))
	if err := errors.Join(Open(longest, Container, key, &id), Identify(longest, &id)); err != nil || len(longest.Identifier) != 4096 {
		t.Errorf("%d bytes: %v", len(longest.Identifier), err)
	}
	for want, text := range map[string][]byte{
		"invalid token: its identifier is longer than 4096 bytes": sized(maxIdentifier + 1),
		"invalid token: its identifier: ":                         {0xff},
	} {
		err := Identify(&yarn.Token{Kind: Container, Identifier: text}, &id)
		if !errors.Is(err, ErrInvalid) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A token of one kind cannot be presented as another, whatever its identifier says: not even when the end of a kind's name
// and the beginning of an identifier change sides.
func TestKindsDoNotMix(t *testing.T) {
	nm, _ := Make(NM, "h:1", key, &yarn.NMTokenIdentifier{KeyId: 1})
	nm.Kind = AMRM
	if err := Open(nm, AMRM, key, &yarn.AMRMTokenIdentifier{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
	text, _ := proto.Marshal(&yarn.NMTokenIdentifier{KeyId: 1})
	moved := &yarn.Token{Kind: "NM", Identifier: append([]byte("Token"), text...), Password: sign(NM, key, text)}
	if err := Open(moved, "NM", key, &yarn.NMTokenIdentifier{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
}
