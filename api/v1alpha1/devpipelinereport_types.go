package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DevPipelineReport is the whole account of a run. The controller creates it empty, owned
// by the run; the sidecars of the run fill it. Read it with "fettle report".
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,shortName=dprep,categories=fettle
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.subject.kind`,description="The kind of what it tells of."
// +kubebuilder:printcolumn:name="Name",type=string,JSONPath=`.subject.name`,description="The name of what it tells of."
// +kubebuilder:printcolumn:name="Bytes",type=integer,JSONPath=`.bytes`,description="The size of the compressed data."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type DevPipelineReport struct {
	metav1.TypeMeta `json:",inline"`

	// metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// subject is what the report tells of.
	// +required
	Subject ReportSubject `json:"subject"`

	// format of the data: jsonl/1 is JSON lines of version 1.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Format string `json:"format,omitempty"`

	// data is compressed with gzip. It has at most 64 KiB unless the controller is
	// told otherwise, and at most 512 KiB.
	// +optional
	// +kubebuilder:validation:MaxLength=699052
	Data []byte `json:"data,omitempty"`

	// bytes is the size of the compressed data.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=524288
	Bytes int64 `json:"bytes,omitempty"`

	// cut counts what didn't fit.
	// +optional
	Cut *ReportCut `json:"cut,omitempty"`
}

// DevPipelineReportList is a list of reports.
//
// +kubebuilder:object:root=true
type DevPipelineReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []DevPipelineReport `json:"items"`
}

// ReportSubject is what a report tells of.
type ReportSubject struct {
	// kind of the object: DevPipelineRun or BlockTransaction.
	// +required
	// +kubebuilder:validation:Enum=DevPipelineRun;BlockTransaction
	Kind string `json:"kind"`

	// name of the object.
	// +required
	Name ObjectName `json:"name"`

	// uid of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	UID string `json:"uid"`
}

// ReportCut counts what didn't fit into a report: the diff goes first, then diagnostics
// and output tails, rows last.
type ReportCut struct {
	// diffs of files.
	// +optional
	Diffs int64 `json:"diffs,omitempty"`

	// diagnostics of all severities.
	// +optional
	Diagnostics int64 `json:"diagnostics,omitempty"`

	// tails of tools' output.
	// +optional
	Tails int64 `json:"tails,omitempty"`

	// rows of the accounting.
	// +optional
	Rows int64 `json:"rows,omitempty"`

	// contents of files in the report of a BlockTransaction.
	// +optional
	Contents int64 `json:"contents,omitempty"`

	// results in the report of a BlockTransaction.
	// +optional
	Results int64 `json:"results,omitempty"`
}
