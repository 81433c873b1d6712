//coherer:pure

// Package distcache has the files that an application on YARN staged, as its settings list them: a client writes them, an
// ApplicationMaster reads them and gives every executor the same files. It mirrors the settings spark.yarn.cache.* of
// org.apache.spark.deploy.yarn.ClientDistributedCacheManager.
package distcache

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Entry is one staged file.
type Entry struct {
	// Link is its name in a container's directory; it may have parents, and stays in the directory.
	Link string
	// URI is where it lies, as file:/path.
	URI string
	// Size in bytes and Timestamp, its modification in milliseconds since 1970, are those of the staged copy: another file
	// fails the container.
	Size, Timestamp int64
	Type            yarn.LocalResourceType
	Visibility      yarn.LocalResourceVisibility
}

// The settings, lists of equal length.
const (
	filenames    = "spark.yarn.cache.filenames"
	sizes        = "spark.yarn.cache.sizes"
	timestamps   = "spark.yarn.cache.timestamps"
	visibilities = "spark.yarn.cache.visibilities"
	types        = "spark.yarn.cache.types"
	// ConfArchive is the setting that says where the archive of settings lies.
	ConfArchive = "spark.yarn.cache.confArchive"
)

// most bounds how many files an application stages.
const most = 10000

// Settings are the entries as settings, in the order of their keys.
func Settings(entries []Entry) []conf.Pair {
	var lists [5][]string
	for _, e := range entries {
		// A comma separates the entries of a list, so none may be in one.
		uri := strings.ReplaceAll(e.URI, ",", "%2C") + "#" + (&url.URL{Fragment: e.Link}).EscapedFragment()
		lists[0] = append(lists[0], strings.ReplaceAll(uri, ",", "%2C"))
		lists[1] = append(lists[1], strconv.FormatInt(e.Size, 10))
		lists[2] = append(lists[2], strconv.FormatInt(e.Timestamp, 10))
		lists[3] = append(lists[3], e.Type.String())
		lists[4] = append(lists[4], e.Visibility.String())
	}
	var out []conf.Pair
	for i, key := range []string{filenames, sizes, timestamps, types, visibilities} {
		out = append(out, conf.Pair{Key: key, Value: strings.Join(lists[i], ",")})
	}
	slices.SortFunc(out, func(a, b conf.Pair) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Entries are the entries in settings that [Settings] wrote. It fails when they were changed.
func Entries(settings map[string]string) ([]Entry, error) {
	names := list(settings[filenames])
	columns := [][]string{names}
	for _, key := range []string{sizes, timestamps, types, visibilities} {
		column := list(settings[key])
		if len(column) != len(names) {
			return nil, fmt.Errorf("%s has %d parts and %s has %d: one was changed", key, len(column), filenames, len(names))
		}
		columns = append(columns, column)
	}
	if len(names) > most {
		return nil, fmt.Errorf("%s names %d files: at most %d can be", filenames, len(names), most)
	}
	var out []Entry
	for i, name := range names {
		e, err := entry(name, columns[1][i], columns[2][i], columns[3][i], columns[4][i])
		if err != nil {
			return nil, fmt.Errorf("%s %.200q: %w", filenames, name, err)
		}
		out = append(out, e)
	}
	return out, nil
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func entry(name, size, timestamp, kind, visibility string) (Entry, error) {
	uri, fragment, found := strings.Cut(name, "#")
	u, err := url.Parse("#" + fragment)
	if !found || err != nil {
		return Entry{}, errors.Join(err, errors.New("want URI#NAME"))
	}
	e := Entry{Link: u.Fragment, URI: uri}
	if err := CheckLink(e.Link); err != nil {
		return Entry{}, err
	}
	if _, err := URL(uri); err != nil {
		return Entry{}, err
	}
	var problems [2]error
	e.Size, problems[0] = strconv.ParseInt(size, 10, 64)
	e.Timestamp, problems[1] = strconv.ParseInt(timestamp, 10, 64)
	t, known := yarn.LocalResourceType_value[kind]
	v, visible := yarn.LocalResourceVisibility_value[visibility]
	if !known || t == 0 || !visible || v == 0 {
		return Entry{}, fmt.Errorf("type %.40q and visibility %.40q: want such as FILE and PRIVATE", kind, visibility)
	}
	e.Type, e.Visibility = yarn.LocalResourceType(t), yarn.LocalResourceVisibility(v)
	return e, errors.Join(problems[:]...)
}

// CheckLink is an error when a name leads out of a container's directory.
func CheckLink(name string) error {
	if name == "" || name == "." || strings.ContainsAny(name, "\x00\n\\") || path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") {
		return fmt.Errorf("the name %.200q of a file in a container: want a relative path without .. in it", name)
	}
	return nil
}

// URL is a file's URI, file:/path or file:///path, as YARN's messages have it.
func URL(uri string) (*yarn.URL, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "file" || u.Host != "" || u.Opaque != "" || !path.IsAbs(u.Path) || strings.ContainsRune(u.Path, 0) {
		return nil, fmt.Errorf("%.200q: want a file of this machine, as in file:/path", uri)
	}
	return &yarn.URL{Scheme: "file", File: u.Path}, nil
}

// Resource is an entry as a container's launch context has it.
func (e Entry) Resource() (*yarn.StringLocalResourceMap, error) {
	u, err := URL(e.URI)
	if err != nil {
		return nil, err
	}
	return &yarn.StringLocalResourceMap{Key: e.Link, Value: &yarn.LocalResource{
		Resource: u, Size: e.Size, Timestamp: e.Timestamp, Type: e.Type, Visibility: e.Visibility,
	}}, nil
}

// Resources are entries as a launch context has them, in their order.
func Resources(entries []Entry) ([]*yarn.StringLocalResourceMap, error) {
	var out []*yarn.StringLocalResourceMap
	for _, e := range entries {
		r, err := e.Resource()
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
