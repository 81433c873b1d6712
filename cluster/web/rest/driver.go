package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// What a driver gets by default.
const (
	defaultMemoryMB = 1024
	defaultCores    = 1
)

// describe is the driver that a request wants. It mirrors StandaloneSubmitRequestServlet.buildDriverDescription. The program
// gets its settings by the variable that all applications read, besides Spark's -D options.
func (s *server) describe(q *request) (*deploy.DriverDescription, error) {
	properties := map[string]string{}
	for key, value := range q.properties {
		properties[key] = s.replaced(value)
	}
	properties[submit.MasterURL.Key()] = s.masters(properties[submit.MasterURL.Key()])
	if _, err := conf.New(properties, known.All()); err != nil {
		if refused, ok := errors.AsType[*conf.ProtectionError](err); ok { // other malformed values fail the driver, as in Spark
			return nil, malformed("sparkProperties: %v", refused)
		}
	}
	d := driverclient.Driver{
		Program: q.resource, MainClass: q.mainClass, Args: q.args, Env: map[string]string{},
		Cores: defaultCores, MemoryMB: defaultMemoryMB, Supervise: strings.EqualFold(properties["spark.driver.supervise"], "true"),
	}
	if q.resource == driverclient.SparkInternal { // an application of the Worker's own program
		d.Args = append([]string{"driver", q.mainClass}, q.args...)
	}
	for name, value := range q.environment {
		if name != "SPARK_LOCAL_IP" && name != "SPARK_LOCAL_HOSTNAME" { // they belong to the machine of the submission
			d.Env[name] = s.replaced(value)
		}
	}
	if v := properties["spark.driver.cores"]; v != "" {
		n, _ := strconv.ParseInt(v, 10, 32) // checked by validate, but for placeholders: then 0, which the Master refuses
		d.Cores = int(n)
	}
	if v := properties["spark.driver.memory"]; v != "" {
		d.MemoryMB, _ = conf.ParseMemoryMB(v)
	}
	var err error
	if d.Resources, err = resources(properties); err != nil {
		return nil, err
	}
	submission, err := json.Marshal(app.Submission{Name: properties[submit.AppName.Key()], Conf: properties})
	if err != nil {
		return nil, err
	}
	d.Env[app.SubmissionVar] = string(submission)
	out := d.Describe()
	// Spark's Workers would read these; sorted, so that a submission gives the same message each time.
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		out.Command.JavaOpts = append(out.Command.JavaOpts, "-D"+key+"="+properties[key])
	}
	return out, nil
}

// masters is a driver's spark.master: that of the request, with the RPC port in place of this server's port, else this Master.
func (s *server) masters(wanted string) string {
	own := s.cfg.Master.Address
	if own.Port == 0 {
		own = s.cfg.Env.Address()
	}
	if wanted == "" {
		return own.SparkURL()
	}
	// The comma keeps :6066 from being found in :60661. Like Spark this takes all Masters to have the same two ports.
	rest, rpc := fmt.Sprintf(":%d,", s.cfg.Port), fmt.Sprintf(":%d,", own.Port)
	return strings.TrimSuffix(strings.ReplaceAll(wanted+",", rest, rpc), ",")
}

// resources are the driver's demands by spark.driver.resource.NAME.amount.
func resources(properties map[string]string) (out []*deploy.ResourceRequirement, err error) {
	const prefix, suffix = "spark.driver.resource.", ".amount"
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		name, ok := strings.CutPrefix(key, prefix)
		name, amount := strings.CutSuffix(name, suffix)
		if !ok || !amount || name == "" {
			continue
		}
		n, err := strconv.ParseInt(properties[key], 10, 32)
		if err != nil || n < 0 {
			return nil, malformed("the property %s is %.200q: want a whole number", key, properties[key])
		}
		if n > 0 {
			out = append(out, &deploy.ResourceRequirement{Name: name, Amount: int32(n)})
		}
	}
	return out, nil
}

// placeholder is a value that stands for a variable of the Master's environment.
var placeholder = regexp.MustCompile(`^\{\{(.+)\}\}$`)

// replaced is a value, or the variable of the Master's environment that it names as a whole. It mirrors
// StandaloneSubmitRequestServlet.replacePlaceHolder.
func (s *server) replaced(value string) string {
	m := placeholder.FindStringSubmatch(value)
	if m == nil || s.cfg.Getenv == nil || rpcenv.Redact(s.cfg.Conf, m[1], "") == rpcenv.Redacted {
		return value
	}
	if v, ok := s.cfg.Getenv(m[1]); ok {
		return v
	}
	return value
}
