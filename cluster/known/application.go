package known

import (
	"errors"
	"strings"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/rpcenv/conf"
)

// The entries of Settings; the last argument of each says what it means.
var (
	AppBinary = conf.Optional(Settings, "coherer.app.binary", sha256Digest,
		"The SHA-256 of the application's binary, in hexadecimal; set by the driver.")
	AppID = conf.Optional(Settings, "spark.app.id", conf.Filled(conf.Texts),
		"The application's id; set by the cluster.")
	DriverBindAddress = conf.Fallback(Settings, "spark.driver.bindAddress", conf.Filled(conf.Texts), submit.DriverHost,
		"The address that the driver listens on.")
	DriverPort = conf.Declare(Settings, "spark.driver.port", conf.Ports, "0",
		"The port of the driver's endpoints.")
)

// sha256Digest is 64 hexadecimal digits in lower case.
var sha256Digest = conf.Form[string]{
	Name: "sha256", Want: "64 hexadecimal digits in lower case", Example: strings.Repeat("0123456789abcdef", 4),
	Parse: func(s string) (string, error) {
		if len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
			return "", errors.New("not a SHA-256")
		}
		return s, nil
	},
	Text: conf.Texts.Text,
}
