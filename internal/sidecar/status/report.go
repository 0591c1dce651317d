package status

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/report"
)

// reportFormat names what the data of a report is.
const reportFormat = "jsonl/1"

// Report is the content of a DevPipelineReport.
type Report struct {
	Format string              `json:"format"`
	Data   []byte              `json:"data"`
	Bytes  int64               `json:"bytes"`
	Cut    *v1alpha1.ReportCut `json:"cut"` // nil removes what is there
}

// Content is a report as its object keeps it, in at most limit bytes. What doesn't fit is
// cut (see report.Encode), and counted.
func Content(r report.Report, limit int) (Report, error) {
	data, err := report.Encode(r, limit)
	if err != nil {
		return Report{}, fmt.Errorf("report of %s: %w", r.Run, err)
	}
	kept, err := report.Decode(bytes.NewReader(data))
	if err != nil {
		return Report{}, fmt.Errorf("report of %s: %w", r.Run, err)
	}
	return Report{Format: reportFormat, Data: data, Bytes: int64(len(data)), Cut: cutOf(r, kept)}, nil
}

// cutOf counts what a report lost.
func cutOf(whole, kept report.Report) *v1alpha1.ReportCut {
	c := v1alpha1.ReportCut{
		Diagnostics: int64(len(whole.Diagnostics) - len(kept.Diagnostics)),
		Tails:       int64(tails(whole) - tails(kept)),
		Rows:        int64(len(whole.Changes) - len(kept.Changes)),
	}
	if kept.Diff == "" && (whole.Diff != "" || len(whole.Cut) > 0) { // what the runtime cuts is the diff
		c.Diffs = int64(len(whole.Changes))
	}
	return unlessZero(c)
}

func tails(r report.Report) int {
	n := 0
	for _, in := range r.Invocations {
		if in.Stdout != nil {
			n++
		}
		if in.Stderr != nil {
			n++
		}
	}
	return n
}

// Reference is how a status refers to a report.
func (r Report) Reference(name string) *v1alpha1.ReportReference {
	sum := sha256.Sum256(r.Data)
	return &v1alpha1.ReportReference{
		Name: v1alpha1.ObjectName(name), Bytes: r.Bytes, Digest: v1alpha1.Digest("sha256:" + hex.EncodeToString(sum[:])), Cut: r.Cut,
	}
}
