package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Bounds of scripts and files.
const (
	scriptTime = time.Minute
	fileBytes  = 1 << 20
)

// Resources are those that the settings spark.worker.resource.NAME.amount want, by name: from spark.worker.resourcesFile if it
// has them, else from spark.worker.resource.NAME.discoveryScript. One that has fewer addresses than wanted is an error.
func Resources(ctx context.Context, c *conf.Conf) ([]*deploy.ResourceInformation, error) {
	wanted, err := wantedResources(c)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	given, err := readResourcesFile(known.WorkerResourcesFile.Get(c))
	if err != nil {
		return nil, err
	}
	var out []*deploy.ResourceInformation
	var errs []error
	for _, w := range wanted {
		r, err := w.find(ctx, given)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, r)
	}
	return out, errors.Join(errs...)
}

// want is one resource by the settings.
type want struct {
	name   string
	amount int
	script string
}

var family = known.WorkerResourcePrefix

// wantedResources reads the settings, by name.
func wantedResources(c *conf.Conf) ([]want, error) {
	byName := map[string]*want{}
	var errs []error
	for _, p := range c.Under(family) {
		name, key, ok := strings.Cut(strings.TrimPrefix(p.Key, family), ".")
		if !ok || !plainName(name) {
			errs = append(errs, fmt.Errorf("%s: want %sNAME.amount or %sNAME.discoveryScript", p.Key, family, family))
			continue
		}
		w := byName[name]
		if w == nil {
			w = &want{name: name, amount: -1}
			byName[name] = w
		}
		switch key {
		case "amount":
			n, err := strconv.Atoi(p.Value)
			if err != nil || n < 0 || n > worker.MaxAddresses {
				errs = append(errs, fmt.Errorf("%s = %.40q: want a number from 0 to %d", p.Key, p.Value, worker.MaxAddresses))
			}
			w.amount = n
		case "discoveryScript":
			w.script = p.Value
		}
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []want
	for _, name := range names {
		w := byName[name]
		switch {
		case w.amount < 0 && len(errs) == 0: // an amount that is no number has its error already
			errs = append(errs, fmt.Errorf("%s%s.amount is not set: say how many a worker offers", family, name))
		case w.amount > 0:
			out = append(out, *w)
		}
	}
	return out, errors.Join(errs...)
}

// plainName reports whether a name can stand in a setting, a file's name and a page.
func plainName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// find is the resource of the file, else of the script. Addresses beyond the amount are left out.
func (w want) find(ctx context.Context, given []*deploy.ResourceInformation) (*deploy.ResourceInformation, error) {
	where := "the resources file"
	i := slices.IndexFunc(given, func(r *deploy.ResourceInformation) bool { return r.Name == w.name })
	var r *deploy.ResourceInformation
	switch {
	case i >= 0:
		r = given[i]
	case w.script == "":
		return r, fmt.Errorf("nobody says where the %d of %s%s.amount are: set %s%s.discoveryScript, or name them in %s",
			w.amount, family, w.name, family, w.name, known.WorkerResourcesFile.Key())
	default:
		where = "the script " + w.script
		var err error
		if r, err = discover(ctx, w.name, w.script, scriptTime); err != nil {
			return r, err
		}
	}
	if len(r.Addresses) < w.amount {
		return r, fmt.Errorf("%s has %d of resource %s, fewer than %s%s.amount = %d: lower it, or add some",
			where, len(r.Addresses), w.name, family, w.name, w.amount)
	}
	r.Addresses = r.Addresses[:w.amount]
	return r, nil
}

// discover runs a script, which writes {"name": ..., "addresses": [...]} to its stdout.
func discover(ctx context.Context, name, script string, within time.Duration) (*deploy.ResourceInformation, error) {
	said, err := runScript(ctx, script, within)
	switch {
	case errors.Is(err, errTooLong):
		return nil, fmt.Errorf("the discovery script %s of resource %s did not end within %s", script, name, within)
	case err != nil:
		return nil, fmt.Errorf("the discovery script %s of resource %s: %w", script, name, err)
	case said.over: // the beginning of a JSON value cannot be read
		return nil, fmt.Errorf("the discovery script %s of resource %s says more than %d bytes", script, name, scriptBytes)
	}
	r := &deploy.ResourceInformation{}
	if err := decode(said.kept.Bytes(), r); err != nil {
		return r, fmt.Errorf(`the discovery script %s says %.100q: %w: want {"name": %q, "addresses": ["0", ...]}`, script, said.kept.String(), err, name)
	}
	if r.Name != name { // one script copied for another resource, say
		return r, fmt.Errorf("the discovery script %s of resource %s names %.64q instead", script, name, r.Name)
	}
	return r, worker.CheckResource(r)
}

// decode reads one JSON value with the fields name and addresses.
func decode(text []byte, r *deploy.ResourceInformation) error {
	var v struct {
		Name      *string  `json:"name"`
		Addresses []string `json:"addresses"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if v.Name == nil {
		return errors.New("it has no name")
	}
	r.Name, r.Addresses = *v.Name, v.Addresses
	return nil
}

// readResourcesFile reads the Worker's resources of a file in Spark's form,
// [{"id": {"componentName": "spark.worker", "resourceName": "gpu"}, "addresses": ["0"]}]; "" is no file.
func readResourcesFile(path string) ([]*deploy.ResourceInformation, error) {
	if path == "" {
		return nil, nil
	}
	key := known.WorkerResourcesFile.Key()
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, fileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	if len(text) > fileBytes {
		return nil, fmt.Errorf("%s: %s has more than %d bytes", key, path, fileBytes)
	}
	out, err := worker.ParseResources(worker.WorkerComponent, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", key, path, err)
	}
	return out, nil
}
