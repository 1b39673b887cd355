package report

import "github.com/goccy/go-yaml"

// planAxes reads the values of each axis from a stored plan in their order; a
// plan that can't be read has none.
func planAxes(plan []byte) (axes map[string][]string) {
	defer func() {
		if recover() != nil { // the library panics on some malformed tags
			axes = nil
		}
	}()
	var p struct {
		Axes map[string][]axisValue
	}
	if len(plan) == 0 || yaml.Unmarshal(plan, &p) != nil {
		return nil
	}
	axes = map[string][]string{}
	for name, values := range p.Axes {
		for _, v := range values {
			axes[name] = append(axes[name], string(v))
		}
	}
	return axes
}

// axisValue is a plain value or a mapping with the key value.
type axisValue string

// UnmarshalYAML implements goccy's InterfaceUnmarshaler.
func (v *axisValue) UnmarshalYAML(unmarshal func(any) error) error {
	var full struct{ Value string }
	if err := unmarshal(&full); err == nil {
		*v = axisValue(full.Value)
		return nil
	}
	return unmarshal((*string)(v))
}
