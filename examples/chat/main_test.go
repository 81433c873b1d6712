package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/examples/chat/chatpb"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

// The whole program, over TCP.
func Example() {
	if err := run(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Ada hears: in the room: []
	// Bob hears: in the room: [Ada]
	// Ada hears: Bob comes in
	// Ada hears: Ada: Hello, Bob!
	// Bob hears: Ada: Hello, Bob!
	// Ada hears: Bob is gone
}

// Each endpoint alone, in a simulated world: the scripts have the messages to it and what follows.
func TestRoom(t *testing.T) {
	script.Run(t, "testdata/room.txt", func(w *rpctest.World) script.Subject {
		w.Probe("Ada")
		w.Probe("Bob")
		return script.Subject{Ref: w.Register(w.Env("Server", nil), "Room", &room{})}
	})
}

func TestMember(t *testing.T) {
	for _, path := range []string{"testdata/member.txt", "testdata/refused.txt"} {
		script.Run(t, path, func(w *rpctest.World) script.Subject {
			ada := &member{name: "Ada", room: w.Probe("Room").Ref}
			return script.Subject{
				Ref:   w.Register(w.Env("Ada", nil), "Member", ada),
				State: func(string) string { return strings.Join(ada.heard, "\n") },
			}
		})
	}
}

// The same in Go, where a script is not enough.
func TestANameThatIsTaken(t *testing.T) {
	w := rpctest.New(t, 1)
	ref := w.Register(w.Env("Server", nil), "Room", &room{})
	ada, other := w.Probe("Ada"), w.Probe("Other")
	join := &chatpb.Join{Name: "Ada", Member: ada.Ref.Proto()}
	if _, err := rpctest.Ask[*chatpb.Joined](ada, ref, join); err != nil {
		t.Fatal(err)
	}
	if _, err := rpctest.Ask[*chatpb.Joined](other, ref, join); !errors.Is(err, errNameTaken) {
		t.Errorf("the name is taken: error %v", err)
	}
	other.Send(ref, &chatpb.Say{Text: "I am not in"})
	ada.Quiet(time.Minute)
}
