// One run of "npm test", and the load beside it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TestRun } from "./repeat.ts";

/** Undefined when it was interrupted. */
export async function runTests(root: string, interrupted: AbortSignal): Promise<TestRun | undefined> {
  if (interrupted.aborted) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-repeat-"));
  const report = join(folder, "report.json");
  try {
    const startedAt = performance.now();
    const child = spawn("npm", ["test", "--silent", "--", "--reporter=json", `--outputFile=${report}`], {
      cwd: root,
      stdio: ["ignore", "ignore", "ignore"],
    });
    const end = () => child.kill("SIGTERM");
    interrupted.addEventListener("abort", end);
    const [code] = (await once(child, "exit")) as [number | null];
    interrupted.removeEventListener("abort", end);
    if (interrupted.aborted) return undefined;
    return { seconds: (performance.now() - startedAt) / 1000, ...readReport(report, root, code) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Report {
  readonly testResults: readonly {
    /** The file. */
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Enough for a message, the seed of a property and its counterexample. */
const maxErrorLength = 1000;

/** What vitest's report says; a run that failed without a failed test is a failure too. */
export function readReport(path: string, root: string, code: number | null): Omit<TestRun, "seconds"> {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return { passed: 0, failed: [`(no report, exit code ${code})`], errors: [] };
  }
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(root, name) })),
  );
  const failed = [
    ...tests.filter(({ status }) => status === "failed").map(({ file, fullName }) => `${file} > ${fullName}`),
    ...report.testResults
      .filter(({ status, assertionResults }) => status === "failed" && !assertionResults.some(isFailed))
      .map(({ name }) => `${relative(root, name)} (the file)`),
  ];
  const passed = tests.filter(({ status }) => status === "passed").length;
  const errors = tests
    .filter(isFailed)
    .map(
      ({ fullName, failureMessages = [] }) =>
        `${fullName}: ${failureMessages.join("\n").slice(0, maxErrorLength)}`,
    );
  return {
    passed,
    errors,
    failed: code === 0 || failed.length > 0 ? failed : [`(no test, exit code ${code})`],
  };
}

function isFailed({ status }: { readonly status: string }): boolean {
  return status === "failed";
}

/** Ends with its parent, whose end it notices between two stretches of work. */
const busy = `
process.on("disconnect", () => process.exit(0));
const work = () => {
  for (const until = Date.now() + 100; Date.now() < until; );
  setImmediate(work);
};
work();`;

export interface Load {
  readonly pids: readonly (number | undefined)[];
  readonly end: () => Promise<void>;
}

/** Processes that keep a core busy each. */
export function startLoad(count: number): Load {
  const processes: readonly ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, ["--eval", busy], { stdio: ["ignore", "ignore", "ignore", "ipc"] }),
  );
  return {
    pids: processes.map(({ pid }) => pid),
    end: async () => void (await Promise.all(processes.map(stop))),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
