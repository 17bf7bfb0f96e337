// Reads what an object is called from the beginning of its JSON.
import { isFields } from "@plimsoll/core/internal/values";

/** Depths at which names can be. */
const maxDepth = 4;

/** What the first bytes of an object show. */
export interface HeadNames {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** The names in the metadata of an object; undefined where they come later. */
export function namesOf(object: unknown): HeadNames {
  const metadata = isFields(object) ? object["metadata"] : undefined;
  const text = (key: string) => {
    const value = isFields(metadata) ? metadata[key] : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return { namespace: text("namespace"), name: text("name"), resourceVersion: text("resourceVersion") };
}

/** The value whose JSON begins like this, without the fields that are cut off; undefined when it is not JSON. */
export function parseHead(head: Uint8Array): unknown {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("utf8");
  try {
    return JSON.parse(closed(text)) as unknown;
  } catch {
    return undefined;
  }
}

/** The text up to the last field that is complete, with all that is open closed. */
function closed(text: string): string {
  const open: string[] = [];
  let inString = false;
  let found = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (inString) {
      if (letter === "\\") at += 1;
      else inString = letter !== '"';
    } else if (letter === '"') inString = true;
    else if (letter === "{" || letter === "[") {
      open.push(letter === "{" ? "}" : "]");
      if (open.length <= maxDepth) found = text.slice(0, at + 1) + closing(open);
    } else if (letter === "}" || letter === "]") open.pop();
    else if (letter === "," && open.length <= maxDepth) found = text.slice(0, at) + closing(open);
  }
  return found;
}

function closing(open: readonly string[]): string {
  return open.toReversed().join("");
}
