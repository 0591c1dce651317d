package policy

import "github.com/fettle-dev/fettle/internal/fault"

// Action is what a policy was asked about, for messages.
type Action string

// The actions that a policy is asked about.
const (
	Reading         Action = "reading"
	Writing         Action = "writing"
	MakingDirectory Action = "creating this directory"
)

// Refusal returns nil for a verdict that allows, else a *fault.Error of kind PathRefused
// with the reason policy, or policy-unavailable (spec §19), that names the rule.
func (v Verdict) Refusal(path string, action Action) error {
	if v.Allowed {
		return nil
	}
	switch v.Reason {
	case Unavailable:
		return fault.New(fault.PathRefused, fault.ClassPolicyUnavailable, path, "%s is refused: there is no policy to allow it", action).
			WithHint("declare a policy; a missing one never allows")
	case Mandatory:
		return fault.New(fault.PathRefused, fault.ClassPolicy, path, "%s is refused: %s is never written, whatever a policy allows", action, v.Rule).
			WithHint("take the path out of what the pipeline names")
	case Denied:
		return fault.New(fault.PathRefused, fault.ClassPolicy, path, "%s is denied by the policy's rule %s", action, v.Rule).
			WithHint("change the rule, or take the path out of what the pipeline names")
	}
	return fault.New(fault.PathRefused, fault.ClassPolicy, path, "%s is allowed by no rule of the policy", action).
		WithHint("add the path to the policy's allow list, or take it out of what the pipeline names")
}
