package app

import (
	"errors"
	"fmt"
	"os"
	"os/user"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/program"
)

// YARNMaster is the master URL of an application on YARN.
const YARNMaster = "yarn"

// onYARN is what a driver in client mode has to know: it submits itself.
func (s Submission) onYARN(c *conf.Conf) (*driver.YARN, error) {
	_, program, err := program.Self()
	if err != nil {
		return nil, err
	}
	if s.Library == "" {
		return nil, errors.New("a driver on YARN is started by coherer: coherer submit --master yarn, or coherer run --yarn")
	}
	at, err := rmproxy.Address(c)
	if err != nil {
		return nil, err
	}
	name, err := User()
	if err != nil {
		return nil, err
	}
	return &driver.YARN{ResourceManager: at, Submission: &yarnclient.Submission{
		Mode: submit.Client, Name: submit.AppName.Get(c), User: name, Program: program, Library: s.Library, Files: Staging{},
	}}, nil
}

// User is the user that submits: HADOOP_USER_NAME, else the user of this process.
func User() (string, error) {
	if name := os.Getenv("HADOOP_USER_NAME"); name != "" {
		return name, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("the name of the user that submits: %w: set HADOOP_USER_NAME", err)
	}
	return u.Username, nil
}
