package arkcli

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Patterns; never changed.
var (
	letterForZero = regexp.MustCompile(`(\d[.\-])o\b`)
	runsOfOneKind = regexp.MustCompile(`\p{Han}+|\p{Ll}+|\p{Lu}+|[\p{Lo}\p{Lm}]+|\p{Nd}+|[^\p{L}\p{Nd}]+`)
	shortVersion  = regexp.MustCompile(`^[a-z]?\d{1,2}(\.\d{1,2})*$`)
	shortNumber   = regexp.MustCompile(`^\d{1,2}$`)
	versionStart  = regexp.MustCompile(`^[a-z]?\d`)
)

// phrase is what a user called a model, taken apart for comparison.
type phrase struct {
	said   string   // as given, on one line
	exact  string   // lower case, ASCII width, without quotes: for comparison with IDs
	tokens []string // words and version numbers, fillers left out: "doubao" "seed" "2.0" "mini"
	glued  string   // the letters and digits of all tokens in one: "doubaoseed20mini"
}

// maxPhrase is how many characters of a query are looked at.
const maxPhrase = 200

func newPhrase(query string) phrase {
	said := bounded(oneLine(strings.ToValidUTF8(query, "")), maxPhrase)
	exact := strings.ToLower(narrow(said))
	exact = strings.Trim(exact, " \t\"'`“”‘’「」『』《》<>[]()（）【】,;:。，！!?？")
	p := phrase{said: said, exact: exact}
	p.tokens = withoutFillers(tokenize(aliased(exact)))
	p.glued = glue(p.tokens)
	return p
}

// narrow turns full-width forms into their ASCII ones, and odd dashes into "-".
func narrow(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			return r - 0xFEE0
		case r == 0x3000:
			return ' '
		case unicode.Is(unicode.Pd, r), r == '−', r == '·':
			return '-'
		}
		return r
	}, text)
}

// aliases are Chinese names and common short forms, the longer before those
// that they contain.
func aliases() []string {
	return []string{
		"深度求索", " deepseek ", "月之暗面", " kimi ", "通义千问", " qwen ", "豆包", " doubao ", "种子", " seed ",
		"千问", " qwen ", "智谱清言", " glm ", "智谱", " glm ", "清言", " glm ",
		"迷你版", " mini ", "迷你", " mini ", "轻量级", " lite ", "轻量版", " lite ", "轻量", " lite ",
		"专业版", " pro ", "专业", " pro ", "极速版", " flash ", "极速", " flash ", "闪电版", " flash ", "快闪版", " flash ", "涡轮", " turbo ",
		"正式版", " ga ", "预览版", " preview ", "预览", " preview ",
		"不要思考", " ", "不思考", " ", "关闭思考", " ", "关掉思考", " ", "编程", " code ", "代码", " code ", "编码", " code ", "视觉", " vision ", "思考", " thinking ",
		"推理接入点", " ", "接入点", " ", "端点", " ", "大模型", " ", "模型", " ", "字节跳动", " ", "字节", " ",
		"火山引擎", " ", "火山方舟", " ", "火山", " ", "方舟", " ", "版本", " ", "版", " ", "的", " ", "那个", " ", "这个", " ", "最新", " ",
		"请", " ", "帮我", " ", "测试", " ", "压测", " ", "测一测", " ", "测一下", " ", "一下", " ", "性能", " ", "速度", " ", "延迟", " ",
		"看看", " ", "跑一跑", " ", "跑个分", " ", "我想", " ", "测", " ",
	}
}

func aliased(text string) string {
	text = chineseNumbers(text)
	return letterO(strings.NewReplacer(aliases()...).Replace(text))
}

// chineseNumbers turns "二点零" and "2点0" into "2.0".
func chineseNumbers(text string) string {
	digits := map[rune]rune{
		'零': '0', '〇': '0', '一': '1', '二': '2', '两': '2', '三': '3', '四': '4',
		'五': '5', '六': '6', '七': '7', '八': '8', '九': '9',
	}
	return strings.Map(func(r rune) rune {
		if d, ok := digits[r]; ok {
			return d
		}
		if r == '点' {
			return '.'
		}
		return r
	}, strings.ReplaceAll(text, "一下", " "))
}

// letterO mends "2.o" into "2.0".
func letterO(text string) string {
	return letterForZero.ReplaceAllString(text, "${1}0")
}

// tokenize splits text into words and numbers. A number keeps the one letter
// before it ("v4", "k3") or after it ("32k"); short numbers that follow each
// other are one version ("2-0" and "2.0" are the same).
func tokenize(text string) []string {
	pieces := runsOfOneKind.FindAllString(text, -1)
	var out []string
	for i := 0; i < len(pieces); i++ {
		piece := pieces[i]
		if !isAlnum(piece) {
			continue
		}
		if isNumber(piece) {
			out = append(out, piece)
			continue
		}
		if i+1 < len(pieces) && isNumber(pieces[i+1]) {
			out = append(out, wordBeforeNumber(piece, pieces[i+1])...)
			i++
			continue
		}
		if n := len(out); len(piece) == 1 && n > 0 && i > 0 && isNumber(pieces[i-1]) {
			out[n-1] += piece // 32k
			continue
		}
		out = append(out, piece)
	}
	return joinVersions(out)
}

// wordBeforeNumber keeps one letter with its number and takes the v of a
// version off a word that has run into it ("deepseekv4").
func wordBeforeNumber(word, number string) []string {
	if len(word) == 1 {
		return []string{word + number}
	}
	if rest, ok := strings.CutSuffix(word, "v"); ok && (len(rest) > 2 || rest == "ds") {
		return []string{rest, "v" + number}
	}
	return []string{word, number}
}

func isAlnum(piece string) bool {
	r := []rune(piece)[0]
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func isNumber(piece string) bool { return piece != "" && unicode.IsDigit([]rune(piece)[0]) }

// joinVersions makes one token of short numbers in a row.
func joinVersions(tokens []string) []string {
	var out []string
	for _, t := range tokens {
		if n := len(out); n > 0 && shortNumber.MatchString(t) && shortVersion.MatchString(out[n-1]) {
			out[n-1] += "." + t
			continue
		}
		out = append(out, t)
	}
	return out
}

// withoutFillers drops words that name no model and words said twice ("智谱
// glm"), and turns short forms into the words of the catalogue.
func withoutFillers(tokens []string) []string {
	fillers := " model models the a an endpoint latest please version by from bytedance volcengine volc ark llm api chat test benchmark "
	short := map[string]string{"ds": "deepseek", "moonshot": "kimi", "zhipu": "glm", "chatglm": "glm", "coding": "code", "coder": "code", "professional": "pro"}
	var out []string
	for _, t := range tokens {
		if strings.Contains(fillers, " "+t+" ") {
			continue
		}
		if full, ok := short[t]; ok {
			t = full
		}
		if isVersion(t) || !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func glue(tokens []string) string {
	return strings.ReplaceAll(strings.Join(tokens, ""), ".", "")
}

// isVersion reports whether a token is a number, with or without its letter.
func isVersion(token string) bool {
	return versionStart.MatchString(token)
}

// bareVersion is the number without the letter before it.
func bareVersion(token string) string { return strings.TrimLeft(token, "abcdefghijklmnopqrstuvwxyz") }
