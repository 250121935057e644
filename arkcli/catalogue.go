package arkcli

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

const (
	searchSize = 30 // entries that one search asks for
	maxLookups = 6  // searches for one phrase
	maxPages   = 20 // pages read of any list
)

// catalogue gathers what searches for one phrase have found.
type catalogue struct {
	cli        *CLI
	profile    string
	deprecated bool // also ask for models that are shut down
	models     []model
	asked      map[string]bool // keywords searched for, and whether all hits came back
	warnings   []string
	plain      bool // the CLI knows no flags of models search
}

func (c *CLI) catalogue(profile string, deprecated bool) *catalogue {
	return &catalogue{cli: c, profile: profile, deprecated: deprecated, asked: map[string]bool{}}
}

// search adds what Ark CLI finds for a keyword, and reports whether that was
// all there is. Ark CLI looks for the keyword as it stands, so it must be a
// part of a name.
func (k *catalogue) search(ctx context.Context, keyword string) (whole bool, err *Error) {
	if whole, before := k.asked[keyword]; before || keyword == "" || len(k.asked) >= maxLookups {
		return whole, nil
	}
	k.asked[keyword] = false
	v, warning, err := k.ask(ctx, keyword)
	if err != nil {
		return false, err
	}
	if warning != "" {
		k.warnings = append(k.warnings, warning)
	}
	found := readModels(v)
	k.add(found)
	k.asked[keyword] = len(v.field("items").items()) < searchSize
	return k.asked[keyword], nil
}

func (k *catalogue) ask(ctx context.Context, keyword string) (value, string, *Error) {
	args := []string{"models", "search", keyword, "--profile", k.profile}
	if !k.plain {
		full := append(slices.Clone(args), "--modality", "text", "--size", strconv.Itoa(searchSize))
		if k.deprecated {
			full = append(full, "--include-deprecated")
		}
		v, warning, err := k.cli.ask(ctx, full...)
		if err == nil || err.Problem != CLITooOld || !strings.Contains(err.Message, "unknown flag") {
			return v, warning, err
		}
		k.plain = true
	}
	return k.cli.ask(ctx, args...)
}

// list adds what models list shows, page by page, for phrases in which no word
// is spelled right.
func (k *catalogue) list(ctx context.Context) *Error {
	const size, pages = 100, 5
	for page := 1; page <= pages; page++ {
		v, err := k.page(ctx, page, size)
		if err != nil {
			return err
		}
		found := readModels(v)
		k.add(found)
		if len(found) == 0 || page*size >= v.field("total_count").count() {
			break
		}
	}
	return nil
}

func (k *catalogue) page(ctx context.Context, page, size int) (value, *Error) {
	args := []string{"models", "list", "--profile", k.profile}
	v, _, err := k.cli.ask(ctx, append(slices.Clone(args), "--page-number", strconv.Itoa(page), "--page-size", strconv.Itoa(size))...)
	if err != nil && err.Problem == CLITooOld && strings.Contains(err.Message, "unknown flag") {
		v, _, err = k.cli.ask(ctx, args...)
	}
	return v, err
}

// add keeps new models that answer in text.
func (k *catalogue) add(found []model) {
	for _, m := range found {
		known := slices.ContainsFunc(k.models, func(o model) bool { return o.id == m.id })
		if !known && m.modality != otherModality {
			k.models = append(k.models, m)
		}
	}
}

// matches compares the phrase with all models found, the best first. Hidden
// models count only when they are named exactly; shut-down ones only when they
// were asked for.
func (k *catalogue) matches(p phrase) []match {
	var out []match
	for _, m := range k.models {
		got := p.compare(m)
		if m.hidden && got.fit < equal || m.shutdown() != k.deprecated {
			continue
		}
		out = append(out, got)
	}
	slices.SortStableFunc(out, func(a, b match) int {
		if a.fit != b.fit {
			return int(b.fit) - int(a.fit)
		}
		switch {
		case a.score != b.score && a.score > b.score:
			return -1
		case a.score != b.score:
			return 1
		}
		return strings.Compare(a.model.id, b.model.id)
	})
	return out
}

// best are the good matches of the highest fit there is.
func best(matches []match) []match {
	if len(matches) == 0 || matches[0].fit == none {
		return nil
	}
	end := slices.IndexFunc(matches, func(m match) bool { return m.fit != matches[0].fit })
	if end < 0 {
		end = len(matches)
	}
	return matches[:end]
}

// keywords are what to search for: the whole name as a slug without its
// version stamp, then its words, the likeliest to find few models first. A
// version is searched for in both spellings, "2-0" and "2.0".
func (p phrase) keywords() (whole string, words [][]string) {
	slug := slugs(p.tokens)
	end := len(slug)
	for end > 1 && isStamp(slug[end-1]) {
		end--
	}
	whole = safeKeyword(strings.Join(slug[:end], "-"))
	tokens := slices.Clone(p.tokens[:end])
	slices.SortStableFunc(tokens, func(a, b string) int { return rarity(b) - rarity(a) })
	for _, t := range tokens {
		group := []string{safeKeyword(strings.ReplaceAll(t, ".", "-"))}
		if strings.Contains(t, ".") {
			group = append(group, safeKeyword(t))
		}
		words = append(words, group)
	}
	return whole, words
}

// searchAll searches for each spelling of a word, and reports whether all that
// hold one of them came back.
func (k *catalogue) searchAll(ctx context.Context, spellings []string) (whole bool, err *Error) {
	whole = true
	for _, keyword := range spellings {
		all, err := k.search(ctx, keyword)
		if err != nil {
			return false, err
		}
		whole = whole && all && keyword != ""
	}
	return whole, nil
}

// slugs spells tokens as names of models do: "2.0" as "2-0".
func slugs(tokens []string) []string {
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		out = append(out, strings.ReplaceAll(t, ".", "-"))
	}
	return out
}

// isStamp reports whether a word looks like the version stamp of an ID. It
// only widens a search and decides nothing.
func isStamp(word string) bool {
	digits := digitsOf(word)
	return len(digits) >= 4 && len(digits) == len(word) || word == "preview" || word == "modelhub" || word == "latest" || word == "ga"
}

// rarity orders words by how much they narrow a search.
func rarity(word string) int {
	switch {
	case slices.Contains(families(), word):
		return 0
	case isVersion(word) && len(word) < 2:
		return 0
	case isVersion(word):
		return 1
	}
	return 2
}

// families are the first words of names known to Ark.
func families() []string {
	return []string{"doubao", "seed", "deepseek", "glm", "kimi", "qwen", "mistral", "llama", "minimax"}
}

// nearestFamily corrects slips in a family's name; "" when none is near.
func nearestFamily(tokens []string) string {
	for _, t := range tokens {
		for _, family := range families() {
			if !isVersion(t) && (t == family || isSlip(t, family)) {
				return family
			}
		}
	}
	return ""
}

// safeKeyword keeps what a name can hold: on Windows the npm shim hands
// arguments to a shell.
func safeKeyword(word string) string {
	word = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.', r >= 0x4E00 && r <= 0x9FFF:
			return r
		}
		return -1
	}, word)
	return bounded(strings.Trim(word, "-."), 64)
}
