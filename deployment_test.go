package app_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestBaseImagesAreNamedByDigest holds the Dockerfile to images that nobody can
// replace, and the one that builds to the version of Go that go.mod asks for.
func TestBaseImagesAreNamedByDigest(t *testing.T) {
	text := readText(t, "Dockerfile")
	args := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ARG (\w+)=(\S+)$`).FindAllStringSubmatch(text, -1) {
		args[m[1]] = m[2]
	}
	pinned := regexp.MustCompile(`^\S+:[\w.-]+@sha256:[0-9a-f]{64}$`)
	from := regexp.MustCompile(`(?m)^FROM (?:\$\{(\w+)\}|(\S+))`).FindAllStringSubmatch(text, -1)
	for _, m := range from {
		if image := args[m[1]] + m[2]; !pinned.MatchString(image) {
			t.Errorf("FROM %s is %q, want name:tag@sha256:…", m[1], image)
		}
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(readText(t, "go.mod"))
	if len(from) != 2 || version == nil || !strings.HasPrefix(args["GO_IMAGE"], "golang:"+version[1]+"@") {
		t.Errorf("%d images, the first of them %q; go.mod asks for Go %v", len(from), args["GO_IMAGE"], version)
	}
}

// TestTheChartLetsThroughWhoIsNamed reads the chart's defaults: its network policy is
// on, every rule that is needed names its peers, and none of them is everybody but that
// for Slack, which leaves out private networks and the node's metadata. make helm
// renders it.
func TestTheChartLetsThroughWhoIsNamed(t *testing.T) {
	type peer struct {
		PodSelector, NamespaceSelector map[string]any
		IPBlock                        struct {
			CIDR   string
			Except []string
		} `yaml:"ipBlock"`
	}
	type rule struct{ To, From []peer }
	var values struct {
		NetworkPolicy struct {
			Enabled                               bool
			Redis, DNS, Internet, Model, Scraping rule
		} `yaml:"networkPolicy"`
	}
	if err := yaml.Unmarshal([]byte(readText(t, "helm/roundtable/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	p := values.NetworkPolicy
	if !p.Enabled || len(p.Redis.To) == 0 || len(p.DNS.To) == 0 || len(p.Scraping.From) == 0 || len(p.Model.To) != 0 {
		t.Errorf("enabled %t, and who is named is %+v", p.Enabled, p)
	}
	for _, x := range append(append(append([]peer(nil), p.Redis.To...), p.DNS.To...), p.Scraping.From...) {
		if strings.HasSuffix(x.IPBlock.CIDR, "/0") {
			t.Errorf("%s is everybody", x.IPBlock.CIDR)
		}
	}
	for _, x := range p.Internet.To {
		private := strings.Join(x.IPBlock.Except, " ")
		if x.IPBlock.CIDR == "0.0.0.0/0" && (!strings.Contains(private, "169.254.0.0/16") || !strings.Contains(private, "10.0.0.0/8")) ||
			x.IPBlock.CIDR == "::/0" && !strings.Contains(private, "fc00::/7") {
			t.Errorf("%s leaves out only %q", x.IPBlock.CIDR, private)
		}
	}
	// The program takes nine tenths of its limit by itself; what Kubernetes can say is
	// the whole.
	if strings.Contains(readText(t, "helm/roundtable/templates/deployment.yaml"), "limits.memory") {
		t.Error("the deployment hands on the whole memory limit")
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
