package token

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
)

// aliases are the services and kinds of the tokens in credentials, in their order.
func aliases(t *testing.T, blob []byte) (all []string) {
	t.Helper()
	c, err := readCredentials(blob)
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range c.GetTokens() {
		all = append(all, kv.GetAlias()+" "+kv.GetToken().GetKind()+" "+string(kv.GetToken().GetPassword()))
	}
	return all
}

func TestANewTokenTakesThePlaceOfTheOneOfItsServiceAndKind(t *testing.T) {
	var blob []byte
	var err error
	for _, tok := range []*yarn.Token{
		{Kind: NM, Service: "n1:1", Password: []byte("old")},
		{Kind: NM, Service: "n2:1", Password: []byte("a")},
		{Kind: AMRM, Service: "n1:1", Password: []byte("b")},
		{Kind: NM, Service: "n1:1", Password: []byte("new")},
	} {
		if blob, err = Add(blob, tok); err != nil || !bytes.HasPrefix(blob, []byte("HDTS\x01")) {
			t.Fatalf("%q, %v", blob, err)
		}
	}
	want := "n2:1 NMToken a, n1:1 YARN_AM_RM_TOKEN b, n1:1 NMToken new"
	if got := strings.Join(aliases(t, blob), ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, err := Find(blob, AMRM); err != nil || string(got.GetPassword()) != "b" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Find(blob, NM); err != nil || got.GetService() != "n2:1" {
		t.Errorf("%v, %v: want the first", got, err)
	}
	if got, err := Find(blob, Container); got != nil || err == nil || err.Error() != "the credentials have no ContainerToken" {
		t.Errorf("%v, %v: found what nobody put there", got, err)
	}
}

// withLength is credentials that say that the body has n bytes.
func withLength(n int, body string) []byte {
	return append(binary.AppendUvarint([]byte("HDTS\x01"), uint64(n)), body...)
}

func TestWhatIsNoCredentials(t *testing.T) {
	const length = "the credentials are not as long as they say"
	for name, test := range map[string]struct {
		blob []byte
		want string
	}{
		"another file":       {[]byte("HDTX\x01\x00"), "these are no credentials: want HDTS and the version 1 before them"},
		"Hadoop's version 0": {[]byte("HDTS\x00\x00"), "these are no credentials: want HDTS and the version 1 before them"},
		"without a length":   {[]byte("HDTS\x01"), length},
		"an endless length":  {append([]byte("HDTS\x01"), bytes.Repeat([]byte{0xff}, 11)...), length},
		"cut short":          {withLength(5, "a"), length},
		"more than they say": {withLength(0, "a"), length},
		"no protobuf":        {withLength(1, "\xff"), "the credentials cannot be read: "},
		"too many":           {withLength(maxCredentials-7, string(make([]byte, maxCredentials-7))), "credentials of 1048577 bytes: at most 1048576 can be"},
	} {
		_, err := readCredentials(test.blob)
		_, added := Add(test.blob, &yarn.Token{Kind: NM})
		_, found := Find(test.blob, NM)
		for _, err := range []error{err, added, found} {
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%s: %v, want %s", name, err, test.want)
			}
		}
	}
}

func TestCredentialsAreBounded(t *testing.T) {
	filler := &yarn.Token{Kind: NM, Service: "n1:1"}
	blob, err := Add(nil, filler)
	if err != nil {
		t.Fatal(err)
	}
	for len(blob) != maxCredentials { // lengths inside grow by a few bytes with it
		filler.Password = make([]byte, len(filler.Password)+maxCredentials-len(blob))
		if blob, err = Add(nil, filler); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Find(blob, NM); err != nil || !proto.Equal(got, filler) {
		t.Errorf("of %d bytes: %v", len(blob), err)
	}
}

func TestATokenThatCannotBeEncodedIsNotAdded(t *testing.T) {
	blob, err := Add(nil, &yarn.Token{Kind: "\xff"})
	if blob != nil || err == nil || !strings.HasPrefix(err.Error(), "write credentials: ") {
		t.Errorf("%q, %v", blob, err)
	}
}

func FuzzReadCredentials(f *testing.F) {
	blob, _ := writeCredentials(&yarn.Credentials{Tokens: []*yarn.CredentialsKV{{Alias: "a", Token: &yarn.Token{Kind: "k"}}}})
	for _, seed := range [][]byte{nil, []byte("HDTS\x00"), []byte("HDTS\x01"), []byte("HDTS\x01\x05a"), blob} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		c, err := readCredentials(blob)
		if err != nil {
			return
		}
		again, err := writeCredentials(c)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := readCredentials(again); err != nil || !proto.Equal(back, c) {
			t.Errorf("%v, %v", back, err)
		}
	})
}
