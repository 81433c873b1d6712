package spark

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

//go:embed java/*.java
var source embed.FS

const (
	mainClass = "Main" // its arguments are those of the warm-up
	release   = "17"   // of Java, the oldest that Spark 4 runs on
	// waitDelay is how long a compiler that was killed may hold its output open.
	waitDelay = time.Second
	// maxOutput bounds what an error quotes of the compiler.
	maxOutput = 4 << 10
)

// options are those that Spark's launcher gives every JVM, as far as an RpcEnv profits: Netty reaches its buffers without copies.
var options = []string{
	"--add-opens=java.base/java.nio=ALL-UNNAMED",
	"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
	"--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
	"-Dio.netty.tryReflectionSetAccessible=true",
}

// warmUp is how long the batch that is not measured lasts: nanoseconds at least, messages, nanoseconds at most.
var warmUp = []string{"5000000000", "200000", "30000000000"}

// Build finds a Spark and compiles the program of contenders against it, into a new folder below dir. It returns how to start
// it, with as many processors as this process has. Without a Spark the error is ErrNone.
func Build(ctx context.Context, dir string) (java string, args []string, err error) {
	at, err := home(ctx)
	if err != nil {
		return "", nil, err
	}
	javac, err := tool("javac")
	if err != nil {
		return "", nil, err
	}
	if java, err = tool("java"); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(dir, "spark-"); err != nil {
		return "", nil, err
	}
	jars := filepath.Join(at, "jars", "*")
	if err := compile(ctx, javac, jars, dir); err != nil {
		return "", nil, fmt.Errorf("compile against the Spark in %s: %w", at, err)
	}
	args = append(args, fmt.Sprintf("-XX:ActiveProcessorCount=%d", runtime.GOMAXPROCS(0)))
	args = append(args, options...)
	args = append(args, "-cp", dir+string(os.PathListSeparator)+jars, mainClass)
	return java, append(args, warmUp...), nil
}

// compile writes the sources to dir and their classes beside them.
func compile(ctx context.Context, javac, jars, dir string) error {
	names, err := fs.Glob(source, "java/*.java")
	if err != nil {
		return err
	}
	args := []string{"-nowarn", "--release", release, "-cp", jars, "-d", dir}
	for _, name := range names {
		text, err := source.ReadFile(name)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		args = append(args, file)
	}
	cmd := exec.CommandContext(ctx, javac, args...)
	cmd.WaitDelay = waitDelay
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out[:min(len(out), maxOutput)])))
}
