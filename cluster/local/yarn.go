package local

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// YARN is the part of a World for ResourceManagers, NodeManagers and applications on them: the files that all machines see, and
// the processes of containers. The application's program is a built-in one.
type YARN struct {
	world    World
	files    *yarnFiles
	programs map[string]builtin.Program
	blocks   *blockTable

	// Ring, if set, has ApplicationMasters as members.
	Ring *Ring

	observer  *Observer // in a simulation; else nil
	contained []contained
}

// NewYARN lets NodeManagers of a World start containers: application masters, called by their application's name in cluster
// mode and AM in client mode, and executors.
func NewYARN(w World, programs map[string]builtin.Program) *YARN {
	y := &YARN{world: w, files: newYARNFiles(), programs: programs, blocks: w.blocks()}
	w.SetRole(nodemanager.ContainerClass, y.nameOf, y.start)
	w.Tie(nodemanager.ContainerClass)
	return y
}

// ResourceManager starts a ResourceManager.
func (y *YARN) ResourceManager(h rpcenv.Host, env rpcenv.Config, cfg resourcemanager.Config) (*node.Node, error) {
	var err error
	if cfg.Keys, err = resourcemanager.NewKeys(entropy(h)); err != nil {
		return nil, err
	}
	return node.ResourceManager(h, env, cfg)
}

// entropy is a source of random bytes that a simulation's seed decides.
func entropy(h rpcenv.Host) *rand.ChaCha8 {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], h.Entropy("keys"))
	return rand.NewChaCha8(seed)
}

// NodeManager starts a NodeManager, whose containers are processes of the World.
func (y *YARN) NodeManager(h rpcenv.Host, env rpcenv.Config, cfg nodemanager.Config) (*node.Node, error) {
	cfg.Localizer, cfg.Containers = localizer{y.files}, containers{y.files}
	if nodemanager.RunsShuffleService(env.Conf) {
		cfg.ShuffleOutputs = shuffleOutputsOf(y.world, h, env.Listen.Host)
	}
	return node.NodeManager(h, env, cfg)
}

// Submit starts a process, called name, that submits a built-in program in cluster mode and ends with the application, which
// is called app.
func (y *YARN) Submit(name, app, program string, args []string, rm rpcenv.Address, c *conf.Conf) error {
	if y.programs[program] == nil {
		return fmt.Errorf("no program is called %s", program)
	}
	return StartClient(y.world, name, c, yarnclient.Name, yarnclient.New(yarnclient.Config{ResourceManager: rm, Submit: &yarnclient.Submission{
		Mode: submit.Cluster, Name: app, User: user, Program: "/bin/" + program, Class: program, Args: args, Files: staging{y.files},
	}}))
}

// user is the submitter of all applications in a World.
const user = "user"

// ClientMode is the submission of a driver in client mode.
func (y *YARN) ClientMode(app, program string) *yarnclient.Submission {
	return &yarnclient.Submission{
		Mode: submit.Client, Name: app, User: user, Program: "/bin/" + program, Library: "/bin/coherer", Files: staging{y.files},
	}
}

// nameOf is the name of a container's process.
func (y *YARN) nameOf(cmd rpcenv.Command) string {
	switch role := roleOf(cmd); role {
	case submit.ApplicationMasterWord:
		if x, err := y.master(cmd); err == nil {
			if name := submit.AppName.Get(x.Env.Conf); name != "" {
				return name
			}
		}
		return "AM?"
	case submit.ExecutorLauncherWord:
		return "AM"
	case submit.ExecutorWord:
		return executorName(rpcenv.Command{Args: cmd.Args[2:]})
	default:
		return role + "?"
	}
}

// roleOf is the word for the role of a container's process.
func roleOf(cmd rpcenv.Command) string {
	if len(cmd.Args) < 2 {
		return ""
	}
	return cmd.Args[1]
}

// nodeManagerOf is where the NodeManager of a container is.
func nodeManagerOf(cmd rpcenv.Command) (at rpcenv.Address) {
	for _, entry := range cmd.Env {
		if host, ok := strings.CutPrefix(entry, "NM_HOST="); ok {
			at.Host = host
		}
		if port, ok := strings.CutPrefix(entry, "NM_PORT="); ok {
			at.Port = number(port)
		}
	}
	return at
}

// start starts a container's process.
func (y *YARN) start(h rpcenv.Host, cmd rpcenv.Command) error {
	if y.observer != nil {
		y.started(h, cmd)
	}
	switch role := roleOf(cmd); role {
	case submit.ApplicationMasterWord, submit.ExecutorLauncherWord:
		return y.startMaster(h, cmd)
	case submit.ExecutorWord:
		args, err := executor.ParseArgs(cmd.Args[2:])
		if err != nil {
			return err
		}
		return y.blocks.runAt(h, args, nodeManagerOf(cmd))
	default:
		return fmt.Errorf("no process of a container is called %q: the command is %s", role, strings.Join(cmd.Args, " "))
	}
}
