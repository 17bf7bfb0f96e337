// Ends the demo's child processes when the demo ends.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Knows the demo's child processes, so that none outlives it, however it ends. */
export interface Guard {
  watch(child: ChildProcess): void;
  /** Sends SIGKILL to the children that still run. */
  killAll(): void;
  /** Ends the guard process; what it still knows of ends with it. */
  close(): void;
}

/**
 * Starts a process in a session of its own. It lives until its standard input closes, which it also does when the
 * demo is killed, then ends the children that are left and removes the folder.
 */
export function startGuard(folder: string, interrupted: AbortSignal): Guard {
  const program = fileURLToPath(new URL("./guard-process.ts", import.meta.url));
  const guard = spawn(process.execPath, [program, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  // Without a guard process the demo still ends its children itself, unless it is killed.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  const running = new Set<ChildProcess>();
  return {
    watch(child) {
      running.add(child);
      guard.stdin.write(`+${child.pid}\n`);
      child.once("exit", () => {
        running.delete(child);
        guard.stdin.write(`-${child.pid}\n`);
      });
      if (interrupted.aborted) child.kill("SIGKILL");
    },
    killAll() {
      for (const child of running) child.kill("SIGKILL");
    },
    close: () => void guard.stdin.end(),
  };
}
