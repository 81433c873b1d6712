package known_test

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func Example() {
	c, err := conf.New(map[string]string{
		"spark.executor.memory": "2g",
		"spark.network.timeout": "60s",
		"spark.worker.timout":   "30",
	}, known.All())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(submit.ExecutorMemory.Get(c), "MiB")
	fmt.Println(rpcenv.RPCAskTimeout.Get(c), "by", rpcenv.RPCAskTimeout.Source(c))
	fmt.Println(membership.WorkerTimeout.Get(c))
	fmt.Println(c.Warnings()[0])
	// Output:
	// 2048 MiB
	// 1m0s by spark.network.timeout
	// 1m0s
	// unknown setting spark.worker.timout: did you mean spark.worker.timeout?
}

func ExampleNew_errors() {
	_, err := conf.New(map[string]string{"spark.executor.memory": "1.5g", "spark.task.cpus": "two"}, known.All())
	fmt.Println(err)
	// Output:
	// spark.executor.memory = "1.5g": fractional values are not supported, write 1536m: want a size, a whole number with b, k, m, g, t or p (without: MiB), of at least 1m, for example 1g
	// spark.task.cpus = "two": not a number of that form: want a whole number of at least 1, for example 1
}

func ExampleParseProperties() {
	pairs, err := conf.ParseProperties(strings.NewReader(`
# spark-defaults.conf
spark.master            spark://h1:7077,\
                        h2:7077
spark.executor.memory = 512m
`))
	fmt.Println(pairs["spark.master"], pairs["spark.executor.memory"], err)
	// Output: spark://h1:7077,h2:7077 512m <nil>
}

func ExampleEntry_Find() {
	c, _ := conf.New(map[string]string{"spark.cores.max": "4"}, known.All())
	fmt.Println(submit.CoresMax.Find(c))
	fmt.Println(submit.CoresMax.Find(nil))
	// Output:
	// 4 true
	// 0 false
}
