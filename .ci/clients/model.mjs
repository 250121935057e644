// A model API on loopback that plays a script instead of thinking. It speaks
// Anthropic's Messages and OpenAI's Responses, streamed, and keeps what the
// client sends: exactly what a model would have seen.
//
// A script is a generator. It yields calls, gets back what the model received
// for each, and returns the model's last words:
//
//   function* () {
//     const login = yield { tool: 'check_login', args: {} }
//     return login.value.summary
//   }
import { createServer } from 'node:http'

export class Model {
  /** What the model received for each call: {tool, args, text, bytes, value, isError, at}. */
  results = []
  /** Everything that the client sent, as one text. */
  seen = ''
  /** The error that ended the script early. */
  fault = undefined
  #pending
  #words

  constructor(dialect, script) {
    this.dialect = dialect
    this.script = script
    this.server = createServer((request, response) => this.#answer(request, response))
  }

  async listen() {
    await new Promise((ready) => this.server.listen(0, '127.0.0.1', ready))
    this.url = `http://127.0.0.1:${this.server.address().port}`
    return this
  }

  close() {
    this.server.close()
    this.server.closeAllConnections()
  }

  async #answer(request, response) {
    let body = ''
    for await (const chunk of request) body += chunk
    this.seen += body
    const asked = request.method === 'POST' && request.url.startsWith(this.dialect.path) ? JSON.parse(body) : undefined
    if (!asked?.stream) { // a client's look whether anybody is there
      response.writeHead(request.method === 'HEAD' ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of this.dialect.events(this.#move(asked))) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    }
    response.end()
  }

  /** The next move: a call, or words. A request without tools is beside the conversation, such as for its title. */
  #move(asked) {
    if (!asked.tools?.length) return { words: 'llm-bench' }
    this.first ??= asked
    if (this.#pending) this.#receive(asked)
    else if (this.#words === undefined) this.#play()
    return this.#pending ?? { words: this.#words }
  }

  #receive(asked) {
    const received = this.dialect.result(asked, this.#pending.id)
    if (!received) return // asked again: the same call again
    const { tool, args } = this.#pending
    const result = { tool, args, ...received, bytes: Buffer.byteLength(received.text), value: parsed(received.text), at: Date.now() }
    this.results.push(result)
    this.#play(result)
  }

  #play(result) {
    try {
      const { value, done } = this.script.next(result)
      this.#pending = done ? undefined : { ...value, id: `call_${this.results.length + 1}` }
      if (done) this.#words = value
    } catch (fault) {
      this.fault = fault
      this.#pending = undefined
      this.#words = `the script failed: ${fault.message}`
    }
  }
}

/** The JSON object that a text is, or that stands on a line of its own beside links to charts. */
function parsed(text) {
  for (const candidate of [text, ...text.split('\n').filter((line) => line.startsWith('{'))]) {
    try {
      return JSON.parse(candidate)
    } catch {
      continue
    }
  }
  return undefined
}

const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n'))

/** Anthropic's Messages API. Tools have the server's prefix; what begins with a capital is the client's own. */
export function messages(prefix) {
  const name = (tool) => (/^[A-Z]/.test(tool) ? tool : prefix + tool)
  const block = (content_block, delta) => [
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
  ]
  const call = ({ id, tool, args }) =>
    block({ type: 'tool_use', id, name: name(tool), input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(args) })
  const words = (text) => block({ type: 'text', text: '' }, { type: 'text_delta', text })
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'scripted', stop_reason: null, stop_sequence: null }
  return {
    path: '/v1/messages',
    result(asked, id) {
      const part = asked.messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).find((p) => p.tool_use_id === id)
      return part && { text: textOf(part.content), isError: part.is_error === true }
    },
    events: (move) => [
      { type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
      ...(move.tool ? call(move) : words(move.words)),
      { type: 'message_delta', delta: { stop_reason: move.tool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ],
  }
}

/** OpenAI's Responses API, with the server's tools in a namespace. */
export function responses(namespace) {
  const call = ({ id, tool, args }) => ({
    type: 'function_call', id: `item_${id}`, call_id: id, namespace, name: tool, arguments: JSON.stringify(args),
  })
  const words = (text) => ({ type: 'message', id: 'item_words', role: 'assistant', content: [{ type: 'output_text', text }] })
  const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 }
  return {
    path: '/v1/responses',
    result(asked, id) {
      const output = asked.input.find((i) => i.type === 'function_call_output' && i.call_id === id)?.output
      if (output === undefined) return undefined
      const text = textOf(output).replace(/^Wall time:[^\n]*\nOutput:\n/, '') // the client's own heading
      return { text, isError: !text.startsWith('{') }
    },
    events: (move) => [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', output_index: 0, item: move.tool ? call(move) : words(move.words) },
      { type: 'response.completed', response: { id: 'resp_1', usage } },
    ],
  }
}
