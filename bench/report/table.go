package report

import "strings"

// column is the head of a table's column. Numbers stand to the right.
type column struct {
	title md
	right bool
}

func text(title md) column   { return column{title, false} }
func number(title md) column { return column{title, true} }

// table is a Markdown table.
type table struct {
	columns []column
	rows    [][]md
}

func newTable(columns ...column) *table { return &table{columns: columns} }

func (t *table) add(cells ...md) { t.rows = append(t.rows, cells) }

// String renders the table; one without rows is empty.
func (t *table) String() string {
	if t == nil || len(t.rows) == 0 {
		return ""
	}
	var b strings.Builder
	heads, rules := make([]md, len(t.columns)), make([]md, len(t.columns))
	for i, c := range t.columns {
		heads[i], rules[i] = c.title, "---"
		if c.right {
			rules[i] = "---:"
		}
	}
	for _, row := range append([][]md{heads, rules}, t.rows...) {
		b.WriteString("|")
		for _, cell := range row {
			b.WriteString(" " + string(cell) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}
