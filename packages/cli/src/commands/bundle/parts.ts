// The parts of a bundle: files, and what could not be read.
import { createHash } from "node:crypto";
import { messageOf } from "@plimsoll/component-base";
import type { Cluster } from "../../cluster/cluster.ts";
import { isClusterError } from "../../cluster/error-text.ts";
import { jsonValue } from "../../output/document.ts";
import { CliError } from "../../seams.ts";
import { cleaned } from "./clean.ts";

/** A file of the bundle, or what is not in it and why. */
export type Part =
  | { readonly kind: "file"; readonly path: string; readonly content: string }
  | { readonly kind: "missing"; readonly what: string; readonly reason: string };

/** Parts as they are read. */
export type Parts = AsyncGenerator<Part>;

/** A document as a file, cleaned. */
export function jsonFile(path: string, value: unknown): Part {
  // By way of JSON, so that only plain values are cleaned.
  const plain: unknown = JSON.parse(JSON.stringify(value, jsonValue) ?? "null");
  return { kind: "file", path, content: `${JSON.stringify(cleaned(plain), undefined, 2)}\n` };
}

/** The part that reading gives, or the reason why it is missing. Rejects on bugs only. */
export async function orMissing(
  cluster: Cluster,
  what: string,
  read: () => Promise<Part | undefined>,
): Promise<readonly Part[]> {
  try {
    const part = await read();
    return part === undefined ? [] : [part];
  } catch (error) {
    if (!isClusterError(error) && !(error instanceof CliError)) throw error;
    const reason = isClusterError(error) ? cluster.errorText(error) : messageOf(error);
    return [{ kind: "missing", what, reason }];
  }
}

/** Part of a path in the archive: names of a cluster have no slash, and anything else must not be a path either. */
export function fileName(name: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9._-]/g, "_");
  return /^\.*$/.test(safe) ? "_" : safe;
}

const maxPartLength = 200;

/** The path with parts that a file system takes; two that are cut stay different. */
export function shortPath(path: string): string {
  return path
    .split("/")
    .map((part) => {
      if (part.length <= maxPartLength) return part;
      const extension = /\.[a-z]+$/.exec(part)?.[0] ?? "";
      const hash = createHash("sha256").update(part).digest("hex").slice(0, 12);
      return `${part.slice(0, maxPartLength - hash.length - extension.length - 1)}-${hash}${extension}`;
    })
    .join("/");
}
