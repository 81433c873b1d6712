// Command chat is a pair of endpoints with messages of their own, which chatpb/chat.proto describes: a Room, and Members that
// hear what the others say. It opens a room and lets two in, over TCP on this machine. Copy it to begin a protocol of your
// own; `make generate` writes chatpb from the proto file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run lets Ada and Bob talk and writes what they hear.
func run(out io.Writer) (err error) {
	host := transport.New(transport.Options{})
	defer func() { err = errors.Join(err, host.Close()) }()
	server, err := rpcenv.New(host, rpcenv.Config{Name: "Server", Listen: rpcenv.Address{Host: "127.0.0.1"}})
	if err != nil {
		return err
	}
	defer server.Close()
	if _, err := server.Register("Room", &room{}); err != nil {
		return err
	}
	room := server.Ref(server.Address(), "Room")

	ada, err := enter(host, room, "Ada", out)
	if err != nil {
		return err
	}
	defer ada.env.Close()
	bob, err := enter(host, room, "Bob", out)
	if err != nil {
		return err
	}
	defer bob.env.Close()
	if err := errors.Join(ada.hears(), ada.says("Hello, Bob!"), ada.hears(), bob.hears()); err != nil {
		return err
	}
	bob.env.Close() // Bob says nothing: the room hears of the end of his connection
	return ada.hears()
}

// visit is a program with a member in it.
type visit struct {
	name   string
	env    *rpcenv.Env
	member rpcenv.Ref
	b      *rpcenv.Blocking // by which the program, which is no endpoint, asks and waits
	out    io.Writer
}

// enter begins a visit, which ends when its Env closes. It returns when the member knows whether the room let it in.
func enter(host rpcenv.Host, room rpcenv.Ref, name string, out io.Writer) (*visit, error) {
	env, err := rpcenv.New(host, rpcenv.Config{Name: name}) // it does not listen: the room reaches it by its connection
	if err != nil {
		return nil, err
	}
	ref, err := env.Register("Member", &member{name: name, room: room})
	if err != nil {
		return nil, err
	}
	v := &visit{name, env, ref, env.Blocking(context.Background()), out}
	return v, v.hears()
}

func (v *visit) says(text string) error { return v.b.Send(v.member, speak{text: text}) }

// hears writes the next line that the member hears.
func (v *visit) hears() error {
	heard, err := rpcenv.AskWait(v.b, v.member, next{})
	if err != nil {
		return fmt.Errorf("%s: %w", v.name, err)
	}
	_, err = fmt.Fprintf(v.out, "%s hears: %s\n", v.name, heard.text)
	return err
}
