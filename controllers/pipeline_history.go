package controllers

import (
	"time"

	"github.com/fettle-dev/fettle/api/v1alpha1"
)

// outdated are the ended runs that the history has no room or time for, and when to look
// again for the next one that will be; 0 is never. The latest run stays until the status
// has the summary of its end.
func (p *pipelineState) outdated() (old []*v1alpha1.DevPipelineRun, next time.Duration) {
	h := p.Spec.History
	room := map[bool]int32{true: keep(h.SuccessfulRuns), false: keep(h.FailedRuns)}
	for i := range p.runs {
		run := &p.runs[i]
		if run.Status.CompletionTime == nil || run.DeletionTimestamp != nil || !p.summed(run) {
			continue
		}
		good := wellDone(run.Status.Result)
		room[good]--
		left := h.TTL.Duration.Duration - p.now.Sub(run.Status.CompletionTime.Time)
		switch ttl := h.TTL.Duration.Duration; {
		case room[good] < 0 || ttl > 0 && left <= 0:
			old = append(old, run)
		case ttl > 0 && (next == 0 || left < next):
			next = left
		}
	}
	return old, next
}

func keep(n *int32) int32 {
	if n == nil {
		return 3
	}
	return *n
}

// summed says whether the status tells of the end of a run, if it ought to.
func (p *pipelineState) summed(run *v1alpha1.DevPipelineRun) bool {
	if run.UID != p.runs[0].UID {
		return true
	}
	s := p.Status.LatestRun
	return s != nil && s.UID == string(run.UID) && s.CompletionTime != nil
}

func wellDone(r v1alpha1.RunResult) bool {
	return r != v1alpha1.ResultFailed && r != v1alpha1.ResultCancelled
}
