import { connect } from "node:net";
import { Agent } from "undici";
import type { Step } from "./attack.ts";
import { expand } from "./expand.ts";
import type { HostileStack } from "./stack.ts";

/** What became of what the tenant tried. */
export interface Counts {
  written: number;
  refused: number;
  edits: number;
  requests: number;
  /** Requests that got 200. */
  answered: number;
}

export interface Context {
  readonly stack: HostileStack;
  readonly counts: Counts;
  readonly errors: Set<string>;
  readonly late: string[];
  readonly signal: AbortSignal;
}

/** Until the attack ends; the other end may close them before. */
export function openSilent({ silent }: Step, { stack, signal }: Context): void {
  if (silent === undefined) return;
  const port = (silent.to === "adapter" ? stack.adapter : stack.autoscalers[0])?.port ?? 0;
  const sockets = Array.from({ length: silent.connections }, () => connect(port, "127.0.0.1"));
  for (const socket of sockets) socket.on("error", () => {});
  signal.addEventListener("abort", () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** Different ones; the rest say the same with other numbers. */
const keptErrors = 1000;

/** All of them, a few at a time. */
export async function sendRequests(
  { request: one }: Step,
  { stack, counts, errors, late, signal }: Context,
): Promise<void> {
  if (one === undefined) return;
  const { path, times, atOnce = 4, unknownUser = false, to = "adapter", medianMs = Infinity } = one;
  const origin =
    to === "adapter"
      ? `https://127.0.0.1:${stack.adapter.port}`
      : `http://127.0.0.1:${stack.autoscalers[0]?.port}`;
  const agent = new Agent({ connections: atOnce, connect: { rejectUnauthorized: false } });
  let next = 0;
  const tookMs: number[] = [];
  const loop = async (): Promise<void> => {
    while (next < times && !signal.aborted) {
      const n = next++;
      const startedAt = performance.now();
      const token = unknownUser ? `made.up.${n}` : stack.tenantToken;
      try {
        const { statusCode, body } = await agent.request({
          origin,
          path: String(expand(path, { n })),
          method: "GET",
          headers: { authorization: `Bearer ${token}` },
          signal,
        });
        if (statusCode === 200) {
          counts.answered++;
          await body.dump({ limit: 256 << 20 });
        } else if (errors.size < keptErrors) errors.add(await body.text());
        else await body.dump({ limit: 256 << 20 });
      } catch {
        // Cut off, refused or too late: the tenant's own loss. What matters is what the victim sees.
      }
      counts.requests++;
      tookMs.push(performance.now() - startedAt);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, loop));
  } finally {
    await agent.destroy();
  }
  const median = tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length / 2)] ?? 0;
  if (median > medianMs)
    late.push(
      `half of the tenant's requests took ${Math.round(median)} ms, at most ${medianMs} ms: ${JSON.stringify(path)}`,
    );
}
