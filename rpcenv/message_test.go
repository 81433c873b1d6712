package rpcenv_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

func TestAnUnsupportedMessageFailsTheAskAndIsToldToOnError(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ep := &faulty{onError: func(_ *rpcenv.Context, err error) {
			w.note("unsupported %v", errors.Is(err, rpcenv.ErrRefusedUnsupported))
		}}
		ref := w.register(a, "E", ep)
		w.do(b, func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1))
			want := "Unsupported message google.protobuf.Int32Value from " + b.Env().Address().String() + " to E"
			if !errors.Is(err, rpcenv.ErrRefusedUnsupported) || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			_ = b.Send(ref, text("x"))
		})
		w.awaitLines(2)
		w.wantLog("unsupported true", "unsupported true")
	})
}

func TestALocalMessageStaysInItsEnv(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", noting(w))
		ep := &faulty{onError: func(_ *rpcenv.Context, err error) {
			w.note("cannot be sent: %v", errors.Is(err, rpcenv.ErrNotMessage))
		}}
		ep.receive = doer().receive
		sender := w.register(b, "Sender", ep)
		w.do(b, func(b *rpcenv.Blocking) {
			for _, m := range []rpcenv.Message{say{}, "text", nil, 7} {
				if err := b.Send(ref, m); !errors.Is(err, rpcenv.ErrNotMessage) {
					t.Errorf("%T: %v", m, err)
				}
				if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, m); !errors.Is(err, rpcenv.ErrNotMessage) {
					t.Errorf("ask %T: %v", m, err)
				}
			}
		})
		w.in(b, sender, func(c *rpcenv.Context) { c.Send(ref, say{}) })
		w.await("cannot be sent: true")
	})
}

func TestAMessageIsCopiedBetweenEnvs(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", double(w))
		w.do(b, func(b *rpcenv.Blocking) {
			m := text("as it was sent")
			_ = b.Send(ref, m)
			m.Value = "changed"
		})
		w.awaitLines(1)
		w.wantLog("as it was sent")
	})
}

func TestTheVerifierSaysWhichEndpointsThereAre(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.client("B")
		w.register(a, "E", noting(w))
		verifier := rpcenv.Ref{Address: a.Address(), Name: rpcenv.VerifierName}
		w.do(b, func(b *rpcenv.Blocking) {
			for name, want := range map[string]bool{"E": true, rpcenv.VerifierName: true, "Nobody": false} {
				r, err := rpcenv.AskWait(b, verifier, &rpc.CheckExistence{Name: name})
				if err != nil || r.GetValue() != want {
					t.Errorf("%s: %v %v", name, r, err)
				}
			}
			if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, verifier, num(1)); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
				t.Error("another message:", err)
			}
		})
	})
}

func TestResolve(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		gone := w.env("Gone")
		w.close(gone)
		ref := w.register(a, "E", noting(w))
		asker := w.register(b, "Asker", doer())
		for _, test := range []struct {
			uri  string
			want rpcenv.Ref
			err  error
		}{
			{ref.String(), ref, nil},
			{"spark://Nobody@" + a.Address().String(), rpcenv.Ref{}, rpcenv.ErrRefusedNotFound},
			{"spark://E@" + gone.Address().String(), rpcenv.Ref{}, rpcenv.ErrUnreachableDisconnected},
			{"spark://nowhere", rpcenv.Ref{}, rpcenv.ErrInvalidURL},
		} {
			check := func(got rpcenv.Ref, err error) {
				if got != test.want || !errors.Is(err, test.err) {
					t.Errorf("%s: %v %v", test.uri, got, err)
				}
			}
			w.do(b, func(b *rpcenv.Blocking) { check(rpcenv.ResolveWait(b, test.uri)) })
			w.in(b, asker, func(c *rpcenv.Context) {
				within := true
				rpcenv.Resolve(c, test.uri, func(got rpcenv.Ref, err error) {
					if within {
						t.Error("called within the handler")
					}
					check(got, err)
					w.note("resolved %s", test.uri)
				})
				within = false
			})
			w.await("resolved " + test.uri)
		}
	})
}

func TestParseURI(t *testing.T) {
	for _, test := range []struct {
		uri  string
		addr rpcenv.Address // zero: invalid
		name string
	}{
		{"spark://Master@h:7077", rpcenv.Address{Host: "h", Port: 7077}, "Master"},
		{"spark://endpoint-verifier@10.0.0.1:1", rpcenv.Address{Host: "10.0.0.1", Port: 1}, "endpoint-verifier"},
		{"spark://E@[::1]:7077", rpcenv.Address{Host: "::1", Port: 7077}, "E"},
		{"", rpcenv.Address{}, ""},
		{"Master@h:7077", rpcenv.Address{}, ""},
		{"http://Master@h:7077", rpcenv.Address{}, ""},
		{"spark://h:7077", rpcenv.Address{}, ""},
		{"spark://@h:7077", rpcenv.Address{}, ""},
		{"spark://Master@h", rpcenv.Address{}, ""},
		{"spark://Master@:7077", rpcenv.Address{}, ""},
		{"spark://Master@h:x", rpcenv.Address{}, ""},
		{"spark://Master@h:70777", rpcenv.Address{}, ""},
		{"spark://Master@h:-1", rpcenv.Address{}, ""},
		{"spark://Master@h:7077/", rpcenv.Address{}, ""},
		{"spark://Master@h:7077/path", rpcenv.Address{}, ""},
		{"spark://Master@h:7077?", rpcenv.Address{}, ""},
		{"spark://Master@h:7077?q", rpcenv.Address{}, ""},
		{"spark://Master@h:7077#", rpcenv.Address{}, ""},
		{"spark://a:b@h:7077", rpcenv.Address{Host: "h", Port: 7077}, "a:b"}, // all of the user-info
	} {
		addr, name, err := rpcenv.ParseURI(test.uri)
		if addr != test.addr || name != test.name || (err == nil) == test.addr.IsZero() || err != nil && !errors.Is(err, rpcenv.ErrInvalidURL) {
			t.Errorf("%q: %v %q %v", test.uri, addr, name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "Invalid Spark URL: "+test.uri) {
			t.Errorf("%q: %v", test.uri, err)
		}
		if err == nil && (rpcenv.Ref{Address: addr, Name: name}).String() != test.uri {
			t.Errorf("%q prints as %s", test.uri, rpcenv.Ref{Address: addr, Name: name})
		}
	}
}

func TestParseMasterURL(t *testing.T) {
	for _, test := range []struct {
		url  string
		want string // by String, joined; "" invalid
	}{
		{"spark://h:7077", "h:7077"},
		{"spark://h1:7077,h2:7078", "h1:7077 h2:7078"},
		{"spark://[::1]:7077", "[::1]:7077"},
		{"", ""},
		{"h:7077", ""},
		{"spark://", ""},
		{"spark://h", ""},
		{"spark://h:0", ""},
		{"spark://h:1,", "h:1"}, // Java's split drops what is empty at the end
		{"spark://h1:1, h2:2", "h1:1 h2:2"},
		{"spark:// h1:1 ,h2:2 ", "h1:1 h2:2"},
		{"spark://h1:1,h2:2,h1:1", "h1:1 h2:2"},
		{"spark://h1:1,,h2:2", ""},
		{"spark://,h2:2", ""},
		{"spark://h 1:1", ""},
		{"spark://h:1,spark://h:2", ""},
		{"spark://Master@h:1", ""},
		{"spark://h:1/x", ""},
		{"spark://h:1?x", ""},
		{"spark://h:1#x", ""},
	} {
		got, err := rpcenv.ParseMasterURL(test.url)
		s := ""
		for i, a := range got {
			if i > 0 {
				s += " "
			}
			s += a.String()
		}
		if s != test.want || (err == nil) != (test.want != "") || err != nil && !errors.Is(err, rpcenv.ErrInvalidURL) {
			t.Errorf("%q: %q %v", test.url, s, err)
		}
		if err != nil && !strings.Contains(err.Error(), "Invalid master URL") {
			t.Errorf("%q: %v", test.url, err)
		}
	}
}

// A list of addresses may have blanks around each and a comma at its end; what is in no address is refused, not tried later.
func TestParseAddresses(t *testing.T) {
	for list, want := range map[string]string{
		"h1:1, h2:2,": "[h1:1 h2:2]", " h1:1": "[h1:1]", "h1:1,h1:1": "[h1:1 h1:1]",
		"": "", ",": "", "h1:1,,h2:2": "", "h1": "", "h1:0": "", "h1:1 h2:2": "", "h\t1:1": "",
	} {
		got, err := rpcenv.ParseAddresses(list)
		if (err == nil) != (want != "") || err == nil && fmt.Sprint(got) != want {
			t.Errorf("%q: %v %v, want %q", list, got, err, want)
		}
	}
	for _, bad := range []string{"yarn:// h:1", "yarn://h:0", "yarn://h:1,h:2"} {
		if at, err := rpcenv.ParseYARNURL(bad); err == nil {
			t.Errorf("%q is taken for %s", bad, at)
		}
	}
}

func TestARefIsAValue(t *testing.T) {
	a := rpcenv.Address{Host: "h", Port: 1}
	m := map[rpcenv.Ref]int{{Address: a, Name: "E"}: 1}
	if m[rpcenv.Ref{Address: a, Name: "E"}] != 1 {
		t.Error("equal Refs are not one key")
	}
	if (rpcenv.Ref{}).Proto() != nil || !(rpcenv.Ref{}).IsZero() {
		t.Error("the zero Ref is nobody")
	}
	if s := (rpcenv.Ref{Name: "E"}).String(); s != "spark-client://E" {
		t.Error(s)
	}
}
