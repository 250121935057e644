package server

import (
	"encoding/json"
	"reflect"
	"strings"
)

// outputSchema describes the JSON of a result type. A field is required unless
// it is omitted when empty; a pointer is what it points to, or absent, so that
// no type is a union.
func outputSchema[T any]() json.RawMessage {
	text, err := json.Marshal(schemaOf(reflect.TypeFor[T]()))
	if err != nil {
		return nil
	}
	return text
}

// schema is the part of JSON Schema that results need.
type schema struct {
	Type       string             `json:"type"`
	Properties map[string]*schema `json:"properties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	Items      *schema            `json:"items,omitempty"`
	Additional *bool              `json:"additionalProperties,omitempty"`
}

func schemaOf(t reflect.Type) *schema {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Struct:
		closed := false
		s := &schema{Type: "object", Properties: map[string]*schema{}, Additional: &closed}
		s.addFields(t)
		return s
	case reflect.Slice:
		return &schema{Type: "array", Items: schemaOf(t.Elem())}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return &schema{Type: "integer"}
	case reflect.Float64:
		return &schema{Type: "number"}
	}
	return &schema{Type: "string"}
}

func (s *schema) addFields(t reflect.Type) {
	for f := range t.Fields() {
		if f.Anonymous {
			s.addFields(f.Type)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		s.Properties[name] = schemaOf(f.Type)
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		}
	}
}
