package rdd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The properties of jobs that have a meaning, by Spark's keys (SparkContext's local properties).
const (
	// PropertyJobGroup names the group of a job, see WithJobGroup.
	PropertyJobGroup = "spark.jobGroup.id"
	// PropertyDescription says for people what a job is for.
	PropertyDescription = "spark.job.description"
	// PropertyPool names the pool of a job, see WithPool.
	PropertyPool = "spark.scheduler.pool"
	// PropertyJobTags are the tags of a job, with commas between them, see WithJobTag.
	PropertyJobTags = "spark.job.tags"
	// PropertyInterrupt: true asks executors to interrupt the threads of tasks that are killed. It travels, and changes nothing in Go.
	PropertyInterrupt = "spark.job.interruptOnCancel"
)

// jobKey is the key of a context's properties.
type jobKey struct{}

// jobProperties are those of the jobs that a context is given to. They do not change.
type jobProperties struct {
	values map[string]string
	err    error // why no job can have them
}

func propertiesOf(ctx context.Context) jobProperties {
	p, _ := ctx.Value(jobKey{}).(jobProperties)
	return p
}

// WithProperty is ctx whose jobs have a property, as SparkContext.setLocalProperty sets it for the jobs of a thread. An empty
// value takes the property away. Keys without a meaning travel with the job's events.
func WithProperty(ctx context.Context, key, value string) context.Context {
	p := propertiesOf(ctx)
	p.values = maps.Clone(p.values)
	switch {
	case value == "":
		delete(p.values, key)
	case p.values == nil:
		p.values = map[string]string{key: value}
	default:
		p.values[key] = value
	}
	return context.WithValue(ctx, jobKey{}, p)
}

// WithJobGroup is ctx whose jobs belong to a group, which can be cancelled as one, and have a description for people
// (SparkContext.setJobGroup).
func WithJobGroup(ctx context.Context, id, description string) context.Context {
	return WithProperty(WithProperty(ctx, PropertyJobGroup, id), PropertyDescription, description)
}

// WithPool is ctx whose jobs are in a pool: with spark.scheduler.mode FAIR jobs get cores by the shares of their pools. A pool that
// spark.scheduler.allocation.file lacks is made with the defaults; an empty name is the pool "default". With FIFO it has no effect.
func WithPool(ctx context.Context, name string) context.Context {
	return WithProperty(ctx, PropertyPool, name)
}

// WithJobTag is ctx whose jobs have one more tag; all jobs with a tag can be cancelled as one (SparkContext.addJobTag). A tag that
// is empty or has a comma makes the jobs fail.
func WithJobTag(ctx context.Context, tag string) context.Context {
	p := propertiesOf(ctx)
	if err := CheckJobTag(tag); err != nil {
		p.err = err
		return context.WithValue(ctx, jobKey{}, p)
	}
	tags := JobTags(p.values)
	if slices.Contains(tags, tag) {
		return ctx
	}
	return WithProperty(ctx, PropertyJobTags, strings.Join(append(tags, tag), ","))
}

// JobTags are the tags among the properties of a job.
func JobTags(properties map[string]string) []string {
	var tags []string
	for tag := range strings.SplitSeq(properties[PropertyJobTags], ",") {
		if tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// CheckJobTag says what is wrong with a tag.
func CheckJobTag(tag string) error {
	switch {
	case tag == "":
		return fmt.Errorf("%w: a job tag is empty: name one", ErrBadJob)
	case strings.Contains(tag, ","):
		return fmt.Errorf("%w: job tag %q has a comma, which separates tags: use another character", ErrBadJob, tag)
	}
	return nil
}
