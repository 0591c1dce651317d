package pipeline

import (
	"cmp"
	"fmt"

	"github.com/fettle-dev/fettle/api/v1alpha1"
	"github.com/fettle-dev/fettle/internal/acquire"
	"github.com/fettle-dev/fettle/internal/fault"
	"github.com/fettle-dev/fettle/internal/glob"
	"github.com/fettle-dev/fettle/internal/policy"
	"github.com/fettle-dev/fettle/internal/text"
	"github.com/fettle-dev/fettle/internal/workspace"
)

// bounds takes the bounds that are given, and the defaults of spec §1.3 for others.
func (p *Pipeline) bounds(r Resolved, _ Driver) (err error) {
	b, given := workspace.DefaultBounds(), r.Plan.Workspace.Bounds
	if b.MaxFiles, err = bound("maxFiles", b.MaxFiles, int(given.MaxFiles)); err != nil {
		return err
	}
	if b.MaxBytesPerFile, err = byteBound("maxBytesPerFile", b.MaxBytesPerFile, given.MaxBytesPerFile); err != nil {
		return err
	}
	if b.MaxTotalBytes, err = byteBound("maxTotalBytes", b.MaxTotalBytes, given.MaxTotalBytes); err != nil {
		return err
	}
	if b.MaxDepth, err = bound("maxDepth", b.MaxDepth, int(given.MaxDepth)); err != nil {
		return err
	}
	p.Acquire.Bounds = b
	return nil
}

func bound[N int | int64](name string, otherwise, given N) (N, error) {
	if given < 0 {
		return 0, fault.New(fault.InvalidPipeline, fault.ReasonBound, "", "bounds.%s is %d", name, given).WithHint("give at least 1")
	}
	return cmp.Or(given, otherwise), nil
}

// byteBound reads a quantity; nil is absent. A fraction of a byte is no bound.
func byteBound(name string, otherwise int64, given *v1alpha1.ByteQuantity) (int64, error) {
	if given == nil {
		return otherwise, nil
	}
	n, whole := given.AsInt64()
	if !whole || n < 1 {
		return 0, fault.New(fault.InvalidPipeline, fault.ReasonBound, "", "bounds.%s is %s", name, given.String()).
			WithHint("give a whole number of bytes of at least 1, such as 1Mi")
	}
	return n, nil
}

// policies parses the layers, in order (spec §6.1).
func (p *Pipeline) policies(r Resolved, _ Driver) error {
	var layers []*policy.Layer
	for _, l := range r.Policies {
		layer, err := policy.NewLayer(policy.Spec{
			Read:        axis(l.Read),
			Write:       axis(l.Write),
			OnViolation: policy.OnViolation(l.OnViolation),
		}, p.Acquire.Bounds.MaxDepth)
		if err != nil {
			return inLayer(err, l.Ref)
		}
		layers = append(layers, layer)
	}
	p.Policy = policy.New(layers...)
	return nil
}

// axis converts rules; an allow list that is absent stays so.
func axis(rules *v1alpha1.AccessRules) policy.Axis {
	if rules == nil {
		return policy.Axis{}
	}
	return policy.Axis{Allow: rules.Allow, Deny: rules.Deny}
}

// inLayer names the DevPolicy that a refused rule stands in.
func inLayer(err error, ref *v1alpha1.PolicyReference) error {
	if ref == nil {
		return err
	}
	return placed(err, fmt.Sprintf("DevPolicy %s", ref.Name))
}

// placed says in a refusal where it arose.
func placed(err error, place string) error {
	cause := fault.As(err)
	if cause == nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	refusal := *cause
	refusal.Message = place + ": " + cause.Message
	return &refusal
}

func (p *Pipeline) excludes(r Resolved, _ Driver) error {
	given := []string(r.Plan.Workspace.Exclude)
	if given == nil {
		given = glob.DefaultExclude()
	}
	entries, err := glob.ParseEntries(given, glob.Exclude, p.Acquire.Bounds.MaxDepth)
	if err != nil {
		return placed(err, "workspace.exclude")
	}
	p.Acquire.Exclude = glob.NewExclusion(entries)
	return nil
}

func (p *Pipeline) types(r Resolved, _ Driver) (err error) {
	var overrides text.Overrides
	if given := r.Plan.Workspace.MIMETypes; given != nil {
		overrides = text.Overrides{Filenames: plainMap(given.Filenames), Extensions: plainMap(given.Extensions)}
	}
	p.Acquire.Types, err = text.NewTypes(overrides)
	return err
}

func plainMap(from map[string]v1alpha1.MIMEType) map[string]string {
	to := make(map[string]string, len(from))
	for k, v := range from {
		to[k] = string(v)
	}
	return to
}

// entries judges what acquisition will be asked for, so that a malformed entry is found
// before there is a run. Acquisition would refuse it with the same words (spec §9.2, §9.3).
func (p *Pipeline) entries(r Resolved, _ Driver) error {
	w := r.Plan.Workspace
	if _, err := glob.ParseEntries(w.Acquire, glob.Acquire, p.Acquire.Bounds.MaxDepth); err != nil {
		return placed(err, "workspace.acquire")
	}
	p.Acquire.Entries = w.Acquire
	p.Acquire.OnNoMatch = acquire.Action(w.OnNoMatch)
	p.Acquire.OnNonText = acquire.Action(w.OnNonText)
	p.Acquire.RespectGitignore = w.RespectGitignore
	return nil
}
