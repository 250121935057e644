// The ways into a client: the skill's folder, the plugin, the registered server.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { node, node24, script, source, Stage } from './stage.mjs'

/** A test in an empty home. */
function inEmptyHome(name, act) {
  test(name, { timeout: 120_000 }, async (t) => {
    const stage = new Stage()
    t.after(() => stage.close())
    await act(stage, t)
  })
}

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()

const committed = () => execFileSync('git', ['-C', source, 'ls-tree', '-rz', '--name-only', 'HEAD'], { encoding: 'utf8' }).split('\0').filter(Boolean).sort()

for (const [cli, runtime] of [['skills', node24], ['skills-1.5', node]]) {
  const version = execFileSync(runtime, ['--version'], { encoding: 'utf8' }).trim()
  inEmptyHome(`${cli} adds the whole skill to Claude Code, Codex and Trae, on Node.js ${version}`, async (stage) => {
    const [added] = await stage.addSkill(runtime, cli)
    assert.deepEqual([added.name, added.status, added.agents], ['llm-bench', 'installed', ['Claude Code', 'Codex', 'Trae']])
    const folder = join(stage.home, '.agents/skills/llm-bench')
    assert.deepEqual(filesOf(folder), committed())
    for (const file of ['install.sh', 'skill/llm-bench-mcp']) assert.ok(statSync(join(folder, file)).mode & 0o100, `${file} can't be started`)
    for (const agent of ['.claude', '.trae']) assert.equal(readlinkSync(join(stage.home, agent, 'skills/llm-bench')), '../../.agents/skills/llm-bench')
  })
}

inEmptyHome('the skill is valid for skills-ref, its plugin for Claude Code', async (stage) => {
  await stage.addSkill()
  const folder = join(stage.home, '.agents/skills/llm-bench')
  await stage.run(node24, script('skills-ref/dist/cli.js'), 'validate', folder)
  await stage.run('claude', 'plugin', 'validate', folder, '--strict')
})

inEmptyHome('Claude Code connects to the server of the plugin, and to no second one', async (stage) => {
  await stage.addSkill()
  await stage.install('claude', join(stage.home, '.claude/skills/llm-bench'))
  const connections = (await stage.run('claude', 'mcp', 'list')).split('\n').filter((line) => line.includes('llm-bench'))
  assert.equal(connections.length, 1, connections.join('\n'))
  assert.match(connections[0], /^plugin:llm-bench:llm-bench: .* ✔ Connected$/)
})

inEmptyHome('Claude Code connects to the registered server, until it is taken back', async (stage) => {
  const list = () => stage.run('claude', 'mcp', 'list')
  await stage.install('claude')
  await stage.install('claude') // again changes nothing
  assert.match(await list(), /^llm-bench: .* mcp - ✔ Connected$/m)
  await stage.run('sh', join(source, 'install.sh'), '--client', 'claude', '--uninstall')
  assert.doesNotMatch(await list(), /llm-bench/)
})

inEmptyHome('Codex holds the registered server with its time limits and variables', async (stage) => {
  await stage.install('codex')
  const server = JSON.parse(await stage.run('codex', 'mcp', 'get', 'llm-bench', '--json'))
  assert.equal(server.enabled, true)
  assert.equal(server.transport.command, join(stage.home, '.llm-bench/bin/llm-bench'))
  assert.deepEqual(server.transport.args, ['mcp'])
  assert.ok(server.transport.env_vars.includes('ARK_API_KEY') && server.transport.env_vars.includes('HTTPS_PROXY'))
  assert.deepEqual([server.startup_timeout_sec, server.tool_timeout_sec], [30, 600])
  await stage.run('sh', join(source, 'install.sh'), '--client', 'codex', '--uninstall')
  await assert.rejects(stage.run('codex', 'mcp', 'get', 'llm-bench', '--json'))
})

for (const era of ['legacy', 'auto', 'modern']) {
  inEmptyHome(`MCP Inspector finds no fault with the tools, in the ${era} era`, async (stage, t) => {
    await stage.install('none')
    const out = await stage.inspect('--protocol-era', era, '--method', 'tools/list', '--strict')
    t.diagnostic(`${JSON.parse(out).tools.length} tools`)
  })
}
