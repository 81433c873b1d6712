package gossip

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
)

func TestMetaComesBack(t *testing.T) {
	for _, m := range []Meta{
		{Role: "worker"},
		{Role: RoleMaster, RPC: rpcenv.Address{Host: "127.0.0.1", Port: 7077}, UI: "http://127.0.0.1:8080", ID: "x", PID: 12, Load: "1/2 cores", Group: Group{Expect: 3, Digest: 1<<64 - 1, Round: 1<<63 - 1, Formed: true}},
		{Role: "worker", RPC: rpcenv.Address{Host: "::1", Port: 1}, ID: strings.Repeat("i", 400)},
	} {
		data, err := encodeMeta(m)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeMeta(data); err != nil || back != m {
			t.Errorf("%+v came back as %+v, %v", m, back, err)
		}
	}
}

func TestMetaTooLong(t *testing.T) {
	fits := 0
	for n := range 520 {
		m := Meta{Role: RoleMaster, ID: strings.Repeat("i", n), Group: Group{Expect: 3}}
		_, err := encodeMeta(m)
		if err != nil && !errors.Is(err, ErrMetaTooLong) {
			t.Fatal(err)
		}
		if err == nil {
			fits = n
			m.Leads, m.Group = true, Group{Expect: 3, Digest: 1<<64 - 1, Round: 1<<63 - 1, Formed: true}
			if data, err := encodeMeta(m); err != nil || len(data) > 512 {
				t.Fatalf("%d bytes fit, but not when leading: %d, %v", n, len(data), err)
			}
		}
	}
	if fits < 380 {
		t.Errorf("only %d bytes fit", fits)
	}
}

func FuzzMeta(f *testing.F) {
	for _, seed := range []string{`{"r":"master","a":"127.0.0.1:7077","d":true}`, `{}`, `{"r":"x","a":"y"}`, ``, `null`, `{"r":"x","p":1e99}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeMeta(data)
		if err != nil {
			return
		}
		again, err := encodeMeta(m)
		if errors.Is(err, ErrMetaTooLong) {
			return // JSON escapes may be longer than what they stand for
		}
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeMeta(again); err != nil || back != m {
			t.Fatalf("%+v came back as %+v, %v", m, back, err)
		}
	})
}

func TestLog(t *testing.T) {
	var out bytes.Buffer
	logger := logrus.New()
	logger.SetOutput(&out)
	logger.SetFormatter(&logrus.TextFormatter{DisableTimestamp: true, DisableColors: true})
	var suspects []string
	lines := newLogger(logger.WithField("role", "master"), func(name string) { suspects = append(suspects, name) }, func(string) {})
	lines.Print("[INFO] memberlist: Suspect x has failed, no acks received")
	lines.Print("[WARN] memberlist: Suspect y has failed, no acks received")
	lines.Print("[WARN] memberlist: not to be seen")
	logger.SetLevel(logrus.DebugLevel)
	lines.Print("[ERR] memberlist: it failed")
	lines.Print("no severity")
	want := "level=debug msg=\"it failed\" role=master severity=ERR\nlevel=debug msg=\"no severity\" role=master severity=\n"
	if out.String() != want {
		t.Errorf("log %q, want %q", out.String(), want)
	}
	if !slices.Equal(suspects, []string{"x"}) {
		t.Errorf("suspects %q", suspects)
	}
	newLogger(nil, func(string) {}, func(string) {}).Print("[INFO] memberlist: to nobody")
}
