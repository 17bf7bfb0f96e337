// The ids of events: versions of the rows, sealed, so that they do not say how much changes in other namespaces.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { lazily } from "@plimsoll/component-base";

export type EventIds = ReturnType<typeof createEventIds>;

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const versionBytes = 6;

/** Each process has a key of its own: ids of another one do not resume here. */
export function createEventIds() {
  const key = lazily(() => randomBytes(32));
  return {
    /** Unlike any before, also for the same version. */
    of(version: number): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key(), nonce, { authTagLength: tagBytes });
      const text = Buffer.alloc(versionBytes);
      text.writeUIntBE(version, 0, versionBytes);
      return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
        "base64url",
      );
    },
    /** Undefined: the id is not of this process. */
    versionOf(id: string): number | undefined {
      const sealed = Buffer.from(id, "base64url");
      if (sealed.length !== nonceBytes + versionBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, key(), sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(sealed.subarray(-tagBytes));
      try {
        const text = Buffer.concat([
          decipher.update(sealed.subarray(nonceBytes, -tagBytes)),
          decipher.final(),
        ]);
        return text.readUIntBE(0, versionBytes);
      } catch {
        return undefined;
      }
    },
  };
}
