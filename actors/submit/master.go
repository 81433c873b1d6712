//coherer:pure

package submit

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/coherer/coherer/rpcenv"
)

// Manager is a kind of cluster.
type Manager int

// The managers, as bits, since rules are for several.
const (
	// Local runs driver and executors in one process; a Spark Connect server counts as local too.
	Local Manager = 1 << iota
	// Standalone is a cluster of Masters and Workers.
	Standalone
	// YARN is Hadoop's.
	YARN
	// Kubernetes is Kubernetes'.
	Kubernetes

	allManagers = Local | Standalone | YARN | Kubernetes
)

// String is a word for the manager.
func (m Manager) String() string {
	switch m {
	case Local:
		return "local"
	case Standalone:
		return "standalone"
	case YARN:
		return "yarn"
	case Kubernetes:
		return "k8s"
	}
	return "several"
}

// managerOf is the manager that a master URL asks for: by its beginning alone, as spark-submit decides.
func managerOf(master string) (Manager, error) {
	switch {
	case master == "yarn":
		return YARN, nil
	case strings.HasPrefix(master, "spark"):
		return Standalone, nil
	case strings.HasPrefix(master, "k8s"):
		return Kubernetes, nil
	case strings.HasPrefix(master, "local"):
		return Local, nil
	}
	return 0, fmt.Errorf("Master must either be yarn or start with spark, k8s, or local, not %q", master)
}

// IsLocal reports whether a master URL is local, local[N] or local[N,FAILURES]: driver and executor in one process. It mirrors
// Utils.isLocalMaster.
func IsLocal(master string) bool { return master == "local" || strings.HasPrefix(master, "local[") }

// Master is a master URL that was taken apart.
type Master struct {
	Manager Manager
	// Threads of local: 0 for one per core. MaxFailures of a task, 1 unless said.
	Threads, MaxFailures int
	// Workers, Cores and MemoryMB of each are local-cluster's; Workers is 0 for the rest of local.
	Workers, Cores, MemoryMB int
	// Masters are those of a standalone cluster.
	Masters []rpcenv.Address
	// API is the address of Kubernetes' server.
	API string
}

// The forms of local masters. They mirror SparkMasterRegex.
var (
	localN        = regexp.MustCompile(`^local\[([0-9]+|\*)\]$`)
	localFailures = regexp.MustCompile(`^local\[([0-9]+|\*)\s*,\s*([0-9]+)\]$`)
	localCluster  = regexp.MustCompile(`^local-cluster\[\s*([0-9]+)\s*,\s*([0-9]+)\s*,\s*([0-9]+)\s*\]$`)
)

// ParseMaster takes a master URL apart as the driver does, which is stricter than managerOf. It mirrors
// SparkContext.createTaskScheduler and Utils.checkAndGetK8sMasterUrl.
func ParseMaster(master string) (Master, error) {
	manager, err := managerOf(master)
	m := Master{Manager: manager}
	switch manager {
	case Standalone:
		m.Masters, err = rpcenv.ParseMasterURL(master)
	case Kubernetes:
		m.API, err = kubernetesAPI(master)
	case Local:
		err = m.local(master)
	}
	return m, err
}

// local takes the forms of local apart.
func (m *Master) local(master string) error {
	m.MaxFailures = 1
	if master == "local" {
		m.Threads = 1
		return nil
	}
	if parts := localCluster.FindStringSubmatch(master); parts != nil {
		return numbers(master, parts[1:], &m.Workers, &m.Cores, &m.MemoryMB)
	}
	parts := localN.FindStringSubmatch(master)
	if parts == nil {
		parts = localFailures.FindStringSubmatch(master)
	}
	if parts == nil {
		return fmt.Errorf("Could not parse Master URL: '%s': want local, local[N], local[*], local[N,FAILURES] or local-cluster[WORKERS,CORES,MEMORY]", master)
	}
	if err := numbers(master, parts[2:], &m.MaxFailures); err != nil {
		return err
	}
	if parts[1] == "*" {
		return nil
	}
	if err := numbers(master, parts[1:2], &m.Threads); err != nil {
		return err
	}
	return nil
}

// numbers reads the numbers of a master URL, each at least 1.
func numbers(master string, texts []string, into ...*int) error {
	for i, text := range texts {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 {
			return fmt.Errorf("%s: %s is no number of at least 1", master, text)
		}
		*into[i] = int(n)
	}
	return nil
}

// kubernetesAPI is the address behind k8s://, with https when it names no scheme.
func kubernetesAPI(master string) (string, error) {
	rest, ok := strings.CutPrefix(master, "k8s://")
	if !ok {
		return "", errors.New("Kubernetes master URL must start with k8s://.")
	}
	if !strings.Contains(rest, "://") {
		return "https://" + rest, nil
	}
	u, err := url.Parse(rest)
	if err != nil {
		return "", fmt.Errorf("Kubernetes master URL %q: %w", master, err)
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("Invalid Kubernetes master scheme: %s in Kubernetes master URL.", u.Scheme)
	}
	return rest, nil
}
