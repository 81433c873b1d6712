package conf

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// HadoopPrefix begins the settings by which an application says what its Hadoop configuration is: the rest of the key is
// Hadoop's. They win over Hadoop's own files, as in SparkHadoopUtil.appendSparkHadoopConfigs.
const HadoopPrefix = "spark.hadoop."

// IsHadoops reports whether key is a setting of Hadoop that counts: one of YARN, or a known one of core-site.xml.
func (s *Set) IsHadoops(key string) bool {
	return strings.HasPrefix(key, "yarn.") || isHadoops(key) && s.byKey[key] != nil
}

func isHadoops(key string) bool {
	return strings.HasPrefix(key, "yarn.") || strings.HasPrefix(key, "hadoop.")
}

// hadoopEntry is the entry of Hadoop's that key sets by being spark.hadoop.X, or nil.
func (s *Set) hadoopEntry(key string) anyEntry {
	if rest, ok := strings.CutPrefix(key, HadoopPrefix); ok && s.IsHadoops(rest) {
		return s.byKey[rest]
	}
	return nil
}

// takeHadoop makes spark.hadoop.yarn.X count as yarn.X, over one that was set itself. It returns what is wrong.
func (c *Conf) takeHadoop() []error {
	var problems []error
	for _, p := range c.Under(HadoopPrefix) {
		e := c.known.hadoopEntry(p.Key)
		if e == nil {
			continue
		}
		parsed, err := parseAs(p.Key, e, p.Value)
		if err != nil {
			problems = append(problems, err)
			delete(c.raw, p.Key)
			continue
		}
		c.values[e.Key()] = parsed
	}
	return problems
}

// parseAs reads the value of e under another key, which its errors name.
func parseAs(key string, e anyEntry, value string) (any, error) {
	parsed, err := e.parseAny(value)
	if bad, ok := errors.AsType[*ValueError](err); ok {
		bad.Key = key
	}
	if bad, ok := errors.AsType[*ProtectionError](err); ok {
		bad.Key = key
	}
	return parsed, err
}

// ReadHadoop reads a file such as yarn-site.xml: the keys of its properties, in their order, of a key that comes twice the
// last value. path is the name of the file in origins and errors. A file above MaxProperties bytes is an error, and
// ${variables} are left as they are.
func ReadHadoop(r io.Reader, path string) ([]Setting, error) {
	// One byte more than may be there: if it is used up, the file is too long, whatever the decoder made of what it saw.
	limited := &io.LimitedReader{R: r, N: MaxProperties + 1}
	var file struct {
		XMLName    xml.Name `xml:"configuration"`
		Properties []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"property"`
	}
	err := xml.NewDecoder(limited).Decode(&file)
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("%s: longer than %d bytes: is this a file of Hadoop's properties?", path, MaxProperties)
	case err != nil:
		return nil, fmt.Errorf("%s: %w: want <configuration> with <property><name>KEY</name><value>VALUE</value></property>", path, err)
	}
	var out []Setting
	at := map[string]int{}
	for _, p := range file.Properties {
		s := Setting{Pair{trim(p.Name), trim(p.Value)}, Origin{Place: path}}
		if i, twice := at[s.Key]; twice { // at its first place, with its last value
			out[i] = s
			continue
		}
		at[s.Key] = len(out)
		out = append(out, s)
	}
	return out, nil
}
