package rpcenv_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// parsed is an address, or the error's text.
func parsed(a any, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(a)
}

func TestAnAddressThatIsNoneSaysWhy(t *testing.T) {
	const port = "want HOST:PORT with a port from 0 to 65535"
	for text, want := range map[string]string{
		"h:0": "h:0", "h:65535": "h:65535", "[fe80::1]:7077": "[fe80::1]:7077", "~!$%&*+=:1": "~!$%&*+=:1",
		"h:65536": `address "h:65536": ` + port,
		"h:-1":    `address "h:-1": ` + port,
		"h:":      `address "h:": ` + port,
		":1":      `address ":1": ` + port,
		"h":       `address "h": want HOST:PORT: address h: missing port in address`,
		"h:1:2":   `address "h:1:2": want HOST:PORT: address h:1:2: too many colons in address`,
		"h h:1":   `address "h h:1": want HOST:PORT, and ' ' is in no name of a host`,
		"h\x1f:1": `address "h\x1f:1": want HOST:PORT, and '\x1f' is in no name of a host`,
		"h/x:1":   `address "h/x:1": want HOST:PORT, and '/' is in no name of a host`,
		"@h:1":    `address "@h:1": want HOST:PORT, and '@' is in no name of a host`,
	} {
		if got := parsed(rpcenv.ParseAddress(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for _, r := range `/?#@,"'` {
		if a, err := rpcenv.ParseAddress("a" + string(r) + ":1"); err == nil {
			t.Errorf("%q is taken for a host", a.Host)
		}
	}
}

func TestAListOfAddressesSaysWhichIsNone(t *testing.T) {
	for list, want := range map[string]string{
		"h:1,\th:2 ,\n": "[h:1 h:2]",
		"":              `"": an address is missing: want HOST:PORT[,HOST:PORT...]`,
		"h:1,,h:2":      `"h:1,,h:2": an address is missing: want HOST:PORT[,HOST:PORT...]`,
		"h:1,h":         `address "h": want HOST:PORT: address h: missing port in address`,
		"h:1, h:0":      `address "h:0": want the port that its daemon listens at`,
	} {
		if got := parsed(rpcenv.ParseAddresses(list)); got != want {
			t.Errorf("%q: %s, want %s", list, got, want)
		}
	}
}

func TestAURLOfADaemonIsReadByItsScheme(t *testing.T) {
	const invalid, masters, manager = "rpcenv: invalid URL: Invalid master URL: ", "want spark://HOST:PORT[,HOST:PORT...]", "want yarn://HOST:PORT of the ResourceManager"
	for url, want := range map[string]string{
		"spark://h:1,i:2": "[h:1 i:2]",
		"yarn://h:8032":   "[h:8032]",
		"h:8032":          invalid + `"h:8032": ` + masters,
		"http://h:1":      invalid + `"http://h:1": ` + masters,
		"spark://":        invalid + `"spark://": ` + masters + `: "": an address is missing: want HOST:PORT[,HOST:PORT...]`,
		"yarn://h:0":      `address "yarn://h:0" has port 0: ` + manager,
		"yarn://h":        `address "h": want HOST:PORT: address h: missing port in address: ` + manager,
	} {
		if got := parsed(rpcenv.ParseProcessURL(url)); got != want {
			t.Errorf("%q: %s, want %s", url, got, want)
		}
		if _, known := map[string]bool{"h:8032": true, "http://h:1": true}[url]; rpcenv.IsProcessURL(url) == known {
			t.Errorf("%q names a process: %v", url, !known)
		}
	}
	if got := parsed(rpcenv.ParseYARNURL("h:8032")); got != "h:8032" {
		t.Error("as in settings of YARN:", got)
	}
	if got := (rpcenv.Address{Host: "h", Port: 8032}).YARNURL(); got != "yarn://h:8032" {
		t.Error(got)
	}
}

func TestAnAddressTravelsInMessages(t *testing.T) {
	a := rpcenv.Address{Host: "h", Port: 7077}
	if p := a.Proto(); p.GetHost() != "h" || p.GetPort() != 7077 || rpcenv.AddressOf(p) != a {
		t.Error(p)
	}
	var none rpcenv.Address
	if none.Proto() != nil || rpcenv.AddressOf(nil) != none || none.String() != "" || !none.IsZero() || a.IsZero() {
		t.Error("the zero Address is none")
	}
	if ref := (rpcenv.Ref{Address: a, Name: "E"}).Proto(); ref.GetName() != "E" || ref.GetAddress().GetPort() != 7077 || ref.GetConnection() != 0 {
		t.Error(ref)
	}
}

func TestAURLThatIsNoneNamesItself(t *testing.T) {
	for url, want := range map[string]string{
		"h://i:1/x":        "i:1",
		"http://h/":        `rpcenv: invalid URL: "http://h/" names no host and port: address "h": want HOST:PORT: address h: missing port in address`,
		"spark://h:1/%2":   `rpcenv: invalid URL: "spark://h:1/%2": parse "spark://h:1/%2": invalid URL escape "%2"`,
		"spark://E@h:1":    "h:1",
		"spark://E:x@h:1/": "h:1",
	} {
		if got := parsed(rpcenv.AddressOfURL(url)); got != want {
			t.Errorf("%q: %s, want %s", url, got, want)
		}
	}
	if _, _, err := rpcenv.ParseURI("spark://E"); err == nil || err.Error() != "rpcenv: invalid URL: Invalid Spark URL: spark://E: want spark://NAME@HOST:PORT" {
		t.Error(err)
	}
	if _, _, err := rpcenv.ParseFileURI("spark://h:1/"); err == nil || err.Error() != "rpcenv: invalid URL: Invalid file URL: spark://h:1/: want spark://HOST:PORT/PATH" {
		t.Error(err)
	}
	if a, path, err := rpcenv.ParseFileURI("spark://h:1/x"); err != nil || a.Port != 1 || path != "/x" {
		t.Error(a, path, err)
	}
	if _, name, err := rpcenv.ParseURI("spark://a:@h:1"); err != nil || name != "a:" {
		t.Errorf("%q %v", name, err)
	}
}

// A client's reference has no address, and its text no connection.
func TestARefOfAClientTravelsByItsConnection(t *testing.T) {
	w := inSim(t)
	a, k := w.env("A"), w.client("K")
	ref := w.register(a, "E", double(w))
	own := w.register(k, "C", double(w))
	w.say(k, ref, "hello")
	w.await("hello")
	to := a.Clients("C")[0]
	p := to.Proto()
	if p.GetName() != "C" || p.GetAddress() != nil || p.GetConnection() == 0 || to.String() != "spark-client://C" || to.Address.IsZero() {
		t.Error(p, to)
	}
	w.in(a, w.register(a, "Reader", doer()), func(c *rpcenv.Context) {
		if got := c.Ref(p); got != to {
			t.Errorf("at the other end: %v, want %v", got, to)
		}
	})
	w.in(k, w.register(k, "Reader", doer()), func(c *rpcenv.Context) {
		for _, test := range []struct {
			p    *rpc.EndpointRef
			want rpcenv.Ref
		}{
			{p, own},
			{&rpc.EndpointRef{Name: "X"}, rpcenv.Ref{Name: "X"}},
			{ref.Proto(), ref},
		} {
			if got := c.Ref(test.p); got != test.want {
				t.Errorf("%v is %v, want %v", test.p, got, test.want)
			}
		}
		if got := c.Ref(&rpc.EndpointRef{Name: "C", Connection: 7}); got.String() != "spark-client://C" || !got.Address.IsZero() {
			t.Error("of no connection of this Env:", got)
		}
	})
	if got := strings.Join(strings.Fields(fmt.Sprint(a.Clients("C"), a.Clients("D"))), ""); got != "[spark-client://C][spark-client://D]" {
		t.Error(got)
	}
}
