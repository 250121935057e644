package arkcli

import (
	"fmt"
	"slices"
	"strings"
)

// Among finds the one model of a given list of IDs that query means, by the
// rules by which [CLI.Resolve] reads the catalogue, asking nobody. Several that
// fit equally, or that come near, are no error: Resolved is false and
// Candidates holds them. None is an [*Error] with the problem [ModelNotFound].
func Among(query string, ids []string) (Resolution, error) {
	p := newPhrase(query)
	r := Resolution{Query: p.said}
	if at := slices.IndexFunc(ids, func(id string) bool { return strings.ToLower(id) == p.exact }); at >= 0 {
		r.Resolved, r.ModelID, r.Why = true, ids[at], "it is the exact ID of a model that is served"
		return r, nil
	}
	matches := listed(ids).matches(p)
	good := best(matches)
	switch {
	case len(good) == 1:
		r.Resolved, r.ModelID, r.DisplayName = true, good[0].model.id, good[0].model.name
		r.Why = "it is the one model that is served and fits"
		return r, nil
	case len(good) > 1:
		r.Candidates, r.Why = candidates(good), "several of the models that are served fit equally well"
		return r, nil
	}
	if r.Candidates = candidates(likely(matches, 0.5)); len(r.Candidates) > 0 {
		r.Why = "no model that is served is called so; these come near"
		return r, nil
	}
	e := problem(ModelNotFound, fmt.Sprintf("no model like %q is served", bounded(p.said, 60)))
	e.Suggestions, e.Fix = candidates(matches), []string{"name one of the models that are served"}
	return r, e
}

// listed is a catalogue of models of which the IDs alone are known.
func listed(ids []string) *catalogue {
	k := &catalogue{}
	for _, id := range ids {
		name := id
		if at := strings.LastIndexByte(id, '-'); at > 0 && isVersionOfID(id[at+1:]) {
			name = id[:at]
		}
		k.models = append(k.models, model{
			id: id, name: name, modality: textModality,
			tokens: tokenize(name), labels: [][]string{tokenize(name), tokenize(id)},
		})
	}
	return k
}
