//coherer:pure

package ids

import (
	"fmt"

	"github.com/coherer/coherer/messages/yarn"
)

// Proto is the id as messages carry it.
func (a Application) Proto() *yarn.ApplicationId {
	return &yarn.ApplicationId{Id: a.ID, ClusterTimestamp: a.Timestamp}
}

// Proto is the id as messages carry it.
func (a Attempt) Proto() *yarn.ApplicationAttemptId {
	return &yarn.ApplicationAttemptId{ApplicationId: a.App.Proto(), AttemptId: a.Attempt}
}

// Proto is the id as messages carry it.
func (c Container) Proto() *yarn.ContainerId {
	return &yarn.ContainerId{AppAttemptId: c.Attempt.Proto(), Id: c.Number()}
}

// ApplicationFrom is the inverse of Application.Proto. A missing id, or one that no ResourceManager gives, is an error.
func ApplicationFrom(m *yarn.ApplicationId) (Application, error) {
	id := Application{Timestamp: m.GetClusterTimestamp(), ID: m.GetId()}
	if id.Timestamp < 0 || id.ID < 1 {
		return Application{}, fmt.Errorf("%s is no application id: its number counts from 1, its timestamp from 0", id)
	}
	return id, nil
}

// AttemptFrom is the inverse of Attempt.Proto, and as strict as ApplicationFrom.
func AttemptFrom(m *yarn.ApplicationAttemptId) (Attempt, error) {
	app, err := ApplicationFrom(m.GetApplicationId())
	if err != nil {
		return Attempt{}, fmt.Errorf("attempt %d: %w", m.GetAttemptId(), err)
	}
	id := Attempt{App: app, Attempt: m.GetAttemptId()}
	if id.Attempt < 1 {
		return Attempt{}, fmt.Errorf("%s is no attempt id: attempts count from 1", id)
	}
	return id, nil
}

// ContainerFrom is the inverse of Container.Proto, and as strict as ApplicationFrom.
func ContainerFrom(m *yarn.ContainerId) (Container, error) {
	a, err := AttemptFrom(m.GetAppAttemptId())
	if err != nil {
		return Container{}, fmt.Errorf("container %d: %w", m.GetId(), err)
	}
	id, err := containerOf(a, m.GetId())
	if err == nil && id.Seq < 1 {
		err = fmt.Errorf("%s is no container id: containers count from 1", id)
	}
	if err != nil {
		return Container{}, err
	}
	return id, nil
}
