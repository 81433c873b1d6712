package rpcenv

import (
	"fmt"
	"strings"
	"testing"
)

func TestProcessURLs(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"yarn://127.0.0.1:8032", "127.0.0.1:8032"},
		{"spark://a:1,b:2", "a:1 b:2"},
		{"yarn://a:1,b:2", ""},
		{"yarn://a", ""},
		{"yarn://", ""},
		{"a:1", ""},
		{"mesos://a:1", ""},
	} {
		all, err := ParseProcessURL(c.url)
		if got := strings.Trim(fmt.Sprint(all), "[]"); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %s %v, want %s", c.url, got, err, c.want)
		}
	}
	a := Address{Host: "::1", Port: 8032}
	for _, text := range []string{a.String(), a.YARNURL()} {
		if got, err := ParseYARNURL(text); got != a || err != nil {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
}
