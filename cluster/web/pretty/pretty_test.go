package pretty_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/coherer/coherer/cluster/web/pretty"
)

func Example() {
	text, err := pretty.Marshal(pretty.Object{
		{"url", "spark://h:7077"},
		{"workers", pretty.Array{pretty.Object{{"id", "w1"}, {"cores", 4}}, pretty.Object{{"id", "<w2>"}, {"cores", int32(2)}}}},
		{"resources", pretty.Array{pretty.Object{}}},
		{"apps", pretty.Array{}},
		{"unknownFields", []string{"a", "b"}},
		{"time", int64(1795855610875)},
		{"success", true},
	})
	fmt.Println(string(text), err)
	// Output:
	// {
	//   "url" : "spark://h:7077",
	//   "workers" : [ {
	//     "id" : "w1",
	//     "cores" : 4
	//   }, {
	//     "id" : "<w2>",
	//     "cores" : 2
	//   } ],
	//   "resources" : [ { } ],
	//   "apps" : [ ],
	//   "unknownFields" : [ "a", "b" ],
	//   "time" : 1795855610875,
	//   "success" : true
	// } <nil>
}

func TestAnyTextStaysItself(t *testing.T) {
	for _, s := range []string{"", "a\"b\\c", "\x00\x1f\u2028", "</script>", "\xff broken", "ü 日本"} {
		text, err := pretty.Marshal(pretty.Object{{s, s}})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for k, v := range got {
			if k != v || k != string([]rune(s)) {
				t.Errorf("%q became %q", s, v)
			}
		}
	}
}

func TestOtherTypesAreRefused(t *testing.T) {
	if text, err := pretty.Marshal(pretty.Object{{"a", pretty.Array{1.5}}}); err == nil {
		t.Errorf("%s", text)
	}
}
