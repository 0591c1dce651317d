package reasons

import (
	"cmp"
	"strings"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/fault"
)

// OfFault returns the reason of a condition that a failure of the runtime has.
func OfFault(kind fault.Kind, reason fault.Reason) string {
	switch kind {
	case fault.InvalidPipeline, fault.UnknownStep:
		return v1alpha1.ReasonInvalidPipeline
	case fault.BadArgument:
		return v1alpha1.ReasonBadArgument
	case fault.EngineRequired:
		return v1alpha1.ReasonEngineRequired
	case fault.StepUnavailable:
		if reason == fault.ReasonContainment {
			return v1alpha1.ReasonContainment
		}
		return v1alpha1.ReasonStepUnavailable
	case fault.WorkspaceBounds:
		return v1alpha1.ReasonWorkspaceBounds
	case fault.GateDeclined:
		return v1alpha1.ReasonGateDeclined
	case fault.PathRefused:
		if reason == fault.ClassPolicyUnavailable {
			return v1alpha1.ReasonPolicyUnavailable
		}
		return v1alpha1.ReasonPathRefused
	default:
		return cmp.Or(ofStep[reason], v1alpha1.ReasonStepFailed)
	}
}

// ofStep has the reasons of a failed step that have a word of their own.
var ofStep = map[fault.Reason]string{
	fault.ReasonEngineError:     v1alpha1.ReasonToolFailed,
	fault.ReasonCrash:           v1alpha1.ReasonToolFailed,
	fault.ReasonDeadline:        v1alpha1.ReasonDeadlineExceeded,
	fault.ReasonCancelled:       v1alpha1.ReasonCancelled,
	fault.ReasonPolicyViolation: v1alpha1.ReasonPolicyViolation,
	fault.ReasonContainment:     v1alpha1.ReasonContainment,
}

// OfTool refines the reason of a tool that failed by its exit code and by what it printed
// last. Every other reason is returned as it is.
func OfTool(reason string, exitCode int, output string) string {
	switch {
	case reason != v1alpha1.ReasonToolFailed:
		return reason
	case exitCode == 127:
		return v1alpha1.ReasonCommandNotFound
	case lacksDependency(output):
		return v1alpha1.ReasonMissingDependencies
	default:
		return reason
	}
}

// lacksDependency recognises by their words the runtimes that couldn't load a module.
func lacksDependency(output string) bool {
	for _, words := range []string{
		"ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "Cannot find module '", "Cannot find package '",
		"ESLint couldn't find the plugin", "ESLint couldn't find the config",
		"ModuleNotFoundError: No module named", "cannot load such file --",
		"no required module provides package",
	} {
		if strings.Contains(output, words) {
			return true
		}
	}
	return false
}
