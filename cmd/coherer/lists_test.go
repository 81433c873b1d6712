package main

import (
	"slices"
	"testing"
)

// Blanks and commas at the end of a list are no part of its items.
func TestListsAreTrimmed(t *testing.T) {
	if got, err := addresses("--join", "127.0.0.1:1, 127.0.0.1:2,"); err != nil || !slices.Equal(got, []string{"127.0.0.1:1", "127.0.0.1:2"}) {
		t.Errorf("%q %v", got, err)
	}
}
