// How each client is started without a person or an account: once, with one
// prompt, its model played by a script.
import { messages, Model, responses } from './model.mjs'

const prompt = '帮我压测一下方舟上豆包 Seed 2.0 Mini 模型的性能'

/** One conversation of a client with a scripted model. */
class Session {
  async end() {
    this.code = await this.client.ended
    if (this.model.fault) throw new Error(`${this.model.fault.stack}\n${this.transcript().join('\n')}\n${this.client.printed}`)
    return this
  }

  /** What the model called and received, a line a call. */
  transcript() {
    return this.model.results.map((r) =>
      `+${((r.at - this.began) / 1000).toFixed(1)} s ${r.tool} ${JSON.stringify(r.args)} -> ${r.bytes} B${r.isError ? ' error' : ''}: ${r.value?.summary ?? r.text}`.slice(0, 400))
  }
}

async function begin(stage, dialect, script, start) {
  const session = new Session()
  session.model = await new Model(dialect, script).listen()
  stage.toClose.push(() => session.model.close())
  session.began = Date.now()
  session.client = start(session.model.url)
  return session
}

export const claude = {
  name: 'Claude Code',
  client: 'claude',
  /** deadline: seconds for a tool's call; plugin: the server comes with the skill. */
  session(stage, script, { deadline, plugin } = {}) {
    const server = plugin ? 'mcp__plugin_llm-bench_llm-bench' : 'mcp__llm-bench'
    return begin(stage, messages(`${server}__`), script, (url) => stage.start('claude',
      ['-p', prompt, '--output-format', 'stream-json', '--verbose', '--allowedTools', server, 'Skill'],
      { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'scripted', ...(deadline && { MCP_TOOL_TIMEOUT: `${deadline}000` }) }))
  },
}

export const codex = {
  name: 'Codex',
  client: 'codex',
  session(stage, script, { deadline, env } = {}) {
    return begin(stage, responses('mcp__llm_bench'), script, (url) => {
      const settings = {
        model: 'scripted', model_provider: 'scripted', 'model_providers.scripted.name': 'scripted',
        'model_providers.scripted.base_url': `${url}/v1`, 'model_providers.scripted.wire_api': 'responses',
        'mcp_servers.llm-bench.default_tools_approval_mode': 'approve', // in place of a person who agrees
        ...(deadline && { 'mcp_servers.llm-bench.tool_timeout_sec': deadline }),
      }
      const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`])
      return stage.start('codex', ['exec', '--json', '--skip-git-repo-check', ...flags, prompt], env)
    })
  },
}
