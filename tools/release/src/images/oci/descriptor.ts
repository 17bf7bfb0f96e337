// Content of an image by its digest, as the OCI image specification has it.
import { createHash } from "node:crypto";

export interface Descriptor {
  readonly mediaType: string;
  /** sha256:… */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** As a blob is named: sha256:… */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** Where a blob is in a layout. */
export function blobPath({ digest }: Pick<Descriptor, "digest">): string {
  return `blobs/${digest.replace(":", "/")}`;
}
