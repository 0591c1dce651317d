package lifecycle

import (
	"cmp"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/outcome"
	"github.com/fettle-dev/fettle/internal/pods"
)

// stage is how far a Pod is.
type stage int

const (
	hanging stage = iota // a container hasn't started yet
	working              // containers run
	over                 // none runs any more
)

// sight is what can be seen of a Pod, whatever its sidecar says.
type sight struct {
	stage    stage
	started  bool    // the fixer, or the sidecar of a Pod without one, has run
	idle     bool    // the sidecar hasn't run
	hopeless bool    // it won't get any further: it has to be ended
	because  Refusal // why it hangs, is hopeless, or ended; zero where nothing is wrong
	after    time.Duration
	word     *v1alpha1.RunOutcome // the sidecar's, in its termination message
	exit     *int32               // of the sidecar
	oom      string               // the fixer's memory limit, if it exceeded that
}

// look looks at a Pod. hang is what its events say.
func look(p *corev1.Pod, hang Refusal, now time.Time) sight {
	v := viewOf(p, now)
	s := sight{started: v.hasRun(), idle: isIdle(v.sidecar)}
	if v.sidecar.State.Terminated != nil {
		t := v.sidecar.State.Terminated
		s.exit = &t.ExitCode
		if word, err := outcome.Decode(t.Message); err == nil {
			s.word = &word
		}
	}
	if t := v.fixer.State.Terminated; t != nil && t.Reason == oomKilled {
		s.oom = v.limit(pods.Fixer)
	}
	switch {
	case v.isOver():
		s.stage, s.because = over, v.endedBy()
	case v.sidecar.State.Terminated != nil:
		v.withoutSidecar(&s)
	case v.scheduled() != nil && v.scheduled().Status == corev1.ConditionFalse:
		s.because = Refusal{v1alpha1.ReasonUnschedulable, "the Pod can't be scheduled: " + v.scheduled().Message}
		s.after = lookAgain
	default:
		v.withSidecar(&s, hang)
	}
	return s
}

// withoutSidecar looks at a Pod whose sidecar has ended and whose fixer hasn't.
func (v view) withoutSidecar(s *sight) {
	if v.fixer.State.Running == nil {
		s.stage, s.hopeless = hanging, true // nobody is there to serve it
		s.because = v.held(v.fixer)
		return
	}
	s.stage = working
	end := v.sidecar.State.Terminated.FinishedAt.Time
	s.after = max(time.Second, OrphanGrace-v.now.Sub(end))
	if v.now.Sub(end) >= OrphanGrace {
		s.hopeless = true
		s.because = Refusal{v1alpha1.ReasonNoReport, "the sidecar has ended, and the tool hasn't"}
	}
}

// withSidecar looks at a Pod whose sidecar is there or will be.
func (v view) withSidecar(s *sight, hang Refusal) {
	for _, c := range []corev1.ContainerStatus{v.sidecar, v.fixer} {
		if held := v.held(c); held.Reason != "" {
			s.stage, s.because = hanging, held
			left := PullGrace - v.now.Sub(v.since())
			s.hopeless, s.after = left <= 0 || final(c), max(time.Second, left)
			return
		}
	}
	if t := v.fixer.State.Terminated; t != nil {
		s.stage = working
		if !hasRun(v.fixer) {
			s.hopeless = true
			s.because = Refusal{v1alpha1.ReasonStartFailed, "the container fixer can't be started: " + cmp.Or(t.Message, t.Reason)}
			return
		}
		s.after = max(time.Second, RereadGrace-v.now.Sub(t.FinishedAt.Time))
		if v.now.Sub(t.FinishedAt.Time) >= RereadGrace {
			s.hopeless = true
			s.because = Refusal{v1alpha1.ReasonNoReport, fmt.Sprintf("the tool has ended, and the sidecar hasn't within %s", RereadGrace)}
		}
		return
	}
	if v.sidecar.State.Running == nil || v.withFixer && v.fixer.State.Running == nil {
		s.stage, s.because, s.after = hanging, hang, lookAgain
		return
	}
	s.stage = working
}

// pulls and starts are what a kubelet says of a container that can't be started.
var pulls = map[string]bool{
	"ErrImagePull": true, "ImagePullBackOff": true, "InvalidImageName": true, "ErrImageNeverPull": true,
	"ImageInspectError": true, "RegistryUnavailable": true, "SignatureValidationFailed": true,
}

var starts = map[string]bool{
	"CreateContainerConfigError": true, "CreateContainerError": true, "RunContainerError": true,
	"PreCreateHookError": true, "PreStartHookError": true, "PostStartHookError": true,
}

// held says why a container that waits isn't started.
func (v view) held(s corev1.ContainerStatus) Refusal {
	w := s.State.Waiting
	switch {
	case w == nil:
		return Refusal{}
	case pulls[w.Reason]:
		return Refusal{v1alpha1.ReasonImagePullFailed, fmt.Sprintf("the image %s of the container %s can't be pulled: %s", s.Image, s.Name, cmp.Or(w.Message, w.Reason))}
	case starts[w.Reason]:
		return Refusal{v1alpha1.ReasonStartFailed, fmt.Sprintf("the container %s can't be started: %s", s.Name, cmp.Or(w.Message, w.Reason))}
	default:
		return Refusal{}
	}
}

// final says whether waiting longer can't help.
func final(s corev1.ContainerStatus) bool {
	return s.State.Waiting != nil && s.State.Waiting.Reason == "InvalidImageName"
}
