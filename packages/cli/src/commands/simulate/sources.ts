// Reads the files that a scenario names, beside it.
import { dirname, isAbsolute, join } from "node:path";
import { type RecordingRead, readRecordedLoad } from "@plimsoll/backtest";
import { messageOf } from "@plimsoll/component-base";
import { isPatchOperation } from "@plimsoll/core/internal/values";
import { problemText, readSources } from "@plimsoll/migration/manifests";
import type { FileSources } from "@plimsoll/simulator";
import { applyPatch, type Operation } from "rfc6902";
import { readInput } from "../../input/read-input.ts";
import type { CliSeams } from "../../seams.ts";
import { readRecordingFile } from "../backtest/read-recording.ts";

type Read = ReturnType<FileSources["text"]>;

const unread = { ok: false, message: "it was not read" } as const;

/** All files under a field "file", read once. Names are relative to the scenario; what cannot be read says why. */
export async function readNamedFiles(
  value: unknown,
  scenario: string,
  seams: Pick<CliSeams, "readText" | "signal">,
): Promise<FileSources> {
  const files = new Map<string, Read>();
  const recordings = new Map<string, RecordingRead>();
  const pathOf = (name: string): string =>
    isAbsolute(name) || scenario === "-" ? name : join(dirname(scenario), name);
  const names = namesIn(value);
  for (const name of names.texts)
    files.set(name, await readOr(async () => ({ ok: true, text: await readInput(pathOf(name), seams) })));
  for (const name of names.recordings)
    recordings.set(
      name,
      await readOr(async () => ({ ok: true, recording: await readRecordingFile(pathOf(name), seams) })),
    );
  const text = (name: string): Read => files.get(name) ?? unread;
  return {
    text,
    objects: (name, patch) => objectsOf(text(name), name, patch),
    recordedLoad: (section, startMs) =>
      readRecordedLoad(section, startMs, (name) => recordings.get(name) ?? unread),
  };
}

async function readOr<R>(
  read: () => Promise<R>,
): Promise<R | { readonly ok: false; readonly message: string }> {
  try {
    return await read();
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** Recordings may be compressed, and are not read as text. */
function namesIn(value: unknown): {
  readonly texts: ReadonlySet<string>;
  readonly recordings: ReadonlySet<string>;
} {
  const [texts, recordings] = [new Set<string>(), new Set<string>()];
  const visit = (one: unknown, depth: number, found: Set<string>): void => {
    if (typeof one !== "object" || one === null || depth > 20) return;
    for (const [key, inner] of Object.entries(one)) {
      if (key === "recording" && typeof inner === "string") recordings.add(inner);
      else if (key === "file" && typeof inner === "string") found.add(inner);
      else visit(inner, depth + 1, key === "recording" ? recordings : found);
    }
  };
  visit(value, 0, texts);
  return { texts, recordings };
}

const kinds = new Set(["HorizontalPodAutoscaler", "WorkloadAutoscaler"]);

function objectsOf(read: Read, file: string, patch: readonly unknown[]): ReturnType<FileSources["objects"]> {
  if (!read.ok) return read;
  const { objects, problems } = readSources(read.text, file);
  const [problem] = problems;
  if (problem !== undefined) return { ok: false, message: problemText(problem) };
  const found = objects.filter(({ kind }) => kinds.has(kind)).map(({ value }) => structuredClone(value));
  if (found.length === 0)
    return { ok: false, message: "has no HorizontalPodAutoscaler and no WorkloadAutoscaler" };
  for (const object of found) {
    const message = patchProblem(object, patch);
    if (message !== undefined) return { ok: false, message };
  }
  return { ok: true, objects: found };
}

function patchProblem(object: object, patch: readonly unknown[]): string | undefined {
  const wrong = patch.findIndex((operation) => !isPatchOperation(operation));
  if (wrong >= 0) return `has a patch whose entry ${wrong} is not a JSON Patch operation`;
  const failed = applyPatch(object, patch as Operation[]).findIndex((error) => error !== null);
  if (failed < 0) return undefined;
  return `has no ${(patch[failed] as Operation).path}, which entry ${failed} of the patch changes`;
}
