package conf_test

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

func Example() {
	c, err := conf.New(map[string]string{
		"spark.executor.memory": "2g",
		"spark.network.timeout": "60s",
		"spark.worker.timout":   "30",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(conf.ExecutorMemory.Get(c), "MiB")
	fmt.Println(conf.RPCAskTimeout.Get(c), "by", conf.RPCAskTimeout.Source(c))
	fmt.Println(conf.WorkerTimeout.Get(c))
	fmt.Println(c.Warnings()[0])
	// Output:
	// 2048 MiB
	// 1m0s by spark.network.timeout
	// 1m0s
	// unknown setting spark.worker.timout: did you mean spark.worker.timeout?
}

func ExampleNew_errors() {
	_, err := conf.New(map[string]string{"spark.executor.memory": "1.5g", "spark.task.cpus": "two"})
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
	c, _ := conf.New(map[string]string{"spark.cores.max": "4"})
	fmt.Println(conf.CoresMax.Find(c))
	fmt.Println(conf.CoresMax.Find(nil))
	// Output:
	// 4 true
	// 0 false
}
