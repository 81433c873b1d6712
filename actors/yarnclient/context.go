//coherer:pure

package yarnclient

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/conf"
)

// StagingVar has the URI of the staging directory for the ApplicationMaster, UserVar the user that submitted the application.
const (
	StagingVar = "SPARK_YARN_STAGING_DIR"
	UserVar    = "SPARK_USER"
)

// verify fails when a container of the application would be larger than the cluster allows. It mirrors Client.verifyClusterResources.
func verify(c *conf.Conf, mode submit.Mode, most *yarn.Resource) error {
	const advice = "Please check the values of 'yarn.scheduler.maximum-allocation-mb' and/or 'yarn.nodemanager.resource.memory-mb'."
	executor, am := submit.ExecutorContainer(c, false), submit.AMContainer(c, mode)
	if executor.MemoryMB() > most.GetMemory() {
		return fmt.Errorf("Required executor memory (%d MB), and what is beside it (%d MB), is above the max threshold (%d MB) of this cluster! %s",
			executor.HeapMB, executor.OverheadMB, most.GetMemory(), advice)
	}
	if am.MemoryMB() > most.GetMemory() {
		return fmt.Errorf("Required AM memory (%d+%d MB) is above the max threshold (%d MB) of this cluster! %s",
			am.HeapMB, am.OverheadMB, most.GetMemory(), advice)
	}
	return nil
}

// submissionContext is the content of the submission. It mirrors Client.createApplicationSubmissionContext.
func (s *Submission) submissionContext(c *conf.Conf, id ids.Application, launch *yarn.ContainerLaunchContext) *yarn.ApplicationSubmissionContext {
	size := submit.AMContainer(c, s.Mode)
	want := &yarn.Resource{Memory: size.MemoryMB(), VirtualCores: int32(size.Cores)}
	name := s.Name
	if name == "" {
		name = "Spark"
	}
	out := &yarn.ApplicationSubmissionContext{
		ApplicationId: id.Proto(), ApplicationName: name, Queue: submit.YARNQueue.Get(c), AmContainerSpec: launch,
		MaxAppAttempts: int32(submit.YARNMaxAppAttempts.Get(c)), ApplicationType: submit.YARNApplicationType.Get(c),
		ApplicationTags: yarnTags.Get(c), AttemptFailuresValidityInterval: -1, User: s.User,
	}
	if d, set := yarnAttemptFailuresValidityInterval.Find(c); set {
		out.AttemptFailuresValidityInterval = d.Milliseconds()
	}
	if p, set := yarnPriority.Find(c); set {
		out.Priority = &yarn.Priority{Priority: int32(p)}
	}
	if label := yarnAMNodeLabelExpression.Get(c); label != "" {
		// A label needs a whole request; YARN takes either this or Resource.
		out.AmContainerResourceRequest = []*yarn.ResourceRequest{{
			Priority: &yarn.Priority{}, ResourceName: "*", Capability: want, NumContainers: 1, NodeLabelExpression: label,
		}}
	} else {
		out.Resource = want
	}
	return out
}

// launchContext is how the ApplicationMaster is started. It mirrors Client.createContainerLaunchContext.
func (s *Submission) launchContext(c *conf.Conf, stagingDir string, resources []distcache.Entry) (*yarn.ContainerLaunchContext, error) {
	out := &yarn.ContainerLaunchContext{Environment: s.environment(c, stagingDir)}
	var err error
	if out.LocalResources, err = distcache.Resources(resources); err != nil {
		return nil, err
	}
	args := s.Args
	if s.Mode == submit.Client {
		args = []string{s.Driver.String()}
	}
	out.Command = []string{submit.ProgramCommand(s.Mode, s.Class, s.Jar, args)}
	return out, nil
}

// environment are the variables of the ApplicationMaster, sorted.
func (s *Submission) environment(c *conf.Conf, stagingDir string) []*yarn.StringStringMap {
	const own = "spark.yarn.appMasterEnv."
	size := submit.AMContainer(c, s.Mode)
	vars := []conf.Pair{
		{Key: "GOMAXPROCS", Value: strconv.Itoa(size.Cores)},
		{Key: "GOMEMLIMIT", Value: strconv.FormatInt(size.HeapMB, 10) + "MiB"},
		{Key: StagingVar, Value: stagingDir},
		{Key: UserVar, Value: s.User},
	}
	for _, p := range c.Under(own) {
		name := strings.TrimPrefix(p.Key, own)
		// The user's value replaces ours: a variable must not come twice.
		vars = slices.DeleteFunc(vars, func(v conf.Pair) bool { return v.Key == name })
		vars = append(vars, conf.Pair{Key: name, Value: p.Value})
	}
	slices.SortFunc(vars, func(a, b conf.Pair) int { return strings.Compare(a.Key, b.Key) })
	var out []*yarn.StringStringMap
	for _, v := range vars {
		out = append(out, &yarn.StringStringMap{Key: v.Key, Value: v.Value})
	}
	return out
}
