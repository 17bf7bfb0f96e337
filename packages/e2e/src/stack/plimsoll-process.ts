import { fileURLToPath } from "node:url";
import { type Child, startChild } from "./child.ts";

/** A running process of the product and the port it serves on. */
export interface PlimsollProcess extends Child {
  readonly port: number;
}

/** Starts `packages/NAME/src/main.ts` and waits for its line that says where it serves. */
export async function startPlimsoll(
  name: "metrics-adapter" | "autoscaler",
  args: readonly string[],
): Promise<PlimsollProcess> {
  const entry = fileURLToPath(new URL(`../../../${name}/src/main.ts`, import.meta.url));
  let port = 0;
  const child = await startChild({
    name,
    command: process.execPath,
    args: ["--conditions=@plimsoll/source", entry, ...args],
    ready: (line) => {
      port = servingPort(line) ?? port;
      return port > 0;
    },
  });
  return Object.assign(child, { port });
}

function servingPort(line: string): number | undefined {
  if (!line.includes('"serving"')) return undefined;
  try {
    const entry = JSON.parse(line) as { msg?: unknown; port?: unknown };
    return entry.msg === "serving" && typeof entry.port === "number" ? entry.port : undefined;
  } catch {
    return undefined;
  }
}
