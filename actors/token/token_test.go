package token

import (
	"bytes"
	"errors"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var key = &yarn.MasterKey{KeyId: 1, Bytes: bytes.Repeat([]byte{7}, KeySize)}

func TestATokenSaysWhatItsMakerSaid(t *testing.T) {
	want := &yarn.ContainerTokenIdentifier{NmHostAddr: "h:1", ExpiryTimeStamp: 5}
	tok, err := Make(Container, "h:1", key, want)
	if err != nil {
		t.Fatal(err)
	}
	var got, unchecked yarn.ContainerTokenIdentifier
	if err := Open(tok, Container, key, &got); err != nil || !proto.Equal(&got, want) {
		t.Errorf("%v %v", &got, err)
	}
	if err := Identify(tok, &unchecked); err != nil || !proto.Equal(&unchecked, want) {
		t.Errorf("%v %v", &unchecked, err)
	}
}

func TestAForgedTokenIsInvalid(t *testing.T) {
	for name, forge := range map[string]func(*yarn.Token) (*yarn.Token, *yarn.MasterKey){
		"none":         func(*yarn.Token) (*yarn.Token, *yarn.MasterKey) { return nil, key },
		"another kind": func(x *yarn.Token) (*yarn.Token, *yarn.MasterKey) { x.Kind = NM; return x, key },
		"another text": func(x *yarn.Token) (*yarn.Token, *yarn.MasterKey) { x.Identifier[0] ^= 1; return x, key },
		"no password":  func(x *yarn.Token) (*yarn.Token, *yarn.MasterKey) { x.Password = nil; return x, key },
		"another key":  func(x *yarn.Token) (*yarn.Token, *yarn.MasterKey) { return x, &yarn.MasterKey{Bytes: []byte("other")} },
		"no key":       func(x *yarn.Token) (*yarn.Token, *yarn.MasterKey) { return x, nil },
		"a long identifier": func(x *yarn.Token) (*yarn.Token, *yarn.MasterKey) {
			x.Identifier = make([]byte, maxIdentifier+1)
			return x, key
		},
	} {
		tok, err := Make(Container, "h:1", key, &yarn.ContainerTokenIdentifier{NmHostAddr: "h:1"})
		if err != nil {
			t.Fatal(err)
		}
		bad, k := forge(tok)
		var id yarn.ContainerTokenIdentifier
		if err := Open(bad, Container, k, &id); !errors.Is(err, ErrInvalid) || id.GetNmHostAddr() != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	signed, _ := Make(Container, "h:1", key, &yarn.ContainerTokenIdentifier{})
	signed.Identifier = []byte{0xff}
	signed.Password = sign(Container, key, signed.Identifier)
	if err := Open(signed, Container, key, &yarn.ContainerTokenIdentifier{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no protobuf: %v", err)
	}
	if err := Identify(signed, &yarn.ContainerTokenIdentifier{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no protobuf: %v", err)
	}
}

// A token of one kind cannot be presented as another, whatever its identifier says.
func TestKindsDoNotMix(t *testing.T) {
	nm, _ := Make(NM, "h:1", key, &yarn.NMTokenIdentifier{KeyId: 1})
	nm.Kind = AMRM
	if err := Open(nm, AMRM, key, &yarn.AMRMTokenIdentifier{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
}
