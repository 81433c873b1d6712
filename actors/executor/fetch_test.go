package executor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	storagepb "github.com/coherer/coherer/messages/storage"
)

func TestBlocksAreFetchedInOrderAndThoseOfAPlaceTogether(t *testing.T) {
	outputs := []*storagepb.MapStatus{
		at("1", "h1", 1, 10, 5, 0), at("1", "h1", 1, 11, 5, 5), at("1", "h1", 2, 12, 5), at("1", "h2", 2, 13, 5), at("2", "h2", 2, 14, 5),
		at("0", "h0", 1, 15, 5, 5), at("0", "h0", 1, 16, 0, 0), at("0", "h0", 1, 17, 5), at("1", "h1", 1, 18, 5), at("1", "h1", 1, 19),
	}
	for _, c := range []struct {
		reduce, enough int
		asks, gives    []string
	}{
		{
			0, 99,
			[]string{
				"from h1:1 [shuffle_4_10_0 shuffle_4_11_0]", "from h1:2 [shuffle_4_12_0]", "from h2:2 [shuffle_4_13_0]", "from h2:2 [shuffle_4_14_0]",
				"own shuffle_4_15_0", "own shuffle_4_17_0", "from h1:1 [shuffle_4_18_0]",
			},
			[]string{
				"shuffle_4_10_0", "shuffle_4_11_0", "shuffle_4_12_0", "shuffle_4_13_0", "shuffle_4_14_0", "shuffle_4_15_0", "shuffle_4_17_0", "shuffle_4_18_0",
			},
		},
		{1, 99, []string{"from h1:1 [shuffle_4_11_1]", "own shuffle_4_15_1"}, []string{"shuffle_4_11_1", "shuffle_4_15_1"}},
		{2, 99, nil, nil},
		// A reader that has enough gets no more, and nothing more is asked for.
		{0, 1, []string{"from h1:1 [shuffle_4_10_0 shuffle_4_11_0]"}, []string{"shuffle_4_10_0"}},
		{1, 2, []string{"from h1:1 [shuffle_4_11_1]", "own shuffle_4_15_1"}, []string{"shuffle_4_11_1", "shuffle_4_15_1"}},
		{
			0, 6,
			[]string{
				"from h1:1 [shuffle_4_10_0 shuffle_4_11_0]", "from h1:2 [shuffle_4_12_0]", "from h2:2 [shuffle_4_13_0]", "from h2:2 [shuffle_4_14_0]",
				"own shuffle_4_15_0",
			},
			[]string{"shuffle_4_10_0", "shuffle_4_11_0", "shuffle_4_12_0", "shuffle_4_13_0", "shuffle_4_14_0", "shuffle_4_15_0"},
		},
	} {
		o := &outside{}
		var gives []string
		for data, err := range reducer(o, outputs...).fetch(nil, 1, c.reduce) {
			if err != nil {
				t.Errorf("reducer %d: %v", c.reduce, err)
			}
			if gives = append(gives, string(data)); len(gives) == c.enough {
				break
			}
		}
		if !slices.Equal(o.notes, c.asks) || !slices.Equal(gives, c.gives) {
			t.Errorf("reducer %d, %d blocks: asks\n%s\nwant\n%s\ngives %q, want %q", c.reduce, c.enough,
				strings.Join(o.notes, "\n"), strings.Join(c.asks, "\n"), gives, c.gives)
		}
	}
}

func TestAFetchThatFailsNamesTheMapOutput(t *testing.T) {
	gone := errors.New("gone")
	others := []*storagepb.MapStatus{at("1", "h1", 1, 10, 5), at("1", "h1", 1, 11, 0), at("1", "h1", 1, 12, 5), at("1", "h1", 1, 13, 5)}
	own := []*storagepb.MapStatus{at("0", "h0", 1, 10, 5), at("0", "h0", 1, 11, 0), at("0", "h0", 1, 12, 5)}
	for _, c := range []struct {
		name    string
		outputs []*storagepb.MapStatus
		lacks   string
		gives   int
		want    fetchError
	}{
		{"another's first", others, "shuffle_4_10_0", 0, fetchError{4, 0, 0, others[0].GetLocation(), gone}},
		{"another's second that is not empty", others, "shuffle_4_12_0", 1, fetchError{4, 2, 0, others[0].GetLocation(), gone}},
		{"after all of another's", others, "end of shuffle_4_10_0", 3, fetchError{4, 3, 0, others[0].GetLocation(), gone}},
		{"one's own", own, "shuffle_4_12_0", 1, fetchError{4, 2, 0, own[0].GetLocation(), gone}},
		{
			"one that lies nowhere", append(slices.Clone(own), &storagepb.MapStatus{}), "", 2,
			fetchError{4, -1, 0, nil, errors.New("missing an output location for map output 3")},
		},
	} {
		o := &outside{lacks: map[string]error{c.lacks: gone}}
		var got *fetchError
		gives := 0
		outputs := append(slices.Clone(c.outputs), at("3", "h3", 3, 99, 5)) // of which nothing is asked any more
		for _, err := range reducer(o, outputs...).fetch(nil, 1, 0) {
			if err == nil {
				gives++
				continue
			}
			if got != nil || !errors.As(err, &got) {
				t.Errorf("%s: another error, %v", c.name, err)
			}
		}
		if got == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		w := c.want
		if gives != c.gives || got.shuffle != w.shuffle || got.mapIndex != w.mapIndex || got.reduce != w.reduce || !proto.Equal(got.from, w.from) ||
			got.cause.Error() != w.cause.Error() || !errors.Is(got, got.cause) {
			t.Errorf("%s: %d blocks, then %+v, want %d, then %+v", c.name, gives, *got, c.gives, w)
		}
	}
	// The reducer is in it too.
	o := &outside{lacks: map[string]error{"shuffle_4_10_1": gone}}
	for _, err := range reducer(o, at("0", "h0", 1, 10, 5, 5)).fetch(nil, 1, 1) {
		if err == nil || err.Error() != "fetch shuffle 4, map output 0, for reducer 1: gone" {
			t.Errorf("reducer 1: %v", err)
		}
	}
	for _, err := range reducer(o, &storagepb.MapStatus{}).fetch(nil, 1, 1) {
		if err == nil || err.Error() != "fetch shuffle 4, map output -1, for reducer 1: missing an output location for map output 0" {
			t.Errorf("reducer 1: %v", err)
		}
	}
}
