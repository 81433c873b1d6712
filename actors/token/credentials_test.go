package token_test

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/token"
	"github.com/coherer/coherer/messages/yarn"
)

func issued(t *testing.T) *yarn.Token {
	t.Helper()
	key := &yarn.MasterKey{KeyId: 7, Bytes: bytes.Repeat([]byte{1}, token.KeySize)}
	made, err := token.Make(token.NM, "n1:1", key, &yarn.NMTokenIdentifier{NodeId: &yarn.NodeId{Host: "n1", Port: 1}, KeyId: 7})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestCredentials(t *testing.T) {
	blob, err := token.Add(nil, issued(t))
	if err != nil || !bytes.HasPrefix(blob, []byte("HDTS\x01")) {
		t.Fatalf("%q, %v", blob, err)
	}
	again := issued(t)
	again.Password = []byte("new")
	if blob, err = token.Add(blob, again); err != nil {
		t.Fatal(err)
	}
	got, err := token.Find(blob, token.NM)
	if err != nil || !proto.Equal(got, again) {
		t.Errorf("%v, %v: want the newer", got, err)
	}
	if _, err := token.Find(blob, token.AMRM); err == nil {
		t.Error("found what nobody put there")
	}
}

func FuzzReadCredentials(f *testing.F) {
	blob, _ := token.WriteCredentials(&yarn.Credentials{Tokens: []*yarn.CredentialsKV{{Alias: "a", Token: &yarn.Token{Kind: "k"}}}})
	for _, seed := range [][]byte{nil, []byte("HDTS\x00"), []byte("HDTS\x01"), []byte("HDTS\x01\x05a"), blob} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		c, err := token.ReadCredentials(blob)
		if err != nil {
			return
		}
		again, err := token.WriteCredentials(c)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := token.ReadCredentials(again); err != nil || !proto.Equal(back, c) {
			t.Errorf("%v, %v", back, err)
		}
	})
}
