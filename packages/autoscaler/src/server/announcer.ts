// What this process announces in its Lease: known once it serves, and changed with its certificate.
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Announcement } from "../leadership/announcement.ts";

export interface Announcer {
  /** Undefined while HTTPS is not served, or at no address that others reach. */
  current(): Announcement | undefined;
  serves(port: number): void;
  shows(certPem: string): void;
}

export function createAnnouncer(pod: string, address: string | undefined): Announcer {
  let port: number | undefined;
  let sha256: string | undefined;
  return {
    current() {
      if (address === undefined || port === undefined || sha256 === undefined) return undefined;
      const host = isIP(address) === 6 ? `[${address}]` : address;
      return { pod, address: `${host}:${port}`, sha256 };
    },
    serves(bound) {
      port = bound;
    },
    shows(certPem) {
      sha256 = new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase();
    },
  };
}
