// Server-sent events: changed rows as they come.

/** One event, as the standard has it. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** A longer line is not one of ours. */
const maxLineLength = 64 * 1024 * 1024;

/** Events with data; comments are left out. Throws what the stream throws. */
export async function* serverSentEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = "message";
  let data: string[] = [];
  for await (const line of linesOf(bytes)) {
    if (line === "") {
      if (data.length > 0) yield { event, data: data.join("\n") };
      [event, data] = ["message", []];
      continue;
    }
    const [, field, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLineLength) throw new Error("a line of the stream is too long");
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}
