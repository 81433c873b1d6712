package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/oneline"
)

type whyContainerOptions struct {
	output
	ofYARN
}

func whyContainerCommand(s streams) *cobra.Command {
	return newCommand(s, &whyContainerOptions{}, &cobra.Command{
		Use: "container ID", Short: "Explain where a container of YARN stands",
		Long: "Explain where a container of YARN stands: on which node, what a reservation waits for, whether it is to be preempted and for\n" +
			"whom, or how it failed. The ResourceManager forgets containers that ended well.",
		Example: "  coherer why container container_1700000000000_0001_01_000002 --master yarn://127.0.0.1:8032",
		Args:    arguments(1, 1),
	})
}

func (o *whyContainerOptions) flags(f *pflag.FlagSet) {
	o.output.flags(f)
	o.ofYARN.flags(f)
}

func (o *whyContainerOptions) run(ctx context.Context, s streams, args []string) error {
	id, err := ids.ParseContainer(args[0])
	if err != nil {
		return usage(err)
	}
	p, err := askYARN(ctx, o.ofYARN, id.String(), &yarn.RequestContainerPlace{ContainerId: id.Proto()})
	if err != nil {
		return err
	}
	if o.asJSON {
		text, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(p)
		if err != nil {
			return err
		}
		return s.json(json.RawMessage(text))
	}
	_, err = fmt.Fprint(s.out, containerText(id, p))
	return err
}

// containerText is the answer for people.
func containerText(id ids.Container, p *yarn.ContainerPlace) string {
	amount := func(r *yarn.Resource) string {
		return fmt.Sprintf("%d MiB, %d virtual cores", r.GetMemory(), r.GetVirtualCores())
	}
	var b strings.Builder
	oneline.Fprintf(&b, "%s is %s", id, p.GetState())
	if n := p.GetNodeId(); n != nil {
		oneline.Fprintf(&b, " at %s", net.JoinHostPort(n.GetHost(), strconv.Itoa(int(n.GetPort()))))
	}
	if p.GetResource() != nil {
		oneline.Fprintf(&b, ", with %s", amount(p.GetResource()))
	}
	if p.GetApplicationMaster() {
		b.WriteString("; it is the ApplicationMaster of its attempt")
	}
	b.WriteString("\n")
	if p.GetLacks() != nil {
		oneline.Fprintf(&b, "\nreserved: its node has not %s free yet\n  would help: wait until containers there end, or end some\n", amount(p.GetLacks()))
	}
	if p.GetPreemptedFor() != "" {
		oneline.Fprintf(&b, "\npreempted: for %s, in %v\n  would help: give its queue a larger share, or end what it runs beyond it\n", p.GetPreemptedFor(), time.Duration(p.GetPreemptedIn())*time.Millisecond)
	}
	if f := p.GetFailure(); f != nil {
		fmt.Fprintf(&b, "\nfailed: exit %d at %s: %s\n", f.GetExitStatus(), time.UnixMilli(f.GetTimeMs()).Format(time.DateTime), oneline.Lines(f.GetDiagnostics()))
	}
	return b.String()
}
