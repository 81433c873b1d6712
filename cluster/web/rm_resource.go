package web

import (
	"math"

	"github.com/coherer/coherer/messages/yarn"
)

// resourceInfo mirrors ResourceInfo: memory and cores, and then each type with all its words.
type resourceInfo struct {
	Memory       int64 `json:"memory"`
	VCores       int32 `json:"vCores"`
	Informations struct {
		Information []resourceInformation `json:"resourceInformation"`
	} `json:"resourceInformations"`
}

type resourceInformation struct {
	Attributes struct{} `json:"attributes"`
	Maximum    int64    `json:"maximumAllocation"`
	Minimum    int64    `json:"minimumAllocation"`
	Name       string   `json:"name"`
	Type       string   `json:"resourceType"`
	Units      string   `json:"units"`
	Value      int64    `json:"value"`
}

func resourceInfoOf(r *yarn.Resource) (i resourceInfo) {
	i.Memory, i.VCores = r.GetMemory(), r.GetVirtualCores()
	i.Informations.Information = []resourceInformation{
		{Maximum: math.MaxInt64, Name: "memory-mb", Type: "COUNTABLE", Units: "Mi", Value: i.Memory},
		{Maximum: math.MaxInt64, Name: "vcores", Type: "COUNTABLE", Value: int64(i.VCores)},
	}
	return i
}
