package blocks

import "encoding/json"

type shownFileJSON struct {
	Path string `json:"path"`
	bytesJSON
	FileVersion string `json:"fileVersion"`
}

// MarshalJSON renders the file with its content by § 16.4.
func (f ShownFile) MarshalJSON() ([]byte, error) {
	return marshal(shownFileJSON{f.Path, contentJSON(f.Content), f.FileVersion})
}

// UnmarshalJSON reads a file.
func (f *ShownFile) UnmarshalJSON(data []byte) error {
	var j shownFileJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	content, err := j.bytes()
	*f = ShownFile{Path: j.Path, Content: content, FileVersion: j.FileVersion}
	return err
}

type staleFileJSON struct {
	Path string `json:"path"`
	bytesJSON
	FileVersion      string   `json:"fileVersion"`
	ObservedVersion  string   `json:"observedVersion"`
	RepoRevision     string   `json:"repoRevision"`
	ChangesSinceRead []Change `json:"changesSinceRead"`
}

// MarshalJSON renders the file with its content by § 16.4.
func (f StaleFile) MarshalJSON() ([]byte, error) {
	return marshal(staleFileJSON{f.Path, contentJSON(f.Content), f.FileVersion, f.ObservedVersion, f.RepoRevision, list(f.ChangesSinceRead)})
}

// UnmarshalJSON reads a file.
func (f *StaleFile) UnmarshalJSON(data []byte) error {
	var j staleFileJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	content, err := j.bytes()
	*f = StaleFile{j.Path, content, j.FileVersion, j.ObservedVersion, j.RepoRevision, j.ChangesSinceRead}
	return err
}

type dirtyFileJSON struct {
	Path string `json:"path"`
	bytesJSON
	FileVersion     string `json:"fileVersion"`
	ExpectedVersion string `json:"expectedVersion"`
	TargetVersion   string `json:"targetVersion"`
}

// MarshalJSON renders the file with its content by § 16.4.
func (f DirtyFile) MarshalJSON() ([]byte, error) {
	return marshal(dirtyFileJSON{f.Path, contentJSON(f.Content), f.FileVersion, f.ExpectedVersion, f.TargetVersion})
}

// UnmarshalJSON reads a file.
func (f *DirtyFile) UnmarshalJSON(data []byte) error {
	var j dirtyFileJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	content, err := j.bytes()
	*f = DirtyFile{j.Path, content, j.FileVersion, j.ExpectedVersion, j.TargetVersion}
	return err
}

type changeJSON struct {
	Commit  string `json:"commit"`
	Agent   null   `json:"agent"`
	Message string `json:"message"`
}

// MarshalJSON renders the change; an unknown agent is null.
func (c Change) MarshalJSON() ([]byte, error) {
	return marshal(changeJSON{c.Commit, null(c.Agent), c.Message})
}

// UnmarshalJSON reads a change.
func (c *Change) UnmarshalJSON(data []byte) error {
	var j changeJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*c = Change{j.Commit, string(j.Agent), j.Message}
	return nil
}
