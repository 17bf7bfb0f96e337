// The keys of a terminal, by name.
import { on } from "node:events";
import { emitKeypressEvents } from "node:readline";
import type { ReadStream } from "node:tty";

/** A letter or sign as typed, or a name such as "up", "return", "escape", "backspace" or "ctrl+c". */
export type Key = string;

interface Keypress {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean;
}

const named: ReadonlySet<string> = new Set([
  "up",
  "down",
  "pageup",
  "pagedown",
  "home",
  "end",
  "return",
  "enter",
  "escape",
  "backspace",
]);

/** Takes the terminal over until it is returned from. */
export async function* keysOf(stdin: ReadStream, signal: AbortSignal): AsyncGenerator<Key> {
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.resume();
  try {
    for await (const [text, key] of on(stdin, "keypress", { signal })) {
      const name = nameOf(text as string | undefined, key as Keypress);
      if (name !== undefined) yield name;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

function nameOf(text: string | undefined, { name = "", ctrl, sequence }: Keypress): Key | undefined {
  if (ctrl === true) return name === "" ? undefined : `ctrl+${name}`;
  if (named.has(name)) return name === "enter" ? "return" : name;
  const typed = text ?? sequence ?? "";
  // One sign, whatever its length in UTF-16; sequences of other keys are left out.
  return /^[^\p{Cc}]$/u.test(typed) ? typed : undefined;
}
