package known

import "testing"

// nodeManagerDefaults is Hadoop's table (release 3.4.1), with one difference that is meant: a disk may be as full as it is.
const nodeManagerDefaults = `
yarn.nodemanager.resource.memory-mb                              int              -1
yarn.nodemanager.resource.cpu-vcores                             int              -1
yarn.nodemanager.local-dirs                                      paths
yarn.nodemanager.log-dirs                                        paths
yarn.nodemanager.sleep-delay-before-sigkill.ms                   time in ms       250ms
yarn.nodemanager.container-monitor.interval-ms                   time in ms       3s
yarn.nodemanager.resource.memory.enforced                        bool             true
yarn.nodemanager.pmem-check-enabled                              bool             true
yarn.nodemanager.vmem-check-enabled                              bool             true
yarn.nodemanager.vmem-pmem-ratio                                 float            2.1
yarn.nodemanager.localizer.fetch.thread-count                    int              4
yarn.nodemanager.localizer.cache.target-size-mb                  int              10240
yarn.nodemanager.localizer.cache.cleanup.interval-ms             time in ms       10m
yarn.nodemanager.delete.debug-delay-sec                          time in s        0
yarn.nodemanager.env-whitelist                                   list             JAVA_HOME,HADOOP_COMMON_HOME,HADOOP_HDFS_HOME,HADOOP_CONF_DIR,CLASSPATH_PREPEND_DISTCACHE,HADOOP_YARN_HOME,HADOOP_HOME,PATH,LANG,TZ
yarn.nodemanager.admin-env                                       string           MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX
yarn.nodemanager.aux-services                                    list
yarn.nodemanager.health-checker.script.path                      path
yarn.nodemanager.health-checker.timeout-ms                       time in ms       20m
yarn.nodemanager.health-checker.interval-ms                      time in ms       10m
yarn.nodemanager.disk-health-checker.interval-ms                 time in ms       2m
yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage float 100
yarn.nodemanager.disk-health-checker.min-healthy-disks           float            0.25
yarn.nodemanager.duration-to-track-stopped-containers            time in ms       10m
yarn.resourcemanager.connect.max-wait.ms                         time in ms       15m
yarn.resourcemanager.connect.retry-interval.ms                   time in ms       30s
`

func TestDefaultsOfNodeManagersAreHadoops(t *testing.T) { checkDefaults(t, nodeManagerDefaults) }
