package v1alpha1

// Gates says which steps wait for an approval.
type Gates struct {
	// mode Never; Mutating for steps that may change something; Always for every step
	// and for the acquisition.
	// +required
	Mode GateMode `json:"mode"`
}

// GateMode says which steps wait for an approval.
//
// +kubebuilder:validation:Enum=Never;Mutating;Always
type GateMode string

// The values of GateMode.
const (
	GateNever    GateMode = "Never"
	GateMutating GateMode = "Mutating"
	GateAlways   GateMode = "Always"
)
