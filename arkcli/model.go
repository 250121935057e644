package arkcli

import (
	"slices"
	"strings"
)

// model is one entry of Ark CLI's catalogue.
type model struct {
	id, name, display, version string
	lifecycle                  string // Published, Retiring, Shutdown, or ""
	hidden                     bool
	modality                   modality
	context                    int
	capabilities               []string
	tokens                     []string // of the name
	labels                     [][]string
}

// modality is whether a model answers in text.
type modality int

const (
	unknownModality modality = iota
	textModality
	otherModality
)

func readModels(v value) []model {
	list := v
	if !v.array() {
		list = v.field("items", "models", "list")
	}
	var out []model
	for _, item := range list.items() {
		if m := readModel(item); m.id != "" {
			out = append(out, m)
		}
	}
	return out
}

func readModel(v value) model {
	m := model{
		name: cleanName(v.field("name").text()), display: cleanName(v.field("display_name").text()),
		version: cleanName(v.field("primary_version").text()), lifecycle: cleanName(v.field("lifecycle_status").text()),
		context: v.field("context_window").count(), capabilities: capabilities(v),
		modality: modalityOf(v),
	}
	m.hidden = isHidden(v)
	m.id = cleanName(v.field("callable_model_id").text())
	if m.id == "" {
		m.id = callableID(m.name, m.version)
	}
	m.tokens = tokenize(strings.ToLower(m.name))
	m.labels = [][]string{m.tokens, tokenize(strings.ToLower(m.id))}
	if m.display != "" {
		m.labels = append(m.labels, tokenize(aliased(strings.ToLower(narrow(m.display)))))
	}
	return m
}

// cleanName makes a name of the catalogue safe to show and to send.
func cleanName(name string) string { return bounded(oneLine(name), maxPhrase) }

// callableID is the model ID of a name with its primary version. Some models
// have no version, or "latest-version": then the name is the ID.
func callableID(name, version string) string {
	if name == "" || version == "" || version == "latest-version" || strings.HasSuffix(name, "-"+version) {
		return name
	}
	return name + "-" + version
}

func isHidden(v value) bool {
	if visible, known := v.field("visible", "is_visible").truth(); known {
		return !visible
	}
	return v.field("hidden", "is_hidden").yes() || strings.EqualFold(v.field("visibility").text(), "hidden")
}

func capabilities(v value) []string {
	out := v.field("capabilities").trueKeys()
	if list := v.field("capabilities").texts(); len(list) > 0 {
		out = list
	}
	for i, name := range out {
		out[i] = bounded(oneLine(name), 40)
	}
	return out[:min(len(out), 20)]
}

// modalityOf trusts the output modalities, then the kinds of task, then, when
// the catalogue says neither, the name.
func modalityOf(v value) modality {
	if outputs := v.field("output_modalities").texts(); len(outputs) > 0 {
		return textIf(slices.ContainsFunc(outputs, func(o string) bool { return strings.EqualFold(o, "text") }))
	}
	if tasks := v.path("foundation_model_tag", "task_types").texts(); len(tasks) > 0 {
		return textIf(slices.ContainsFunc(tasks, isTextTask))
	}
	if soundsOtherThanText(v.field("name").text()) {
		return otherModality
	}
	return unknownModality
}

func textIf(is bool) modality {
	if is {
		return textModality
	}
	return otherModality
}

func isTextTask(task string) bool {
	task = strings.ToLower(task)
	return strings.Contains(task, "textgeneration") || strings.Contains(task, "chat") || strings.Contains(task, "visualquestionanswering")
}

func soundsOtherThanText(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"seedream", "seedance", "seededit", "seed3d", "image", "video", "t2i", "t2v", "i2v", "tts", "asr", "speech", "voice", "audio", "embedding", "rerank", "music", "wan2"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

func (m model) shutdown() bool { return strings.EqualFold(m.lifecycle, "Shutdown") }

func (m model) retiring() bool { return strings.EqualFold(m.lifecycle, "Retiring") }

func (m model) title() string {
	if m.display != "" {
		return m.display
	}
	return m.name
}
