package blocks

import "encoding/json"

type absorbReportJSON struct {
	Status       Status         `json:"status"`
	OK           bool           `json:"ok"`
	Commit       null           `json:"commit"`
	RepoRevision null           `json:"repoRevision"`
	Run          string         `json:"run,omitempty"`
	Results      []AbsorbResult `json:"results"`
	Left         []AbsorbLeft   `json:"left"`
	Errors       []Error        `json:"errors"`
	LocalDrift   []Drift        `json:"localDrift,omitempty"`
}

// MarshalJSON renders the report by § 29.8.
func (r AbsorbReport) MarshalJSON() ([]byte, error) {
	return marshal(absorbReportJSON{
		r.Status, r.OK(), null(r.Commit), null(r.RepoRevision), r.Run,
		list(r.Results), list(r.Left), list(r.Errors), r.LocalDrift,
	})
}

// UnmarshalJSON reads a report.
func (r *AbsorbReport) UnmarshalJSON(data []byte) error {
	var j absorbReportJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*r = AbsorbReport{
		Status: j.Status, Commit: string(j.Commit), RepoRevision: string(j.RepoRevision), Run: j.Run,
		Results: j.Results, Left: j.Left, Errors: j.Errors, LocalDrift: j.LocalDrift,
	}
	return nil
}

type absorbResultJSON struct {
	Path            string       `json:"path"`
	Status          ResultStatus `json:"status"`
	FileVersion     string       `json:"fileVersion"`
	ExpectedVersion string       `json:"expectedVersion"`
}

// MarshalJSON renders the result by § 29.8.
func (r AbsorbResult) MarshalJSON() ([]byte, error) {
	return marshal(absorbResultJSON{r.Path, r.Status, r.FileVersion, r.ExpectedVersion})
}

// UnmarshalJSON reads a result.
func (r *AbsorbResult) UnmarshalJSON(data []byte) error {
	var j absorbResultJSON
	err := json.Unmarshal(data, &j)
	*r = AbsorbResult{Path: j.Path, Status: j.Status, FileVersion: j.FileVersion, ExpectedVersion: j.ExpectedVersion}
	return err
}

type absorbLeftJSON struct {
	Path            string `json:"path"`
	Code            Code   `json:"code"`
	FileVersion     null   `json:"fileVersion"`
	ExpectedVersion null   `json:"expectedVersion"`
	TargetVersion   null   `json:"targetVersion"`
}

// MarshalJSON renders the row by § 29.8.
func (l AbsorbLeft) MarshalJSON() ([]byte, error) {
	return marshal(absorbLeftJSON{l.Path, l.Code, null(l.FileVersion), null(l.ExpectedVersion), null(l.TargetVersion)})
}

// UnmarshalJSON reads a row.
func (l *AbsorbLeft) UnmarshalJSON(data []byte) error {
	var j absorbLeftJSON
	err := json.Unmarshal(data, &j)
	*l = AbsorbLeft{j.Path, j.Code, string(j.FileVersion), string(j.ExpectedVersion), string(j.TargetVersion)}
	return err
}
