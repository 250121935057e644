package workload

// The parts of code, separated by bars. Names are two words, written as each
// language writes them. In a statement, @ stands for a name, # for a
// number, ~ for a deeper line and ~~ for another one of the same depth; a and b
// are the parameters of the function around it.
const (
	codeVerbs = "merge|count|find|sort|read|group|scan|build|check|split|join|trim|pack|map|sum|load|clip|rank|fold|move|match|parse|store|update"
	codeNouns = "rows|items|lines|pages|blocks|names|values|points|steps|words|cells|paths|nodes|marks|parts|keys|slots|files|ranges|records"
	codeKinds = "user|map|test|train|river|book|tide|seed|clock|star|price|day|week|month|page|line|route|shelf|stop|level|sheet|table|note|index"

	codeRemarks = "keep the order of the input|an empty list is not an error|stop at the first gap|the last one wins|both ends are included|count from one, as the form does" +
		"|leave the rest for the next call|sorted before, so no search is needed|values below zero are missing|a second pass is cheaper than a map"

	goLines = "@ := len(a) + #~~total -= @|total += b * #|if b > # {~return total|for i := range a {~total += a[i] % #|@ := max(b, #)~~total += @|if len(a) == 0 {~return #|total = min(total, #)" +
		"|a = append(a, b+#)|for i := #; i > 0; i /= 2 {~total -= i|if total%# == b {~total++|for total > # {~total /= 2|log.Print(#, total)"

	pythonLines = "@ = len(a) + #~~total -= @|total += b * #|if b > #:~return total|for i, v in enumerate(a):~total += v % #|@ = max(b, #)~~total += @|if not a:~return #|total = min(total, #)" +
		"|a.append(b + #)|while total > #:~total //= 2|@ = a[-#:]~~total += len(@)|@ = [v for v in a if v < #]~~a.extend(@)|print(\"total\", total, #)"
)
