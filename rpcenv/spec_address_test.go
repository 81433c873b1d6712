package rpcenv_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

func TestAnAddressPrintsAsHostAndPort(t *testing.T) {
	for _, test := range []struct {
		a         rpcenv.Address
		text, url string
	}{
		{rpcenv.Address{Host: "h", Port: 7077}, "h:7077", "spark://h:7077"},
		{rpcenv.Address{Host: "10.0.0.1", Port: 1}, "10.0.0.1:1", "spark://10.0.0.1:1"},
		{rpcenv.Address{Host: "::1", Port: 7077}, "[::1]:7077", "spark://[::1]:7077"},
		{rpcenv.Address{Host: "fe80::1", Port: 7077}, "[fe80::1]:7077", "spark://[fe80::1]:7077"},
	} {
		if test.a.String() != test.text || test.a.SparkURL() != test.url {
			t.Errorf("%+v: %s, %s", test.a, test.a, test.a.SparkURL())
		}
		back, err := rpcenv.ParseMasterURL(test.url)
		if err != nil || len(back) != 1 || back[0] != test.a {
			t.Errorf("%s is read as %v, %v", test.url, back, err)
		}
	}
}

func TestAnIPv6HostMayBeGivenInBrackets(t *testing.T) {
	w := inSim(t)
	bound := w.makeAt(rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "[fd00::1]", Port: 7077}}, "fd00::1")
	told := w.makeAt(rpcenv.Config{Name: "B", Listen: rpcenv.Address{Host: "10.0.0.2", Port: 7077}, Advertise: "[fd00::2]"}, "10.0.0.2")
	if bound.Address().String() != "[fd00::1]:7077" || told.Address().String() != "[fd00::2]:7077" {
		t.Error(bound.Address(), told.Address())
	}
	ref := w.register(bound, "E", double(w))
	w.do(told, func(b *rpcenv.Blocking) {
		if _, err := rpcenv.ResolveWait(b, ref.String()); err != nil {
			t.Error(err)
		}
	})
}

func TestAnyURLHasAnAddress(t *testing.T) {
	for text, want := range map[string]string{
		"spark://h:7077":              "h:7077",
		"spark://E@h:7077":            "h:7077",
		"http://[::1]:8080/json?a#b":  "[::1]:8080",
		"spark://10.0.0.1:1/files/x":  "10.0.0.1:1",
		"http://h/":                   "",
		"h:7077":                      "",
		"spark://h:99999":             "",
		"spark://h:x":                 "",
		"":                            "",
		"spark://E@:7077":             "",
		"spark://h:7077/\x00":         "",
		"spark://a@b@h:7077/files/%2": "",
	} {
		a, err := rpcenv.AddressOfURL(text)
		if a.String() != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, rpcenv.ErrInvalidURL) {
			t.Errorf("%q: %v %v", text, a, err)
		}
	}
}

func TestParseFileURI(t *testing.T) {
	for _, test := range []struct{ uri, addr, path string }{
		{"spark://h:1/files/a.txt", "h:1", "/files/a.txt"},
		{"spark://h:1/jars/a%20b%2525%3F%23.jar", "h:1", "/jars/a b%25?#.jar"},
		{"spark://[::1]:1/dir/x/y", "[::1]:1", "/dir/x/y"},
		{"spark://h:1/../etc/passwd", "h:1", "/../etc/passwd"}, // the server's to refuse
		{"spark://h:1", "", ""},
		{"spark://h:1/", "", ""},
		{"spark://h:0/files/a", "", ""},
		{"spark://h/files/a", "", ""},
		{"spark:///files/a", "", ""},
		{"http://h:1/files/a", "", ""},
		{"/files/a", "", ""},
		{"spark://E@h:1/files/a", "", ""},
		{"spark://h:1/files/a?q", "", ""},
		{"spark://h:1/files/a?", "", ""},
		{"spark://h:1/files/a#f", "", ""},
		{"spark://h:1/files/a%2", "", ""},
		{"", "", ""},
	} {
		a, path, err := rpcenv.ParseFileURI(test.uri)
		if a.String() != test.addr || path != test.path || (err == nil) != (test.addr != "") {
			t.Errorf("%q: %v %q %v", test.uri, a, path, err)
		}
		if err != nil && (!errors.Is(err, rpcenv.ErrInvalidURL) || !strings.Contains(err.Error(), "want spark://HOST:PORT/PATH")) {
			t.Errorf("%q: %v", test.uri, err)
		}
	}
}

func TestAReferencePrintsAsItsURI(t *testing.T) {
	for want, ref := range map[string]rpcenv.Ref{
		"spark://E@h:1":      {Address: rpcenv.Address{Host: "h", Port: 1}, Name: "E"},
		"spark://E@[::1]:1":  {Address: rpcenv.Address{Host: "::1", Port: 1}, Name: "E"},
		"spark-client://E":   {Name: "E"},
		"spark-client://E/1": {Name: "E/1"},
	} {
		if ref.String() != want {
			t.Errorf("%s, want %s", ref, want)
		}
	}
}

// refs is an endpoint that keeps the reference in each message.
func refs(w *world, kept *[]rpcenv.Ref) *endpoint {
	ep := doer()
	inner := ep.receive
	ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
		if p, ok := m.(*rpc.EndpointRef); ok {
			*kept = append(*kept, c.Ref(p))
			w.note("%s has a reference", c.Env().Name())
			return
		}
		inner(c, m)
	}
	return ep
}

func TestReferencesToClientsOfOneNameDiffer(t *testing.T) {
	inWorlds(t, func(w *world) {
		a := w.env("A")
		var kept []rpcenv.Ref
		ref := w.register(a, "E", refs(w, &kept))
		for _, name := range []string{"K1", "K2"} {
			k := w.client(name)
			own := w.register(k, "Client", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.ReplyAs(c, m, text(name)) }})
			w.do(k, func(b *rpcenv.Blocking) { _ = b.Send(ref, own.Proto()) })
		}
		w.awaitLines(2)
		w.in(a, ref, func(c *rpcenv.Context) {
			if kept[0] == kept[1] || kept[0].String() != kept[1].String() {
				t.Error(kept)
			}
		})
		heard := map[string]bool{}
		w.do(a, func(b *rpcenv.Blocking) {
			for _, to := range kept {
				r, err := rpcenv.AskWaitAs[*wrapperspb.StringValue](b, to, num(1))
				if err != nil {
					t.Error(err)
				}
				heard[r.GetValue()] = true
			}
		})
		if !heard["K1"] || !heard["K2"] {
			t.Error("each is reached by its own connection:", heard)
		}
	})
}

func TestAReferenceThatIsPassedOnLeadsToItsEndpoint(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b, c := w.env("A"), w.env("B"), w.env("C")
		var kept []rpcenv.Ref
		toB := w.register(b, "E", refs(w, &kept))
		toC := w.register(c, "E", &endpoint{receive: func(ctx *rpcenv.Context, m rpcenv.Message) { w.note("C hears %s", ctx.Sender()) }})
		w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) { w.note("A hears") }})
		w.do(a, func(b *rpcenv.Blocking) { _ = b.Send(toB, toC.Proto()) })
		w.await("B has a reference")
		w.in(b, toB, func(ctx *rpcenv.Context) {
			if kept[0] != toC {
				t.Error(kept)
			}
			ctx.Send(kept[0], text("hello"))
		})
		w.await("C hears " + b.Address().String())
	})
}

func TestAClientsReferenceIsOfNoUseToThirdParties(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b, k := w.env("A"), w.env("B"), w.client("K")
		var atA, atB, atK []rpcenv.Ref
		toA, toB, own := w.register(a, "E", refs(w, &atA)), w.register(b, "E", refs(w, &atB)), w.register(k, "E", refs(w, &atK))
		w.do(k, func(b *rpcenv.Blocking) { _ = b.Send(toA, own.Proto()) })
		w.await("A has a reference")
		w.in(a, toA, func(c *rpcenv.Context) {
			c.Send(toB, atA[0].Proto())
			c.Send(atA[0], atA[0].Proto())
		})
		w.await("B has a reference")
		w.await("K has a reference")
		w.do(b, func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWaitAs[rpcenv.Message](b, atB[0], num(1))
			if !errors.Is(err, rpcenv.ErrUnreachableDisconnected) || !strings.Contains(err.Error(), "reached from the other end of its connection only") {
				t.Error("a third party:", err)
			}
		})
		w.in(k, own, func(*rpcenv.Context) {
			if atK[0] != own {
				t.Errorf("back at its Env it is %v, want %v", atK[0], own)
			}
		})
	})
}

func TestAMessageWithinAnEnvIsTheSameValue(t *testing.T) {
	inWorlds(t, func(w *world) {
		for _, e := range []*rpcenv.Env{w.env("A"), w.client("B")} {
			q, r := num(1), num(2)
			ref := w.register(e, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
				if m != rpcenv.Message(q) {
					t.Error("the question was copied")
				}
				rpcenv.ReplyAs(c, m, r)
			}})
			w.do(e, func(b *rpcenv.Blocking) {
				got, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, q)
				if err != nil || got != r {
					t.Error("the answer was copied:", err)
				}
			})
		}
	})
}

func FuzzParseURI(f *testing.F) {
	f.Add("spark://Master@h:7077")
	f.Add("spark://E@[::1%25eth0]:1")
	f.Add("spark://h:1/files/a%20b")
	f.Fuzz(func(t *testing.T, uri string) {
		a, name, err := rpcenv.ParseURI(uri)
		if err == nil {
			if a.Host == "" || name == "" || a.Port < 0 || a.Port > 65535 {
				t.Fatalf("%q: %+v %q", uri, a, name)
			}
			// A name without escapes prints as it was read.
			if !strings.Contains(uri, "%") {
				if again, same, err := rpcenv.ParseURI((rpcenv.Ref{Address: a, Name: name}).String()); err != nil || again != a || same != name {
					t.Fatalf("%q: again %+v %q %v", uri, again, same, err)
				}
			}
		} else if !errors.Is(err, rpcenv.ErrInvalidURL) {
			t.Fatalf("%q: untyped error %v", uri, err)
		}
		at, path, fileErr := rpcenv.ParseFileURI(uri)
		switch {
		case fileErr == nil && (at.Host == "" || at.Port == 0 || !strings.HasPrefix(path, "/") || err == nil):
			t.Fatalf("%q: %+v %q", uri, at, path)
		case fileErr != nil && !errors.Is(fileErr, rpcenv.ErrInvalidURL):
			t.Fatalf("%q: untyped error %v", uri, fileErr)
		}
	})
}
