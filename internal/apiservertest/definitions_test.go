package apiservertest

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestEachDefinitionIsEstablishedUnderItsNames(t *testing.T) {
	c := client(t)
	definitions, err := readDefinitions()
	if err != nil {
		t.Fatal(err)
	}
	if len(definitions) == 0 {
		t.Fatal("got no definitions, want those of config/crd")
	}
	for _, want := range definitions {
		t.Run(want.Spec.Names.Kind, func(t *testing.T) {
			got, err := getDefinition(t.Context(), c, want.Name)
			if err != nil {
				t.Fatal(err)
			}
			conditions := map[apiextensionsv1.CustomResourceDefinitionConditionType]apiextensionsv1.CustomResourceDefinitionCondition{}
			for _, condition := range got.Status.Conditions {
				conditions[condition.Type] = condition
			}
			for _, name := range []apiextensionsv1.CustomResourceDefinitionConditionType{apiextensionsv1.Established, apiextensionsv1.NamesAccepted} {
				if conditions[name].Status != apiextensionsv1.ConditionTrue {
					t.Errorf("%s: got %+v, want True", name, conditions[name])
				}
			}
			if c, there := conditions[apiextensionsv1.NonStructuralSchema]; there && c.Status != apiextensionsv1.ConditionFalse {
				t.Errorf("got %+v, want a structural schema", c)
			}
			if g, w := strings.Join(got.Status.AcceptedNames.ShortNames, " "), strings.Join(want.Spec.Names.ShortNames, " "); g != w {
				t.Errorf("short names: got %q, want %q", g, w)
			}
		})
	}
}
