package v1alpha1

// AnnotationRequestedAt asks for a run: a controller starts one when its value differs
// from status.lastHandledRequest. Any value will do; the present time is usual.
const AnnotationRequestedAt = "fettle.dev/requestedAt"

// Labels on what the controllers create. Names may be cut to fit a label; UIDs never are,
// so selectors use those.
const (
	LabelPipeline    = "fettle.dev/pipeline"
	LabelPipelineUID = "fettle.dev/pipeline-uid"
	LabelRun         = "fettle.dev/run"
	LabelRunUID      = "fettle.dev/run-uid"
	LabelStep        = "fettle.dev/step"
	LabelInvocation  = "fettle.dev/invocation"
	LabelAttempt     = "fettle.dev/attempt"
)

// Longest names of objects, in characters. The CRDs enforce them by CEL.
const (
	MaxPipelineName = 52 // leaves room for a run's suffix of eleven
	MaxRunName      = 63
	MaxEngineName   = 63
	MaxPolicyName   = 63
)
