package server

// pollingRule stands word for word wherever an agent learns of long runs.
const pollingRule = "Returns at the latest after wait_seconds. If state is running, call get_run with the run_id until it is not. Do not start the same run again."

// instructions are what a client tells its model about this server. The first
// 500 characters suffice where a client cuts.
const instructions = `llm-bench measures an LLM chat endpoint (Volcengine Ark or any OpenAI-compatible one): TTFT, TPOT, E2E latency, cache hit rate. ` +
	`大模型接口性能测试、压测. Order: check_login, resolve_model, run_connectivity, then run_prefix and run_multiturn; if the user names no scenario, run all three. ` +
	`Before a run, state model, scenarios, requests and tokens in one sentence (dry_run gives them), then go on; ask only where several models fit or sizes exceed the standard preset. ` +
	`Runs take minutes. ` + pollingRule + ` Runs go on when the session ends; cancel_run stops them. ` +
	`At the end show report_excerpt, the warnings and the path report_md, and state the parameters beside the numbers. ` +
	`Compare runs through compare_runs alone; offer package_reports for handing over. If a summary says that a run is not a valid baseline, say so first. ` +
	`Results marked SIMULATED describe the built-in stand-in endpoint, not a model.`
