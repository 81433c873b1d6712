package gossip

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
)

// ErrMetaTooLong is the error for metadata that does not fit into memberlist's 512 bytes.
var ErrMetaTooLong = errors.New("the metadata of a member is too long")

// Meta is what a member says of itself.
type Meta struct {
	// Role is what the process is, as its sub-command says, such as [RoleMaster].
	Role string
	// RPC is where its Env listens; zero for a member that only looks.
	RPC rpcenv.Address
	// UI is the address of its pages; empty when it has none.
	UI string
	// ID is its identity in its role, such as a Worker's id.
	ID string
	// PID is the number of its process.
	PID int
	// Load is what it has to do, in words, as in "2/4 cores, 1/2 executors"; empty: it does not say.
	Load string
	// Leads says that it is the Master that leads.
	Leads bool
	// Since is when it began, in seconds since 1970; 0: it does not say.
	Since int64
	// Group is that of a Master which is one of several.
	Group Group
	// Cluster is the number of the cluster that it belongs to; 0: of none yet. What Join gets is the one that it founds, unless one of
	// Config.Join has another. A Master or ResourceManager makes it of its address, so that it is the same when it is started again.
	Cluster uint64
	// Again counts how often it has refuted a goodbye that it had not said.
	Again uint16
}

// Group is what one of several Masters says of them: members that say so find each other by it.
type Group struct {
	// Expect is how many Masters the group has; 0: its member is none of several Masters.
	Expect int
	// Digest is of the Masters that this one wants in the group, or has there; 0: it does not know enough of them.
	Digest uint64
	// Round is the number of the proposal to which Digest belongs.
	Round int64
	// Formed says that this Master takes no others any more.
	Formed bool
}

// RoleMaster is the Role of a Master.
const RoleMaster = membership.RoleMaster

// RoleLook is the Role of a command that only looks. It knows the members as they were when it joined; to them it is no member.
const RoleLook = "status"

// wireMeta is Meta as it travels: JSON with short names, for there are 512 bytes.
type wireMeta struct {
	Role  string `json:"r"`
	RPC   string `json:"a,omitempty"`
	UI    string `json:"u,omitempty"`
	ID    string `json:"i,omitempty"`
	PID   int    `json:"p,omitempty"`
	Leads bool   `json:"d,omitempty"`
	Since int64  `json:"s,omitempty"`
	Load  string `json:"l,omitempty"`

	Expect int    `json:"e,omitempty"`
	Digest uint64 `json:"g,omitempty"`
	Round  int64  `json:"n,omitempty"`
	Formed bool   `json:"f,omitempty"`

	Cluster uint64 `json:"c,omitempty"`
	Again   uint16 `json:"y,omitempty"`
}

// encodeMeta writes m. Its error is ErrMetaTooLong also if m would only be too long once the member leads, has a cluster, or its group is formed.
func encodeMeta(m Meta) ([]byte, error) {
	if m.Role == "" {
		return nil, errors.New("the metadata of a member has no role")
	}
	// Measured as of a member that leads, has a cluster, and whose group is formed: it must be able to say so later.
	w := wireMeta{Role: m.Role, RPC: m.RPC.String(), UI: m.UI, ID: m.ID, PID: m.PID, Leads: true, Since: m.Since, Load: m.Load, Expect: m.Group.Expect, Cluster: math.MaxUint64, Again: math.MaxUint16}
	if w.Expect != 0 {
		w.Digest, w.Round, w.Formed = math.MaxUint64, math.MaxInt64, true
	}
	data, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("encode the metadata of a member: %w", err)
	}
	if len(data) > memberlist.MetaMaxSize {
		return nil, fmt.Errorf("%w: %d bytes, at most %d: shorten the id or the address of the pages", ErrMetaTooLong, len(data), memberlist.MetaMaxSize)
	}
	w.Leads, w.Digest, w.Round, w.Formed, w.Cluster, w.Again = m.Leads, m.Group.Digest, m.Group.Round, m.Group.Formed, m.Cluster, m.Again
	return json.Marshal(w)
}

// decodeMeta reads what another member wrote.
func decodeMeta(data []byte) (m Meta, err error) {
	if len(data) > memberlist.MetaMaxSize {
		return Meta{}, fmt.Errorf("%w: %d bytes", ErrMetaTooLong, len(data))
	}
	var w wireMeta
	if err := json.Unmarshal(data, &w); err != nil {
		return Meta{}, fmt.Errorf("decode the metadata of a member: %w", err)
	}
	if w.Role == "" {
		return Meta{}, errors.New("decode the metadata of a member: it has no role")
	}
	m = Meta{Role: w.Role, UI: w.UI, ID: w.ID, PID: w.PID, Leads: w.Leads, Since: w.Since, Load: w.Load, Group: Group{w.Expect, w.Digest, w.Round, w.Formed}, Cluster: w.Cluster, Again: w.Again}
	if w.RPC != "" {
		if m.RPC, err = rpcenv.ParseAddress(w.RPC); err != nil {
			return Meta{}, fmt.Errorf("decode the metadata of a member: %w", err)
		}
	}
	return m, nil
}
