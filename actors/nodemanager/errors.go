package nodemanager

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// errUnauthorized is why a request without a valid NMToken fails as a whole.
var errUnauthorized = rpcenv.NewRefusal("nodemanager.unauthorized", "unauthorized")

// errOtherNode is the error of an NMToken that is valid elsewhere.
var errOtherNode = errors.New("the NMToken is for another node")

// unauthorized is errUnauthorized and why.
func unauthorized(err error) error {
	return fmt.Errorf("%w: %w: ask the ResourceManager for an NMToken", errUnauthorized, err)
}

// Hadoop's classes of errors, for clients that distinguish them.
const (
	yarnException       = "org.apache.hadoop.yarn.exceptions.YarnException"
	invalidContainer    = "org.apache.hadoop.yarn.exceptions.InvalidContainerException"
	invalidAuxService   = "org.apache.hadoop.yarn.exceptions.InvalidAuxServiceException"
	nodeManagerNotReady = "org.apache.hadoop.yarn.exceptions.NMNotYetReadyException"
	invalidToken        = "org.apache.hadoop.security.token.SecretManager$InvalidToken"
)

// refusal is why one entry of a request fails, as Hadoop's class and text.
type refusal struct{ class, text string }

func refuse(class, format string, args ...any) *refusal {
	return &refusal{class, fmt.Sprintf(format, args...)}
}

func (r *refusal) of(id *yarn.ContainerId) *yarn.ContainerExceptionMap {
	return &yarn.ContainerExceptionMap{ContainerId: id, Exception: &yarn.SerializedException{ClassName: r.class, Message: r.text}}
}
