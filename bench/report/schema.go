package report

import _ "embed" // for the schema

//go:embed result.schema.json
var resultSchema string

// ResultSchema is the JSON Schema (draft 2020-12) of result.json. Later
// versions of the same schema may add properties, and change none.
func ResultSchema() string { return resultSchema }
