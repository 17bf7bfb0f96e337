// The programs that read files of users, and how each ends.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCli } from "@plimsoll/cli";
import { messageOf } from "@plimsoll/component-base";
import { startPlimsoll } from "@plimsoll/testbed";

/** `says` is its first error. */
export type Ending =
  | { readonly is: "accepts" }
  | { readonly is: "refuses"; readonly says: string }
  | { readonly is: "crashes"; readonly says: string };

/** A command of plimsoll, without a cluster. 2 is a finding: the file was read, unless the document has problems of it. */
export async function runReader(
  args: readonly string[],
  readText: (file: string) => Promise<string> = (file) => readFile(file, "utf8"),
): Promise<Ending> {
  let [out, err] = ["", ""];
  try {
    const code = await runCli({
      args,
      name: "plimsoll",
      version: "0",
      readText,
      writeOut: (part) => (out += part),
      writeError: (part) => (err += part),
      nowMs: () => Date.now(),
      signal: new AbortController().signal,
    });
    if (hasStack(err)) return { is: "crashes", says: firstLine(err) };
    if (code === 1) return { is: "refuses", says: firstLine(err) };
    const [problem] = problemsIn(out);
    return problem === undefined ? { is: "accepts" } : { is: "refuses", says: problem.message };
  } catch (error) {
    return { is: "crashes", says: messageOf(error) };
  }
}

interface DocumentProblem {
  readonly severity: string;
  readonly message: string;
}

/** Errors in the document of `rules check`. */
function problemsIn(out: string): readonly DocumentProblem[] {
  if (!out.startsWith("{")) return [];
  const { problems = [] } = JSON.parse(out) as { readonly problems?: readonly DocumentProblem[] };
  return problems.filter(({ severity }) => severity === "error");
}

/** With the text of a rules file. */
export type StartAdapter = (rules: string) => Promise<Ending>;

/** Starts the adapter with a rules file until it serves. Its certificate is made once. */
export function adapterStarter(kubeconfig: string, folder: string): StartAdapter {
  return async (rules) => {
    const file = join(folder, "rules.yaml");
    await writeFile(file, rules);
    const args = [
      `--config=${file}`,
      "--prometheus-url=http://127.0.0.1:9",
      ...["lister", "authentication", "authorization"].map((of) => `--${of}-kubeconfig=${kubeconfig}`),
      "--bind-address=127.0.0.1",
      "--secure-port=0",
      `--cert-dir=${join(folder, "certificates")}`,
    ];
    try {
      const adapter = await startPlimsoll("metrics-adapter", args);
      await adapter.stop();
      return { is: "accepts" };
    } catch (error) {
      const text = messageOf(error);
      const [, says = firstLine(text)] = /\n(error: [^\n]*)/.exec(text) ?? [];
      return { is: hasStack(text) || !text.includes("exit code 1") ? "crashes" : "refuses", says };
    }
  };
}

function hasStack(text: string): boolean {
  return /\n {4}at .+:\d+:\d+/.test(text);
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line !== "") ?? "";
}
