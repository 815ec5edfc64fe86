module github.com/chartwright/chartwright/tools/oracle/yaml

go 1.24

require (
	go.yaml.in/yaml/v3 v3.0.5
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.4
