package apiservertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/fettle-dev/fettle/config/crd"
)

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// newClient returns a client of plain requests to any path.
func newClient(config *rest.Config) (*rest.RESTClient, error) {
	config = rest.CopyConfig(config)
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"}) // for refusals
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.UnversionedRESTClientFor(config)
}

// install applies the definitions and waits until each of their kinds is served.
func (s *server) install(ctx context.Context, client *rest.RESTClient) error {
	definitions, err := readDefinitions()
	if err != nil {
		return err
	}
	for _, d := range definitions {
		err := client.Patch(types.ApplyPatchType).AbsPath(definitionsPath, d.Name).
			Param("fieldManager", "apiservertest").Body(d.text).Do(ctx).Error()
		if err != nil {
			return fmt.Errorf("definition %s: %w", d.Name, err)
		}
	}
	for _, d := range definitions {
		if err := s.await(ctx, "established", established(client, d.Name)); err != nil {
			return fmt.Errorf("definition %s: %w", d.Name, err)
		}
		// A handler follows the condition a moment later.
		list := fmt.Sprintf("/apis/%s/%s/%s", d.Spec.Group, d.Spec.Versions[0].Name, d.Spec.Names.Plural)
		err := s.await(ctx, "served", func(ctx context.Context) error {
			return client.Get().AbsPath(list).Param("limit", "1").Do(ctx).Error()
		})
		if err != nil {
			return fmt.Errorf("definition %s: %w", d.Name, err)
		}
	}
	return nil
}

// definition is a CustomResourceDefinition and the text that it was read from.
type definition struct {
	apiextensionsv1.CustomResourceDefinition
	text []byte
}

func readDefinitions() ([]definition, error) {
	files, err := fs.Glob(crd.Bases, "bases/*.yaml")
	if err != nil {
		return nil, err
	}
	var definitions []definition
	for _, file := range files {
		text, err := fs.ReadFile(crd.Bases, file)
		if err != nil {
			return nil, err
		}
		d := definition{text: text}
		if err := yaml.UnmarshalStrict(text, &d.CustomResourceDefinition); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		definitions = append(definitions, d)
	}
	return definitions, nil
}

func established(client *rest.RESTClient, name string) func(context.Context) error {
	return func(ctx context.Context) error {
		d, err := getDefinition(ctx, client, name)
		if err != nil {
			return err
		}
		for _, c := range d.Status.Conditions {
			if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
				return nil
			}
		}
		return errors.New("condition Established isn't true")
	}
}

func getDefinition(ctx context.Context, client *rest.RESTClient, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	raw, err := client.Get().AbsPath(definitionsPath, name).Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	d := &apiextensionsv1.CustomResourceDefinition{}
	return d, json.Unmarshal(raw, d)
}
