// Command helm answers what Helm makes of charts, for differential tests.
//
// It reads cases from standard input, one JSON object a line: a chart's files (or where it is), values and switches, see
// request; or a template alone, see one. It writes each case back with Helm's answer: "want" (the output of
// `helm template`, or what the template gives) or "error", and for charts "warnings".
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
)

type request struct {
	// A template alone, or what is done with a YAML document: the case is none of a chart then.
	Template *string `json:"template"`
	Kind     string  `json:"kind"`
	In       any     `json:"in"`
	// The chart's files by path, or the folder that holds them.
	Files map[string]string `json:"files"`
	Chart string            `json:"chart"`
	// One text for charts, an object for templates.
	Values json.RawMessage `json:"values"`
	// Texts of further values files.
	MoreValues  []string `json:"moreValues"`
	SetJSON     []string `json:"setJSON"`
	Set         []string `json:"set"`
	SetString   []string `json:"setString"`
	SetLiteral  []string `json:"setLiteral"`
	KubeVersion string   `json:"kubeVersion"`
	Namespace   string   `json:"namespace"`
	APIVersions []string `json:"apiVersions"`
	IsUpgrade   bool     `json:"isUpgrade"`
	IncludeCRDs bool     `json:"includeCRDs"`
	ShowOnly    []string `json:"showOnly"`
	SkipTests   bool     `json:"skipTests"`
	NoHooks     bool     `json:"noHooks"`
}

const (
	// How long Helm may think about one case; templates and patterns can take for ever.
	patience = 20 * time.Second
	// How much memory the process may take; templates can fill any.
	memory = 4 << 30
)

func main() {
	folder, err := os.MkdirTemp("/dev/shm", "oracle-helm-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	log.SetFlags(0)
	// Neither the version of Go that built this program nor its commit is part of what Helm does.
	about := &chartutil.DefaultCapabilities.HelmVersion
	about.Version, about.GitCommit, about.GitTreeState, about.GoVersion = "v3.22.0", "", "clean", "go1.26.8"
	go watchMemory(folder)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		out.Write(answer(folder, line))
		out.WriteByte('\n')
		out.Flush()
	}
}

// watchMemory ends the process before it takes more memory than it may.
func watchMemory(folder string) {
	for ; ; time.Sleep(50 * time.Millisecond) {
		var size, resident int
		text, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			return
		}
		if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
			return
		}
		if resident > memory/os.Getpagesize() {
			os.RemoveAll(folder)
			os.Exit(1)
		}
	}
}

// answer adds Helm's answer to a case.
func answer(folder string, line []byte) []byte {
	var all map[string]any
	var request request
	if err := json.Unmarshal(line, &all); err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(line, &request); err != nil {
		log.Fatal(err)
	}
	var logged bytes.Buffer
	log.SetOutput(&logged)
	// A case after one that never ends has the folder to itself.
	own, err := os.MkdirTemp(folder, "c")
	if err != nil {
		log.Fatal(err)
	}
	type result struct{ output, failure string }
	done := make(chan result, 1)
	go func() {
		output, err := guarded(own, request)
		if err != nil {
			done <- result{failure: err.Error()}
			return
		}
		done <- result{output: output}
	}()
	select {
	case result := <-done:
		if result.failure != "" {
			all["error"] = strings.ReplaceAll(result.failure, own+"/", "")
		} else {
			all["want"] = result.output
		}
	case <-time.After(patience):
		all["error"] = "oracle: no answer in time"
	}
	os.RemoveAll(own)
	log.SetOutput(os.Stderr)
	if request.Template == nil && request.Kind == "" {
		all["warnings"] = strings.FieldsFunc(logged.String(), func(r rune) bool { return r == '\n' })
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all); err != nil {
		log.Fatal(err)
	}
	return bytes.TrimSpace(encoded.Bytes())
}

func guarded(folder string, request request) (output string, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("oracle: panic: %v", reason)
		}
	}()
	if request.Template != nil || request.Kind != "" {
		return one(request)
	}
	return template(folder, request)
}

// template does what `helm template` does with a folder.
func template(folder string, request request) (string, error) {
	chart := request.Chart
	if chart == "" {
		chart = filepath.Join(folder, "chart")
		if err := os.MkdirAll(chart, 0o755); err != nil {
			return "", err
		}
	}
	for name, text := range request.Files {
		path := filepath.Join(chart, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	options := values.Options{
		JSONValues: request.SetJSON, Values: request.Set,
		StringValues: request.SetString, LiteralValues: request.SetLiteral,
	}
	texts := request.MoreValues
	if request.Values != nil {
		var text string
		if err := json.Unmarshal(request.Values, &text); err != nil {
			return "", err
		}
		texts = append([]string{text}, texts...)
	}
	for index, text := range texts {
		file := filepath.Join(folder, "VALUES"+strings.Repeat("+", index))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return "", err
		}
		options.ValueFiles = append(options.ValueFiles, file)
	}
	client := action.NewInstall(new(action.Configuration))
	client.DryRunOption = "true"
	client.DryRun = true
	client.ReleaseName = "release-name"
	client.Replace = true
	client.ClientOnly = true
	client.IncludeCRDs = request.IncludeCRDs
	client.IsUpgrade = request.IsUpgrade
	client.APIVersions = request.APIVersions
	client.Namespace = request.Namespace
	if client.Namespace == "" {
		client.Namespace = "default"
	}
	kubeVersion := request.KubeVersion
	if kubeVersion == "" {
		kubeVersion = "v1.31.2"
	}
	var err error
	if client.KubeVersion, err = chartutil.ParseKubeVersion(kubeVersion); err != nil {
		return "", err
	}
	merged, err := options.MergeValues(getter.Providers{})
	if err != nil {
		return "", err
	}
	loaded, err := loader.Load(chart)
	if err != nil {
		return "", err
	}
	if loaded.Metadata.Type != "" && loaded.Metadata.Type != "application" {
		return "", fmt.Errorf("%s charts are not installable", loaded.Metadata.Type)
	}
	if loaded.Metadata.Deprecated && request.Chart != "" {
		log.Print("WARNING: This chart is deprecated")
	}
	if required := loaded.Metadata.Dependencies; required != nil {
		if err := action.CheckDependencies(loaded, required); err != nil {
			return "", fmt.Errorf("An error occurred while checking for chart dependencies. You may need to run "+
				"`helm dependency build` to fetch missing dependencies: %w", err)
		}
	}
	rendered, err := client.Run(loaded, merged)
	if err != nil {
		return "", err
	}
	text := shown(rendered, request)
	if len(request.ShowOnly) > 0 {
		return only(text, request.ShowOnly)
	}
	return text, nil
}

// shown returns what the command prints of a release.
func shown(rendered *release.Release, request request) string {
	var manifests strings.Builder
	fmt.Fprintln(&manifests, strings.TrimSpace(rendered.Manifest))
	for _, hook := range rendered.Hooks {
		if request.NoHooks || request.SkipTests && slices.Contains(hook.Events, release.HookTest) {
			continue
		}
		fmt.Fprintf(&manifests, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return manifests.String()
}

var source = regexp.MustCompile("# Source: [^/]+/(.+)")

// only does what the command does with its output for `--show-only`.
func only(text string, patterns []string) (string, error) {
	split := releaseutil.SplitManifests(text)
	keys := slices.Collect(maps.Keys(split))
	sort.Sort(releaseutil.BySplitManifestsOrder(keys))
	var out strings.Builder
	for _, pattern := range patterns {
		missing := true
		for _, key := range keys {
			path := source.FindStringSubmatch(split[key])
			if len(path) == 0 {
				continue
			}
			if fits, _ := filepath.Match(pattern, path[1]); fits {
				fmt.Fprintf(&out, "---\n%s\n", split[key])
				missing = false
			}
		}
		if missing {
			return "", fmt.Errorf("could not find template %s in chart", pattern)
		}
	}
	return out.String(), nil
}
