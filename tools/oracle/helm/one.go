package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// What is done with a document of each kind.
var kinds = map[string]string{
	"decode":      "{{ fromYaml .Values.in | toJson }}",
	"decodeArray": "{{ fromYamlArray .Values.in | toJson }}",
	"encode":      "{{ toYaml .Values.in }}",
	"pretty":      "{{ toYamlPretty .Values.in }}",
	"roundtrip":   "{{ fromYaml .Values.in | toYaml }}",
}

// one renders a template alone, the only one of a small chart.
func one(request request) (string, error) {
	values := map[string]any{}
	text := kinds[request.Kind]
	if request.Template != nil {
		text = *request.Template
		if request.Values != nil {
			if err := json.Unmarshal(request.Values, &values); err != nil {
				return "", err
			}
		}
	} else {
		values["in"] = request.In
	}
	small := &chart.Chart{
		Metadata: &chart.Metadata{
			APIVersion: "v2", Name: "c", Version: "1.2.3", AppVersion: "4.5.6", Description: "A test chart",
			KubeVersion: ">=1.20.0-0", Type: "application", Keywords: []string{"k1", "k2"},
			Annotations: map[string]string{"a/b": "c"},
			Maintainers: []*chart.Maintainer{{Name: "M", Email: "m@example.com"}},
		},
		Templates: []*chart.File{{Name: "templates/t.yaml", Data: []byte(text)}},
		Values:    map[string]any{},
	}
	for name, text := range request.Files {
		// As the loader does it.
		data := bytes.TrimPrefix([]byte(text), []byte("\xEF\xBB\xBF"))
		small.Files = append(small.Files, &chart.File{Name: name, Data: data})
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	version, err := chartutil.ParseKubeVersion("v1.31.2")
	if err != nil {
		return "", err
	}
	capabilities.KubeVersion = *version
	options := chartutil.ReleaseOptions{Name: "rel", Namespace: "ns", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(small, values, options, capabilities)
	if err != nil {
		return "", err
	}
	files, err := engine.Render(small, all)
	if err != nil {
		return "", err
	}
	rendered, ok := files["c/templates/t.yaml"]
	if !ok {
		return "", fmt.Errorf("oracle: the template was not rendered")
	}
	return rendered, nil
}
