package spark

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNone means that no Spark was found.
var ErrNone = errors.New("no Spark found: set SPARK_HOME or pip install pyspark")

// askPython prints the folder of pyspark, and imports nothing of it: that would take a second and start Java.
const askPython = `import importlib.util
found = importlib.util.find_spec("pyspark")
print(found.submodule_search_locations[0] if found else "")`

// home is the folder of a Spark: that of SPARK_HOME alone when it is set, else that of Python's pyspark.
func home(ctx context.Context) (string, error) {
	if at := os.Getenv("SPARK_HOME"); at != "" {
		if err := checkHome(at); err != nil {
			return "", fmt.Errorf("SPARK_HOME: %w", err)
		}
		return at, nil
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return "", ErrNone
	}
	out, err := exec.CommandContext(ctx, python, "-c", askPython).Output()
	at := strings.TrimSpace(string(out))
	if err != nil || at == "" {
		return "", ErrNone
	}
	if err := checkHome(at); err != nil {
		return "", fmt.Errorf("pyspark: %w", err)
	}
	return at, nil
}

// checkHome reports an error when the folder has no Spark that can be compiled against.
func checkHome(folder string) error {
	found, err := filepath.Glob(filepath.Join(folder, "jars", "spark-core_*.jar"))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("there is no jars/spark-core_*.jar in %s", folder)
	}
	return nil
}

// tool is the path of a program of the JDK: of JAVA_HOME alone when it is set, else in PATH.
func tool(name string) (string, error) {
	at := os.Getenv("JAVA_HOME")
	if at != "" {
		name = filepath.Join(at, "bin", name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w: install a JDK of version 17 or later, or set JAVA_HOME to one", err)
	}
	return path, nil
}
