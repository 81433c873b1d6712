//coherer:pure

package yarnclient

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/conf"
)

// item is a file to stage.
type item struct {
	// link is its name in a container, source its path or file: URI on this machine.
	link, source string
	kind         yarn.LocalResourceType
	// master alone gets it: executors do not.
	master bool
}

// plan is what a submission stages beside its settings, in Spark's order. A jar that comes twice is left out with a warning; a file
// or archive that does is an error. It mirrors Client.prepareLocalResources.
func (s *Submission) plan(c *conf.Conf) (items []item, warnings []string, err error) {
	if s.Mode == submit.Client {
		items = append(items, item{submit.LibraryFile, s.Library, yarn.LocalResourceType_FILE, true})
	}
	items = append(items, item{submit.AppFile, s.Program, yarn.LocalResourceType_FILE, false})
	sources, links, staged := map[string]bool{}, map[string]bool{}, map[string]bool{confArchive: true}
	for _, it := range items {
		links[it.link], staged[fileName(it.link)] = true, true
	}
	for _, list := range []struct {
		setting *conf.Entry[[]string]
		kind    yarn.LocalResourceType
		strict  bool
	}{
		{submit.YARNDistJars, yarn.LocalResourceType_FILE, false},
		{submit.YARNDistFiles, yarn.LocalResourceType_FILE, true},
		{submit.YARNDistArchives, yarn.LocalResourceType_ARCHIVE, true},
	} {
		for _, uri := range list.setting.Get(c) {
			it, err := distributed(uri, list.kind)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", list.setting.Key(), err)
			}
			what := ""
			switch {
			case sources[it.source]:
				what = fmt.Sprintf("Same path resource %s added multiple times to distributed cache.", uri)
			case links[it.link]:
				what = fmt.Sprintf("Same name resource %s added multiple times to distributed cache.", uri)
			case it.link == confLink:
				// The settings would replace the file, or the file the settings.
				return nil, nil, fmt.Errorf("%s: %s is the name of the settings: name the file otherwise, with #NAME", list.setting.Key(), uri)
			case staged[fileName(it.link)]: // a/b and a_b are two links and one file of the staging directory
				return nil, nil, fmt.Errorf("%s: %s is staged as %s, as another file is: name it otherwise, with #NAME", list.setting.Key(), uri, fileName(it.link))
			}
			if what != "" && list.strict {
				return nil, nil, fmt.Errorf("%s: %s: name it once", list.setting.Key(), what)
			}
			if what != "" {
				warnings = append(warnings, what)
				continue
			}
			sources[it.source], links[it.link], staged[fileName(it.link)] = true, true, true
			items = append(items, it)
		}
	}
	return items, warnings, nil
}

// distributed is a file that a setting names: URI#NAME, by default its own name.
func distributed(uri string, kind yarn.LocalResourceType) (item, error) {
	source, fragment, _ := strings.Cut(uri, "#")
	u, err := url.Parse(source)
	if err != nil {
		return item{}, err
	}
	if u.Scheme != "" && u.Scheme != "file" {
		return item{}, fmt.Errorf("%s: only files of this machine are staged: fetch it first, and name the file", uri)
	}
	link := cmp.Or(fragment, path.Base(u.Path))
	return item{link: link, source: u.Path, kind: kind}, distcache.CheckLink(link)
}

// Names of the archive of settings: its file, its link in a container, and the files in it.
const (
	confArchive    = "__spark_conf__.zip"
	confLink       = "__spark_conf__"
	confProperties = "__spark_conf__.properties"
	confDistCache  = "__spark_dist_cache__.properties"
)

// fileName is the name of a staged file that is called link in a container.
func fileName(link string) string { return strings.ReplaceAll(link, "/", "_") }

// archive has an application's settings, and the list of the files that were staged for executors.
func archive(c *conf.Conf, entries []distcache.Entry, archiveURI string) []ArchiveEntry {
	var own []conf.Pair
	for _, p := range c.Pairs() {
		// They would be those of another submission; this one's stand in the second file.
		if !strings.HasPrefix(p.Key, "spark.yarn.cache.") {
			own = append(own, p)
		}
	}
	cache := append(distcache.Settings(entries), conf.Pair{Key: distcache.ConfArchive, Value: archiveURI})
	return []ArchiveEntry{{confProperties, conf.FormatProperties(own)}, {confDistCache, conf.FormatProperties(cache)}}
}
