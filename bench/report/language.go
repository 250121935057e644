package report

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

//go:embed phrases/*.json
var phraseFiles embed.FS

// language is the phrases of one language by their keys. A phrase has places
// such as {n} for what it is told.
type language struct {
	name    string
	phrases map[string]string
	places  *regexp.Regexp
	single  *regexp.Regexp // one thing, named as if there were several; nil where no plural exists
}

// Languages are the languages in which a report can be written.
func Languages() []string { return []string{"zh", "en"} }

// languageOf reads the phrases of a language; any other name gives Chinese.
func languageOf(name string) (*language, error) {
	if name != "en" {
		name = "zh"
	}
	data, err := phraseFiles.ReadFile("phrases/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("read the phrases of the report: %w", err)
	}
	l := &language{name: name, places: regexp.MustCompile(`\{[a-z0-9_]+\}`)}
	if name == "en" {
		l.single = regexp.MustCompile(`(^|[^0-9.,])1 (request|session|sample|parameter|token|response|answer|output|stream|connection|probe|load|place|model|gap|later use|minute|prefixe|turn)s($|[^/a-z])`)
	}
	if err := json.Unmarshal(data, &l.phrases); err != nil {
		return nil, fmt.Errorf("read the phrases of the report (%s): %w", name, err)
	}
	return l, nil
}

// say gives the phrase with the given key. args are pairs of a place's name
// and its value: md stands as it is, a string is escaped, a number is printed
// by the unit in its name. Where the number n is 1, a phrase of its own for
// that goes first.
func (l *language) say(key string, args ...any) md {
	phrase, known := l.phrases[key]
	if !known {
		return esc("(" + key + ")")
	}
	for i := 0; i+1 < len(args); i += 2 {
		if n, whole := args[i+1].(int); args[i] == "n" && whole && n == 1 {
			phrase = cmp.Or(l.phrases[key+".one"], phrase)
		}
	}
	return l.singular(md(l.places.ReplaceAllStringFunc(phrase, func(place string) string {
		name := place[1 : len(place)-1]
		for i := 0; i+1 < len(args); i += 2 {
			if args[i] == name {
				return string(printed(name, args[i+1]))
			}
		}
		return place
	})))
}

// singular takes the plural from what there is one of.
func (l *language) singular(text md) md {
	if l.single == nil {
		return text
	}
	return md(strings.ReplaceAll(l.single.ReplaceAllString(string(text), "${1}1 ${2}${3}"), "1 prefixe", "1 prefix"))
}

func printed(name string, value any) md {
	switch v := value.(type) {
	case md:
		return v
	case string:
		return esc(v)
	case int:
		return md(count(v))
	case float64:
		return md(figure(name, v))
	}
	return esc(fmt.Sprint(value))
}

// has reports whether there is such a phrase.
func (l *language) has(key string) bool {
	_, known := l.phrases[key]
	return known
}

// either gives the first of the keys that has a phrase.
func (l *language) either(keys []string, args ...any) md {
	for _, key := range keys {
		if l.has(key) {
			return l.say(key, args...)
		}
	}
	return l.say(keys[len(keys)-1], args...)
}

// sentence ends a line that has no end of its own.
func (l *language) sentence(line md) md {
	if strings.HasSuffix(string(line), ".") || strings.HasSuffix(string(line), "。") {
		return line
	}
	return line + l.say("stop")
}

// unknown stands for what nobody knows.
func (l *language) unknown() md { return l.say("n/a") }

// share prints an optional share from 0 to 1.
func (l *language) share(v *float64) md {
	if v == nil {
		return l.unknown()
	}
	return md(percent(*v))
}

// number prints an optional number with the unit in its phrase's place {v}.
func (l *language) number(key string, v *float64) md {
	if v == nil {
		return l.unknown()
	}
	return l.say(key, "v", md(significant(*v)))
}

// remark says what is known by an English text, such as a note of the journal,
// in the page's language; any other text stays as it is.
func (l *language) remark(text string) md {
	if l.name == "en" {
		return esc(text)
	}
	english, err := languageOf("en")
	if err != nil {
		return esc(text)
	}
	return l.remarkIn(english, text)
}

func (l *language) remarkIn(english *language, text string) md {
	for _, key := range slices.Sorted(maps.Keys(english.phrases)) {
		phrase := english.phrases[key]
		if !strings.HasPrefix(key, "remark.") {
			continue
		}
		names := english.places.FindAllString(phrase, -1)
		parts := english.filled(phrase, text)
		if parts == nil {
			continue
		}
		var args []any
		for i, name := range names {
			args = append(args, strings.Trim(name, "{}"), l.remarkIn(english, parts[i]))
		}
		return l.say(key, args...)
	}
	return esc(text)
}

// filled is what stands in the places of a phrase where a text is that phrase
// with its places filled; nil where it is not.
func (l *language) filled(phrase, text string) []string {
	var pattern strings.Builder
	pattern.WriteString("^")
	for i, fixed := range l.places.Split(bare(md(phrase)), -1) {
		if i > 0 {
			pattern.WriteString("(.+?)")
		}
		pattern.WriteString(regexp.QuoteMeta(fixed))
	}
	match := regexp.MustCompile(pattern.String() + "$").FindStringSubmatch(text)
	if match == nil {
		return nil
	}
	return match[1:]
}
