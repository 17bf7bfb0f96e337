import { fileURLToPath } from "node:url";
import { type Child, type ChildOptions, startChild } from "./child.ts";

/** A running process of the product and the port it serves on. */
export interface PlimsollProcess extends Child {
  readonly port: number;
  /** Of HTTPS, where that is another one. */
  readonly securePort?: number;
}

export type PlimsollProgram = "metrics-adapter" | "autoscaler";

export interface Command extends Pick<ChildOptions, "onSpawn"> {
  readonly command: string;
  readonly args: readonly string[];
}

/** How a program of ours is run from its sources, or from a bundle as its image has it. */
export function plimsollCommand(name: PlimsollProgram, bundle?: string): Command {
  const entry = fileURLToPath(new URL(`../../../../packages/${name}/src/main.ts`, import.meta.url));
  const program = bundle === undefined ? ["--conditions=@plimsoll/source", entry] : [bundle];
  // The same as in its image.
  const nodeOptions = name === "metrics-adapter" ? ["--max-semi-space-size=8"] : [];
  return { command: process.execPath, args: [...nodeOptions, ...program] };
}

/** Starts `packages/NAME/src/main.ts`, or the program another way, and waits for its line that says where it serves. */
export async function startPlimsoll(
  name: PlimsollProgram,
  args: readonly string[],
  how = plimsollCommand(name),
): Promise<PlimsollProcess> {
  const { command, args: before } = how;
  let ports: Ports | undefined;
  const child = await startChild({
    name,
    command,
    args: [...before, ...args],
    onSpawn: how.onSpawn,
    ready: (line) => {
      ports ??= servingPorts(line);
      return ports !== undefined;
    },
  });
  return Object.assign(child, { port: 0, ...ports });
}

type Ports = Pick<PlimsollProcess, "port" | "securePort">;

function servingPorts(line: string): Ports | undefined {
  if (!line.includes('"serving"')) return undefined;
  try {
    const { msg, port, securePort } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (msg !== "serving" || typeof port !== "number") return undefined;
    return { port, ...(typeof securePort === "number" ? { securePort } : {}) };
  } catch {
    return undefined;
  }
}
