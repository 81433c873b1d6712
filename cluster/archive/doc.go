// Package archive unpacks archives that come from elsewhere: their sizes are claims, and no entry leads out of the directory. YARN's
// nodes and executors use it (org.apache.hadoop.util.FileUtil.unZip and unTar).
package archive
