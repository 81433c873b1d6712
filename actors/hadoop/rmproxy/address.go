package rmproxy

import (
	"fmt"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Address is where the settings say that the ResourceManager is.
func Address(c *conf.Conf) (rpcenv.Address, error) {
	at, err := rpcenv.ParseAddress(ResourceManagerAt(c))
	if err != nil {
		return at, fmt.Errorf("%s: %w", ResourceManagerAddress.Key(), err)
	}
	return at, nil
}
