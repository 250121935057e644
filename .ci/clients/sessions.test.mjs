// Whole conversations of real clients with a scripted model.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { claude, codex } from './agents.mjs'
import { key, source, Stage, until } from './stage.mjs'

const model = 'doubao-seed-2-0-mini-260428'
const tools = readdirSync(join(source, 'server/testdata/tools')).map((file) => file.replace('.json', ''))
const call = (tool, args = {}) => ({ tool, args })
const goesOn = (run) => ['queued', 'running'].includes(run.value.state)

function* waitFor(run, seconds) {
  while (goesOn(run)) run = yield call('get_run', { run_id: run.value.run_id, wait_seconds: seconds })
  return run
}

function* theWholeWay() {
  yield call('check_login')
  const found = yield call('resolve_model', { query: '豆包 Seed 2.0 Mini' })
  const target = { model: found.value.model_id }
  yield call('run_connectivity', { ...target, lang: 'zh' })
  const load = { ...target, lang: 'zh', preset: 'quick' }
  const prefix = yield* waitFor(yield call('run_prefix', { ...load, wait_seconds: 1 }), 10)
  const multiturn = yield* waitFor(yield call('run_multiturn', load), 10)
  const both = { run_ids: [prefix.value.run_id, multiturn.value.run_id] }
  yield call('compare_runs', both)
  yield call('package_reports', both)
  return prefix.value.report_excerpt
}

function* withTheSkill() {
  yield call('Skill', { skill: 'llm-bench' })
  return yield* theWholeWay()
}

/** About ten seconds; the endpoint takes 10 ms a token. */
const slow = { model, preset: 'quick', max_output_tokens: 300, lang: 'en' }

function* pastTheDeadline() {
  yield call('run_prefix', { ...slow, wait_seconds: 60 })
  const { value } = yield call('list_runs')
  const run = yield call('get_run', { run_id: value.runs[0].run_id, wait_seconds: 2 })
  return (yield* waitFor(run, 2)).value.report_md
}

function* cutOff() {
  yield call('run_prefix', { ...slow, wait_seconds: 60 })
}

function* theDayAfter(id) {
  return (yield call('get_run', { run_id: id, wait_seconds: 0 })).value.summary
}

/** Holds what the model received to what every result promises. */
function assertSound(results) {
  for (const { tool, isError, bytes, value, text } of results) {
    assert.equal(isError, false, `${tool}: ${text}`)
    assert.ok(bytes <= 8192, `${tool} gave the model ${bytes} bytes`)
    assert.ok(value.summary.length > 0 && value.next_step.length > 0, `${tool}: ${text}`)
  }
}

function assertFinished({ value, text }, run) {
  assert.equal(value.state, 'succeeded', text)
  assert.deepEqual([value.run_id, value.planned, value.succeeded, value.failed], [run, 6, 6, 0], text)
  for (const metric of ['ttft_ms', 'tpot_ms', 'e2e_ms']) assert.ok(value.metrics[metric].p50 > 0, `${metric} in ${text}`)
  assert.ok(value.metrics.cache_hit_rate > 0 && value.metrics.success_rate === 1, text)
  for (const path of [value.report_md, value.report_html, value.result_json, ...value.charts]) assert.ok(existsSync(path), `${path} is missing`)
  assert.ok(readFileSync(value.report_md, 'utf8').includes(model))
  assert.match(value.report_excerpt, /TTFT/)
}

function assertNoKey(stage, { model, client }) {
  assert.ok(!model.seen.includes(key) && !client.printed.includes(key), 'the key reached the model or the screen')
  assert.deepEqual(stage.leaks(), [])
}

/** A trial on a stage of its own; its conversations go into the test's output. */
function trial(name, act) {
  test(name, { timeout: 120_000 }, async (t) => {
    const stage = await new Stage().open()
    t.after(() => stage.close())
    const converse = async (beginning) => {
      const session = await (await beginning).end()
      for (const line of session.transcript()) t.diagnostic(line)
      return session
    }
    await act(stage, converse)
  })
}

async function assertWholeWay(stage, session) {
  assert.equal(session.code, 0, session.client.printed)
  const results = session.model.results.filter((r) => /^[a-z]/.test(r.tool))
  assertSound(results)
  const [login, found, connectivity, run] = results
  assert.equal(login.value.logged_in, true)
  assert.equal(found.value.model_id, model)
  assert.equal(connectivity.value.state, 'succeeded', connectivity.text)
  assert.equal(run.value.state, 'running', run.text)
  assert.match(run.value.run_id, /^prefix_\d{8}_\d{6}/)
  const prefix = results.filter((r) => r.value.scenario === 'prefix').at(-1)
  const multiturn = results.filter((r) => r.value.scenario === 'multiturn').at(-1)
  const [compared, packed] = results.slice(-2)
  assertFinished(prefix, run.value.run_id)
  assertFinished(multiturn, multiturn.value.run_id)
  assert.equal(compared.value.comparable, false, compared.text)
  assert.match(compared.value.summary, /scenario \(prefix \/ multiturn\)/)
  assert.ok(packed.value.ok && existsSync(packed.value.zip_path), packed.text)
  assert.deepEqual(packed.value.run_ids, [multiturn.value.run_id, run.value.run_id])
  assert.ok(session.client.out.includes(run.value.run_id) && session.client.out.includes('report.md'))
  assertNoKey(stage, session)
}

describe('a conversation', { concurrency: 2 }, () => {
  trial('Claude Code goes the whole way with the skill and its plugin', async (stage, converse) => {
    await stage.addSkill()
    await stage.install('claude', join(stage.home, '.claude/skills/llm-bench'))
    const session = await converse(claude.session(stage, withTheSkill(), { plugin: true }))
    await assertWholeWay(stage, session)
    for (const tool of tools) assert.ok(session.model.seen.includes(`mcp__plugin_llm-bench_llm-bench__${tool}`), `${tool} is not offered`)
    assert.ok(session.model.seen.includes('Each run: Returns at the latest after wait_seconds.'), 'the skill was not read')
  })

  trial('Codex goes the whole way with a bare environment', async (stage, converse) => {
    await stage.addSkill()
    await stage.install('none')
    await stage.run('codex', 'mcp', 'add', 'llm-bench', '--', join(stage.home, '.llm-bench/bin/llm-bench'), 'mcp')
    const env = { LLM_BENCH_ARKCLI: '/nonexistent' } // would break the login, were it handed down
    const session = await converse(codex.session(stage, theWholeWay(), { env }))
    await assertWholeWay(stage, session)
    const offered = session.model.first.tools.find((tool) => tool.name === 'mcp__llm_bench').tools.map((tool) => tool.name)
    for (const tool of tools) assert.ok(offered.includes(tool), `${tool} is not offered`)
    assert.ok(JSON.stringify(session.model.first.input).includes('性能基线'), 'the skill is not listed')
  })

  trial('MCP Inspector calls a run and gets its report', async (stage) => {
    await stage.install('none')
    const args = { model, preset: 'quick', wait_seconds: 45 }
    const out = await stage.inspect('--method', 'tools/call', '--tool-name', 'run_prefix', '--format', 'json',
      ...Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]))
    const result = JSON.parse(out).structuredContent ?? JSON.parse(out).result.structuredContent
    assertFinished({ value: result, text: out }, result.run_id)
  })

  for (const agent of [claude, codex]) {
    trial(`${agent.name} gives up a call after 5 s, and the run goes on`, async (stage, converse) => {
      await stage.install(agent.client)
      const session = await converse(agent.session(stage, pastTheDeadline(), { deadline: 5 }))
      assert.equal(session.code, 0, session.client.printed)
      const [late, listed, next] = session.model.results
      assert.equal(late.isError, true, late.text)
      assert.match(late.text, /timed out/)
      assertSound([listed, next])
      assert.equal(next.value.state, 'running', next.text)
      assertFinished(session.model.results.at(-1), listed.value.runs[0].run_id)
      assertNoKey(stage, session)
    })

    trial(`${agent.name} is killed, and the run goes on to its end`, async (stage, converse) => {
      await stage.install(agent.client)
      const killed = await agent.session(stage, cutOff())
      const run = await until('a run has begun', () => stage.newestRun())
      const journal = join(run, 'requests.jsonl')
      await until('a request is done', () => existsSync(journal) && readFileSync(journal, 'utf8').split('\n').length > 3)
      killed.client.kill('SIGKILL')
      await killed.end()
      assert.equal(killed.model.results.length, 0)
      await until('the server has ended', () => stage.servers().length === 0)
      assert.equal(stage.stateOf(run), 'running', 'the run did not outlive the client and its server')
      await until('the run has ended', () => stage.stateOf(run) !== 'running')
      const id = run.split('/').at(-1)
      const { model } = await converse(agent.session(stage, theDayAfter(id)))
      assertFinished(model.results[0], id)
    })
  }
})
