// Server-sent events out of the bytes of a response.

/** One event, as the standard has it; `event` is "" for a comment, which only says that the connection lives. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** Of this event; undefined: it has none. */
  readonly id: string | undefined;
}

/** A longer line is none of a server of ours. */
const maxLine = 64 * 1024 * 1024;

/** Takes text as it comes and gives the events that are complete with it; looks at each character once. @throws on a line without end */
export function createEventParser(): (text: string) => readonly ServerEvent[] {
  let parts: string[] = [];
  let length = 0;
  let event = "message";
  let data: string[] = [];
  let id: string | undefined;
  return (text) => {
    const events: ServerEvent[] = [];
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) {
        take(parts.join("").replace(/\r$/, ""), events);
        [parts, length] = [[], 0];
      }
      parts.push(part);
      length += part.length;
    }
    if (length > maxLine) throw new Error("a line of the stream is too long");
    return events;
  };

  function take(line: string, events: ServerEvent[]): void {
    if (line === "") {
      if (data.length > 0) events.push({ event, data: data.join("\n"), id });
      [event, data, id] = ["message", [], undefined];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) {
      events.push({ event: "", data: "", id: undefined });
      return;
    }
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id") id = value;
  }
}
