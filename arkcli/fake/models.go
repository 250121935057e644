package fake

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

//go:embed catalogue.json
var catalogueJSON []byte

// catalogue is what the fake account can see, in no order.
func (s *session) catalogue() []object {
	if s.scenario.has("no_match") {
		return nil
	}
	var items []object
	if err := json.Unmarshal(catalogueJSON, &items); err != nil {
		return nil
	}
	if s.scenario.has("two_versions") {
		items = append(items, object{
			"name": "doubao-seed-2-0-mini", "display_name": "Doubao-Seed-2.0-mini", "primary_version": "260215", "lifecycle_status": "Published",
			"output_modalities": []any{"text"}, "context_window": 131072.0,
		})
	}
	if s.scenario.has("no_details") {
		for _, item := range items {
			for _, key := range []string{"context_window", "capabilities", "input_modalities", "output_modalities", "foundation_model_tag"} {
				item[key] = nil
			}
		}
	}
	return items
}

func str(item object, key string) string { text, _ := item[key].(string); return text }

// rank is Ark CLI's order of a hit: 0 visible with the keyword in its name, 1
// visible with the keyword in its description, 3 hidden, -1 no hit.
func rank(item object, keyword string) int {
	in := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(strings.ToLower(str(item, k)), strings.ToLower(keyword)) })
	}
	name := in("name", "display_name", "short_name")
	switch {
	case !name && !in("description", "introduction"):
		return -1
	case item["visible"] == false:
		return 3
	case name:
		return 0
	}
	return 1
}

func (s *session) modelsSearch() answer {
	keyword := s.flags["keyword"]
	if len(s.words) > 0 {
		keyword = s.words[0]
	}
	var hits []object
	for _, item := range s.catalogue() {
		if rank(item, keyword) >= 0 && s.passes(item) {
			hits = append(hits, item)
		}
	}
	slices.SortStableFunc(hits, func(a, b object) int {
		return cmp.Or(cmp.Compare(rank(a, keyword), rank(b, keyword)), -cmp.Compare(window(a), window(b)),
			-cmp.Compare(str(a, "update_time"), str(b, "update_time")), cmp.Compare(str(a, "name"), str(b, "name")))
	})
	return ok(object{"items": hits[:min(len(hits), number(s.flags["size"], 10))]})
}

func window(item object) float64 { n, _ := item["context_window"].(float64); return n }

// passes applies the flags. What has no modality stays in, unless the filter
// is strict.
func (s *session) passes(item object) bool {
	if str(item, "lifecycle_status") == "Shutdown" && s.flags["include-deprecated"] == "" {
		return false
	}
	outputs, known := item["output_modalities"].([]any)
	switch wanted := s.flags["modality"]; {
	case wanted == "":
		return true
	case !known:
		return s.flags["strict-filter"] == ""
	default:
		return slices.Contains(outputs, any(wanted))
	}
}

func number(text string, standard int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return standard
}

func (s *session) modelsList() answer {
	var items []object
	for _, item := range s.catalogue() {
		if strings.Contains(str(item, "name"), s.flags["name"]) && str(item, "lifecycle_status") != "Shutdown" {
			items = append(items, item)
		}
	}
	page, size := number(s.flags["page-number"], 1), number(s.flags["page-size"], 10)
	from := min((page-1)*size, len(items))
	return ok(object{"page_number": page, "page_size": size, "total_count": len(items), "items": items[from:min(from+size, len(items))]})
}

func (s *session) modelsGet() answer {
	if len(s.words) == 0 {
		return envelope(2, "validation", "models get needs a model", "")
	}
	for _, item := range s.catalogue() {
		if id := str(item, "name") + "-" + str(item, "primary_version"); s.words[0] == str(item, "name") || s.words[0] == id {
			return ok(item)
		}
	}
	return envelope(5, "not_found", "model not found: "+s.words[0], "")
}
