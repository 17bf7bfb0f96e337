// What this process announces in its Lease: known once it serves, and changed with its certificate.
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Announcement } from "../leadership/announcement.ts";

export type Announcer = ReturnType<typeof createAnnouncer>;

export function createAnnouncer(pod: string, address: string | undefined) {
  let port: number | undefined;
  let sha256: string | undefined;
  return {
    /** Undefined while HTTPS is not served, or at no address that others reach. */
    current(): Announcement | undefined {
      if (address === undefined || port === undefined || sha256 === undefined) return undefined;
      const host = isIP(address) === 6 ? `[${address}]` : address;
      return { pod, address: `${host}:${port}`, sha256 };
    },
    serves(bound: number): void {
      port = bound;
    },
    shows(certPem: string): void {
      sha256 = new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase();
    },
  };
}
